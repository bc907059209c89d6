/*
 * array_set_products.c
 *		Checks of a device's sums of pairs of a set.
 *
 * Each array is paired with itself in reverse, which lies elsewhere, aligned in
 * another way.  What the sums must be is computed pair by pair by the functions
 * of src/exact, not by an engine.
 */
#include <stdlib.h>

#include "array_set.h"
#include "exact/partial_products.h"
#include "exact/weighted_sum.h"
#include "tap.h"

/* The ways in which second arrays are aligned, in elements. */
#define ALIGNMENTS 5

void
array_set_make_others(ArraySet *others, const ArraySet *set)
{
	const size_t size = ga_element_size(set->type);
	uint32_t i;
	size_t k;

	array_set_init(others, set->type);
	for (i = 0; i < set->n_arrays; i++)
	{
		const size_t n = set->arrays[i].n;
		char *to =
			array_set_add(others, set->arrays[i].name, n,
						  i % ALIGNMENTS == 0 ? ARRAY_SET_PACKED :
												(int) (i % ALIGNMENTS * size),
						  ARRAY_SET_PACKED);
		const char *from = array_set_elements(set, i);

		for (k = 0; k < n; k++)
			memcpy(to + k * size, from + (n - 1 - k) * size, size);
	}
}

/* The pairs of one result: those of some arrays of two sets. */
typedef struct Pairs
{
	const ArraySet *x;
	const ArraySet *y;
	uint32_t first;
	uint32_t n_arrays;
	int64_t n;		/* pairs */
	bool only_dots; /* the sums of second factors are not wanted */
} Pairs;

static double
float_at(const ArraySet *set, uint32_t array, size_t i)
{
	double x;

	elements_get(set->type,
				 (const char *) array_set_elements(set, array) +
					 i * ga_element_size(set->type),
				 1, &x);
	return x;
}

/*
 * Write down what is wanted of a pair of full size, which forgets the rest;
 * returns the number of bytes.
 */
static size_t
to_bytes(const Pairs *pairs, GaSumPair *pair,
		 uint8_t bytes[GA_WEIGHTED_SUM_MAX_BYTES])
{
	if (pairs->only_dots)
		ga_exact_sum_init(ga_sum_pair_single(pair), GA_MAX_CELLS);
	return ga_weighted_sum_serialize(pair, bytes);
}

static bool
same_sums(const Pairs *pairs, GaSumPair *a, GaSumPair *b)
{
	uint8_t a_bytes[GA_WEIGHTED_SUM_MAX_BYTES];
	uint8_t b_bytes[GA_WEIGHTED_SUM_MAX_BYTES];
	const size_t n = to_bytes(pairs, a, a_bytes);

	return n == to_bytes(pairs, b, b_bytes) && memcmp(a_bytes, b_bytes, n) == 0;
}

/* They may be refused only where the host's do not fit in records, too. */
static void
check_floats(const Pairs *pairs, const GaPartialSum *records)
{
	const char *name = pairs->x->arrays[pairs->first].name;
	GaFullSumPair buffer;
	GaFullSumPair must_buffer;
	GaSumPair *pair = ga_full_sum_pair_init(&buffer);
	GaSumPair *must = ga_full_sum_pair_init(&must_buffer);
	GaPartialSum host[GA_MAX_RECORDS];
	bool has_special = false;
	uint32_t i;
	size_t k;

	for (i = pairs->first; i < pairs->first + pairs->n_arrays; i++)
	{
		for (k = 0; k < pairs->x->arrays[i].n; k++)
		{
			const double x = float_at(pairs->x, i, k);
			const double y = float_at(pairs->y, i, k);

			has_special |= x - x != 0 || y - y != 0;
			(void) ga_weighted_sum_apply(must, x, y, 1);
		}
	}
	if (ga_partial_are_refused(records))
		tap_check(has_special || !ga_partial_products_from_floats(host, must),
				  "array %u, %lld pairs, %s: refused, but they fit",
				  (unsigned) pairs->first, (long long) pairs->n, name);
	else
		tap_check(ga_partial_merge_products(pair, pairs->n, records) == GA_OK &&
					  same_sums(pairs, pair, must),
				  "array %u, %lld pairs, %s: the bytes differ; kinds %d, %d, "
				  "cell %d, unit %d, limbs %llx %llx %llx",
				  (unsigned) pairs->first, (long long) pairs->n, name,
				  records[0].kind, records[1].kind, records[0].first,
				  records[1].unit, (unsigned long long) records[1].limb[0],
				  (unsigned long long) records[1].limb[1],
				  (unsigned long long) records[1].limb[2]);
}

static void
check_ints(const Pairs *pairs, const GaPartialSum *records)
{
	const GaElementType type = pairs->x->type;
	GaIntProducts products = {0};
	GaIntProducts must = {0};
	uint32_t i;
	size_t k;

	for (i = pairs->first; i < pairs->first + pairs->n_arrays; i++)
	{
		for (k = 0; k < pairs->x->arrays[i].n; k++)
		{
			const int64_t x =
				element_int(type, array_set_elements(pairs->x, i), k);
			const int64_t y =
				element_int(type, array_set_elements(pairs->y, i), k);

			ga_int_products_add(&must, (GaInt128) x * y,
								pairs->only_dots ? 0 : y, 1);
		}
	}
	ga_partial_merge_int_products(&products, pairs->n, records);
	tap_check(!ga_partial_are_refused(records) &&
				  memcmp(&products, &must, sizeof(must)) == 0,
			  "array %u, %lld pairs, %s: products %lld, must be %lld; weights "
			  "%lld, must be %lld",
			  (unsigned) pairs->first, (long long) pairs->n,
			  pairs->x->arrays[pairs->first].name,
			  (long long) products.product[0], (long long) must.product[0],
			  (long long) products.weight[0], (long long) must.weight[0]);
}

