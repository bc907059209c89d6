/*
 * array_set_reduce.c
 *		Checks of a device's minima, maxima and moments of a set.
 *
 * What they must be is computed element by element by the functions of
 * src/exact, not by an engine.
 */
#include <stdlib.h>

#include "array_set.h"
#include "exact/partial_moments.h"
#include "tap.h"

/* The arrays of one result. */
typedef struct Result
{
	const ArraySet *set;
	GaReduction reduction;
	uint32_t number;
	uint32_t first;
	uint32_t n_arrays;
	int64_t n;		  /* elements */
	const char *name; /* of its first array */
} Result;

static const char *
reduction_name(GaReduction reduction)
{
	static const char *const names[GA_N_REDUCTIONS] = {"sum", "min", "max",
													   "moments"};

	return names[reduction];
}

/* The least or the largest element, as limb[0] has it. */
static uint64_t
extremum(const Result *result)
{
	Extreme extreme = {.type = result->set->type,
					   .is_max = result->reduction == GA_REDUCE_MAX};
	uint32_t i;

	for (i = result->first; i < result->first + result->n_arrays; i++)
		elements_extreme(&extreme, array_set_elements(result->set, i),
						 result->set->arrays[i].n);
	return extreme.bits;
}

static void
check_extremum(const Result *result, const GaPartialSum *record)
{
	const uint64_t must = extremum(result);

	tap_check(record->kind == GA_PARTIAL_COMPACT &&
				  (result->n == 0 || record->limb[0] == must),
			  "%s of %s, result %u, %u arrays, %lld elements, %s: %llx, must "
			  "be %llx",
			  reduction_name(result->reduction),
			  ga_element_name(result->set->type), (unsigned) result->number,
			  (unsigned) result->n_arrays, (long long) result->n, result->name,
			  (unsigned long long) record->limb[0], (unsigned long long) must);
}

static bool
same_moments(const GaMoments *a, const GaMoments *b)
{
	uint8_t a_bytes[GA_MOMENTS_MAX_BYTES];
	uint8_t b_bytes[GA_MOMENTS_MAX_BYTES];
	const size_t n = ga_moments_serialize(a, a_bytes);

	return n == ga_moments_serialize(b, b_bytes) &&
		   memcmp(a_bytes, b_bytes, n) == 0;
}

/* Moments may be refused only where the host's do not fit in records, too. */
static void
check_float_moments(const Result *result, const GaPartialSum *records)
{
	GaFullSumPair buffer;
	GaFullSumPair must_buffer;
	GaMoments *moments = ga_full_sum_pair_init(&buffer);
	GaMoments *must = ga_full_sum_pair_init(&must_buffer);
	GaPartialSum host[GA_MAX_RECORDS];
	uint32_t i;
	size_t k;

	for (i = result->first; i < result->first + result->n_arrays; i++)
	{
		for (k = 0; k < result->set->arrays[i].n; k++)
		{
			double x;

			elements_get(result->set->type,
						 (const char *) array_set_elements(result->set, i) +
							 k * ga_element_size(result->set->type),
						 1, &x);
			(void) ga_moments_add(must, x);
		}
	}
	if (ga_partial_are_refused(records))
		tap_check(!ga_partial_moments_from_floats(host, must),
				  "moments of %s, result %u, %lld elements, %s: refused, but "
				  "they fit",
				  ga_element_name(result->set->type), (unsigned) result->number,
				  (long long) result->n, result->name);
	else
		tap_check(ga_partial_merge_moments(moments, result->n, records) ==
						  GA_OK &&
					  same_moments(moments, must),
				  "moments of %s, result %u, %u arrays, %lld elements, %s: the "
				  "bytes differ; kinds %d, %d, cell %d, unit %d",
				  ga_element_name(result->set->type), (unsigned) result->number,
				  (unsigned) result->n_arrays, (long long) result->n,
				  result->name, records[0].kind, records[1].kind,
				  records[0].first, records[1].unit);
}