/* Check a result; returns false if it was refused. */
static bool
check_pairs(Pairs pairs, const GaPartialSum *records)
{
	uint32_t i;

	pairs.n = 0;
	for (i = pairs.first; i < pairs.first + pairs.n_arrays; i++)
		pairs.n += (int64_t) pairs.x->arrays[i].n;
	tap_check(ga_partial_are_products(pairs.x->type, pairs.n, records),
			  "array %u, %lld pairs: no such sums", (unsigned) pairs.first,
			  (long long) pairs.n);
	if (pairs.only_dots && !ga_partial_are_refused(records))
		tap_check(memcmp(&records[0], &(GaPartialSum){.limb = {0}},
						 sizeof(records[0])) == 0,
				  "array %u has a sum that is not wanted",
				  (unsigned) pairs.first);
	if (ga_element_is_float(pairs.x->type))
		check_floats(&pairs, records);
	else
		check_ints(&pairs, records);
	return !ga_partial_are_refused(records);
}

bool
array_set_check_pair(const ArraySet *set, const ArraySet *others, uint32_t i,
					 const GaPartialSum *records)
{
	return check_pairs(
		(Pairs){.x = set, .y = others, .first = i, .n_arrays = 1}, records);
}

/* Check all results; returns how many were refused. */
static uint32_t
check_results(const ArraySet *set, const ArraySet *others,
			  const GaReduceRequest *request)
{
	Pairs pairs = {.x = set,
				   .y = others,
				   .only_dots = request->reduction == GA_REDUCE_DOT};
	uint32_t n_refused = 0;
	uint32_t i;

	for (i = 0; i < request->n_results; i++)
	{
		pairs.n_arrays = request->n_parts_of[i];
		n_refused += !check_pairs(pairs, request->results + 2 * i);
		pairs.first += pairs.n_arrays;
	}
	return n_refused;
}

/* Reduce to products and sums, and to products alone; returns as above. */
static uint32_t
check_both(Fixture *fixture, const ArraySet *set, const ArraySet *others,
		   GaReduceRequest *request)
{
	uint32_t n_refused;

	fixture_reduce(fixture, request);
	n_refused = check_results(set, others, request);
	request->reduction = GA_REDUCE_DOT;
	fixture_reduce(fixture, request);
	(void) check_results(set, others, request);
	return n_refused;
}

uint32_t
array_set_check_products(Fixture *fixture, const ArraySet *set,
						 const uint32_t *n_parts_of, uint32_t n_results)
{
	const GaDeviceAddress image = array_set_copy_in(fixture, set);
	GaDeviceArray *parts = calloc(2 * set->n_arrays + 1, sizeof(*parts));
	GaPartialSum *results = calloc(2 * n_results + 1, sizeof(*results));
	GaReduceRequest request = {.reduction = GA_REDUCE_PRODUCTS,
							   .type = set->type,
							   .n_parts = set->n_arrays,
							   .parts = parts,
							   .others = parts + set->n_arrays,
							   .n_results = n_results,
							   .n_parts_of = n_parts_of,
							   .results = results};
	GaDeviceAddress other_image;
	ArraySet others;
	uint32_t n_refused;
	uint32_t i;

	array_set_make_others(&others, set);
	other_image = fixture_memory(fixture, FIXTURE_OUT, others.n_bytes);
	fixture_copy_in(fixture, other_image, others.image, others.n_bytes);
	for (i = 0; i < set->n_arrays; i++)
	{
		parts[i] = (GaDeviceArray){image + set->arrays[i].at, set->arrays[i].n};
		parts[set->n_arrays + i] = (GaDeviceArray){
			other_image + others.arrays[i].at, set->arrays[i].n};
	}
	n_refused = check_both(fixture, set, &others, &request);
	array_set_free(&others);
	free(parts);
	free(results);
	return n_refused;
}

void
array_set_check_own_products(Fixture *fixture, ArraySet *set, size_t shift)
{
	const GaDeviceAddress image = array_set_copy_in(fixture, set);
	const uint32_t n = (uint32_t) (set->arrays[0].n - shift);
	const uint32_t n_parts_of = 1;
	GaPartialSum results[GA_MAX_RECORDS];
	GaDeviceArray parts[2];
	GaReduceRequest request = {.reduction = GA_REDUCE_PRODUCTS,
							   .type = set->type,
							   .n_parts = 1,
							   .parts = &parts[0],
							   .others = &parts[1],
							   .n_results = 1,
							   .n_parts_of = &n_parts_of,
							   .results = results};
	ArraySet x;
	ArraySet y;

	array_set_add_part(set, 0, 0, n);
	array_set_add_part(set, 0, shift, n);
	x = y = *set;
	x.arrays += set->n_arrays - 2;
	y.arrays += set->n_arrays - 1;
	parts[0] = (GaDeviceArray){image + x.arrays->at, n};
	parts[1] = (GaDeviceArray){image + y.arrays->at, n};
	(void) check_both(fixture, &x, &y, &request);
	set->n_arrays -= 2;
}