static void
check_int_moments(const Result *result, const GaPartialSum *records)
{
	GaIntMoments moments = {0};
	GaIntMoments must = {0};
	uint32_t i;
	size_t k;

	for (i = result->first; i < result->first + result->n_arrays; i++)
	{
		for (k = 0; k < result->set->arrays[i].n; k++)
			ga_int_moments_apply(&must,
								 element_int(result->set->type,
											 array_set_elements(result->set, i),
											 k),
								 1);
	}
	ga_partial_merge_int_moments(&moments, result->n, records);
	tap_check(!ga_partial_are_refused(records) &&
				  memcmp(&moments, &must, sizeof(must)) == 0,
			  "moments of %s, result %u, %u arrays, %lld elements: sum %lld, "
			  "must be %lld; squares %llu, must be %llu",
			  ga_element_name(result->set->type), (unsigned) result->number,
			  (unsigned) result->n_arrays, (long long) result->n,
			  (long long) moments.sum.low, (long long) must.sum.low,
			  (unsigned long long) moments.squares[0],
			  (unsigned long long) must.squares[0]);
}

/* Check a result; returns false if it was refused. */
static bool
check_result(const Result *result, const GaPartialSum *records)
{
	if (result->reduction != GA_REDUCE_MOMENTS)
	{
		check_extremum(result, records);
		return true;
	}
	tap_check(ga_partial_are_moments(result->set->type, result->n, records),
			  "moments of %s, result %u, %lld elements, %s: no such moments",
			  ga_element_name(result->set->type), (unsigned) result->number,
			  (long long) result->n, result->name);
	if (ga_element_is_float(result->set->type))
		check_float_moments(result, records);
	else
		check_int_moments(result, records);
	return !ga_partial_are_refused(records);
}

bool
array_set_check_records(const ArraySet *set, uint32_t i, GaReduction reduction,
						const GaPartialSum *records)
{
	const Result result = {.set = set,
						   .reduction = reduction,
						   .number = i,
						   .first = i,
						   .n_arrays = 1,
						   .n = (int64_t) set->arrays[i].n,
						   .name = set->arrays[i].name};

	return check_result(&result, records);
}

/* Check all results; returns how many were refused. */
static uint32_t
check_results(const ArraySet *set, const GaReduceRequest *request)
{
	Result result = {.set = set, .reduction = request->reduction};
	const GaPartialSum *records = request->results;
	uint32_t n_refused = 0;
	uint32_t i;

	for (result.number = 0; result.number < request->n_results; result.number++)
	{
		result.n_arrays = request->n_parts_of[result.number];
		result.name = set->arrays[result.first].name;
		result.n = 0;
		for (i = 0; i < result.n_arrays; i++)
			result.n += (int64_t) set->arrays[result.first + i].n;
		n_refused += !check_result(&result, records);
		records += ga_reduction_records(request->reduction);
		result.first += result.n_arrays;
	}
	return n_refused;
}

uint32_t
array_set_check_reduction(Fixture *fixture, const ArraySet *set,
						  GaReduction reduction, const uint32_t *n_parts_of,
						  uint32_t n_results)
{
	const uint32_t n_records = n_results * ga_reduction_records(reduction);
	GaDeviceArray *parts = calloc(set->n_arrays + 1, sizeof(*parts));
	GaPartialSum *results = malloc((n_records + 1) * sizeof(*results));
	GaReduceRequest request = {.reduction = reduction,
							   .type = set->type,
							   .n_parts = set->n_arrays,
							   .parts = parts,
							   .n_results = n_results,
							   .n_parts_of = n_parts_of,
							   .results = results};
	GaDeviceAddress image;
	uint32_t n_refused;
	uint32_t i;

	image = array_set_copy_in(fixture, set);
	for (i = 0; i < set->n_arrays; i++)
	{
		parts[i].data = image + set->arrays[i].at;
		parts[i].n = set->arrays[i].n;
	}
	memset(results, 0xa5, (n_records + 1) * sizeof(*results));
	fixture_reduce(fixture, &request);
	n_refused = check_results(set, &request);
	for (i = 0; i < sizeof(*results); i++)
		tap_check(((unsigned char *) &results[n_records])[i] == 0xa5,
				  "written behind the results");
	free(parts);
	free(results);
	return n_refused;
}

void
array_set_check_reductions(Fixture *fixture, const ArraySet *set)
{
	uint32_t *n_parts_of = malloc((set->n_arrays + 1) * sizeof(*n_parts_of));
	int reduction;
	uint32_t i;

	for (i = 0; i < set->n_arrays; i++)
		n_parts_of[i] = 1;
	for (reduction = GA_REDUCE_MIN; reduction < GA_N_REDUCTIONS; reduction++)
		(void) array_set_check_reduction(fixture, set, (GaReduction) reduction,
										 n_parts_of, set->n_arrays);
	(void) array_set_check_products(fixture, set, n_parts_of, set->n_arrays);
	free(n_parts_of);
}
