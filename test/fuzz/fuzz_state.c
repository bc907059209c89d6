/*
 * fuzz_state.c
 *		Serialized states of aggregates, which may come from anywhere.
 *
 * What is taken for a state must be one: its bytes are canonical, it can be
 * merged with another, removed again, rounded, and taken for the sum before
 * running totals, in whatever order.  Those of floats are values of the type
 * exactsum, too, which are added by their bytes, compared and negated.  Moments
 * that are taken for some have all results: no variance is below zero.
 */
#include "bytes.h"
#include "exact/exact_sum_io.h"
#include "exact/exact_sum_value.h"
#include "exact/int_products.h"
#include "exact/int_sum.h"
#include "exact/moments.h"
#include "exact/moments_value.h"
#include "exact/partial_sum.h"
#include "exact/weighted_sum.h"

/* Merge a state into one that grows, as a combine function does. */
static void
merge(GaFullSum *to, const GaExactSum *other)
{
	static GaFullSum buffer;
	GaExactSum *sum = ga_full_sum(to);

	while (ga_exact_sum_merge(sum, other) != GA_OK)
	{
		must(sum->capacity < GA_MAX_CELLS);
		ga_exact_sum_copy(ga_full_sum(&buffer), ga_exact_sum_larger(sum), sum);
		*to = buffer;
	}
	must(ga_exact_sum_is_valid(sum));
}

/* Does a sum have these bytes? */
static void
check_bytes(const GaExactSum *sum, const uint8_t *bytes, size_t n_bytes)
{
	uint8_t again[GA_EXACT_SUM_MAX_BYTES];

	must(ga_exact_sum_serialize(sum, again) == n_bytes);
	must(memcmp(again, bytes, n_bytes) == 0);
}

/* Use a sum in all ways that give a result. */
static void
use(const GaExactSum *sum)
{
	static const int unit[] = {-100, -147, -194};
	GaPartialSum partial;
	GaFullRecord full;
	double levels[3];
	double float8;
	float float4;
	uint32_t n_full = 0;

	(void) ga_exact_sum_float8(sum, &float8);
	(void) ga_exact_sum_float4(sum, &float4);
	(void) ga_exact_sum_mean(sum, &float8);
	(void) ga_exact_sum_exponent(sum);
	(void) ga_exact_sum_to_levels(sum, unit, 3, levels);
	ga_partial_store(&partial, sum, &full, 1, &n_full);
	must(partial.kind != GA_PARTIAL_NO_CAPACITY);
}

/* A state of floats from bytes that may lie in a place of just their size. */
static bool
read_float(const Bytes *bytes, GaFullSum *full)
{
	if (ga_exact_sum_deserialize(full, bytes->next, bytes->left) != GA_OK)
		return false;
	must(ga_exact_sum_is_valid(ga_full_sum(full)));
	check_bytes(ga_full_sum(full), bytes->next, bytes->left);
	return true;
}

static void
try_floats(const Bytes *first, const Bytes *second)
{
	GaFullSum one;
	GaFullSum other;
	GaFullSum sum;
	const GaExactSum *read = ga_full_sum(&one);
	int i;

	if (!read_float(first, &one))
		return;
	ga_exact_sum_copy(ga_full_sum(&sum), read->n_cells, read);
	use(ga_full_sum(&sum));
	if (!read_float(second, &other))
		return;
	/* n stays within its bound, as in a combine function */
	for (i = 0; i < 100; i++)
		merge(&sum, ga_full_sum(&other));
	use(ga_full_sum(&sum));
	for (i = 0; i < 100; i++)
		must(ga_exact_sum_unmerge(ga_full_sum(&sum), ga_full_sum(&other)) ==
			 GA_OK);
	check_bytes(ga_full_sum(&sum), first->next, first->left);
}

/* Add by bytes what by says; true if there is such a sum, which is then set. */
static bool
add_bytes(const Bytes *a, const Bytes *b, int by, uint8_t *bytes, Bytes *sum)
{
	size_t n_bytes = 0;
	GaStatus status = ga_exact_sum_add_serialized(a->next, a->left, b->next,
												  b->left, by, bytes, &n_bytes);

	must(status == GA_OK || status == GA_OVERFLOW);
	*sum = (Bytes){bytes, n_bytes};
	return status == GA_OK;
}

/* Compare a value with another, and with its negative. */
static void
compare(const GaExactSum *value, const GaExactSum *other)
{
	GaFullSum full;
	GaExactSum *negative = ga_full_sum(&full);

	must(ga_exact_sum_compare(value, value) == 0);
	must(ga_exact_sum_compare(value, other) ==
		 -ga_exact_sum_compare(other, value));
	ga_exact_sum_copy(ga_full_sum_init(&full), GA_MAX_CELLS, value);
	ga_exact_sum_negate(negative);
	must(ga_exact_sum_is_valid(negative));
	use(negative);
	ga_exact_sum_negate(negative);
	must(ga_exact_sum_compare(value, negative) == 0);
}

/* The bytes of two values say the same as their cells. */
static void
try_values(const Bytes *first, const Bytes *second)
{
	uint8_t added[GA_EXACT_SUM_MAX_BYTES];
	uint8_t left[GA_EXACT_SUM_MAX_BYTES];
	Bytes sum, rest;
	GaFullSum one;
	GaFullSum other;

	if (!read_float(first, &one) || !read_float(second, &other))
	{
		size_t n_bytes;

		must(ga_exact_sum_add_serialized(first->next, first->left, second->next,
										 second->left, 1, added,
										 &n_bytes) != GA_OK);
		return;
	}
	compare(ga_full_sum(&one), ga_full_sum(&other));
	if (add_bytes(first, second, -1, left, &rest))
	{
		must(add_bytes(&rest, second, 1, added, &sum));
		must(sum.left == first->left &&
			 memcmp(added, first->next, sum.left) == 0);
	}
	if (!add_bytes(first, second, 1, added, &sum))
		return;
	merge(&one, ga_full_sum(&other));
	check_bytes(ga_full_sum(&one), added, sum.left);
	must(add_bytes(&sum, second, -1, left, &rest));
	must(rest.left == first->left && memcmp(left, first->next, rest.left) == 0);
}

static void
try_ints(const Bytes *first, const Bytes *second)
{
	uint8_t again[GA_INT_SUM_BYTES];
	const int64_t elements[] = {INT64_MIN, -1, INT64_MAX};
	int64_t totals8[3];
	GaInt128 totals16[3];
	GaIntSum sum, other;
	int64_t result;
	int i;

	if (ga_int_sum_deserialize(&sum, first->next, first->left) != GA_OK)
		return;
	must(ga_int_sum_serialize(&sum, again) == first->left);
	must(memcmp(again, first->next, first->left) == 0);
	(void) ga_int_sum_int8(&sum, &result);
	other = sum;
	(void) ga_int_scan_int4(&other, elements, 3, totals8);
	other = sum;
	(void) ga_int_scan_int8(&other, elements, 3, totals16);
	if (ga_int_sum_deserialize(&other, second->next, second->left) != GA_OK)
		return;
	for (i = 0; i < 100; i++)
		ga_int_sum_add(&sum, ga_int_sum_total(&other), other.n);
	for (i = 0; i < 100; i++)
		ga_int_sum_add(&sum, -ga_int_sum_total(&other), -other.n);
	(void) ga_int_sum_serialize(&sum, again);
	must(memcmp(again, first->next, first->left) == 0);
}

/* Sums of products of integers, likewise. */
static void
try_int_products(const Bytes *first, const Bytes *second)
{
	uint8_t again[GA_INT_PRODUCTS_BYTES];
	char digits[GA_INT_PRODUCTS_DIGITS];
	GaIntProducts sum, other;
	int i;

	if (ga_int_products_deserialize(&sum, first->next, first->left) != GA_OK)
		return;
	if (ga_int_products_deserialize(&other, second->next, second->left) !=
		GA_OK)
		return;
	for (i = 0; i < 100; i++)
		ga_int_products_merge(&sum, &other);
	must(ga_int_products_decimal(&sum, digits)[0] != '\0');
	for (i = 0; i < 100; i++)
		ga_int_products_unmerge(&sum, &other);
	must(ga_int_products_serialize(&sum, again) == first->left);
	must(memcmp(again, first->next, first->left) == 0);
}

/* What is read, written and used of a kind of pairs. */
typedef struct PairKind
{
	GaStatus (*read)(GaFullSumPair *full, const uint8_t *bytes, size_t n_bytes);
	size_t (*write)(const GaSumPair *pair, uint8_t *bytes);
	void (*use)(const GaSumPair *pair);
} PairKind;

/* Moments that are read, and sums of them, have all results. */
static void
use_moments(const GaMoments *moments)
{
	const bool is_sample = ga_moments_n(moments) > 1;
	double result;

	must(ga_moments_is_valid(moments));
	must(ga_moments_are_possible(moments));
	if (ga_moments_n(moments) > 0)
	{
		must(ga_moments_var_pop(moments, &result) != GA_BAD_STATE);
		must(ga_moments_stddev_pop(moments, &result) != GA_BAD_STATE);
		must(ga_moments_norm(moments, &result) != GA_BAD_STATE);
	}
	if (is_sample)
	{
		must(ga_moments_var_samp(moments, &result) != GA_BAD_STATE);
		must(ga_moments_stddev_samp(moments, &result) != GA_BAD_STATE);
	}
}

/* Moments of integers: merged, and removed again. */
static void
try_int_moments(const Bytes *first, const Bytes *second)
{
	uint8_t again[GA_INT_MOMENTS_BYTES];
	uint64_t limbs[GA_NUMERATOR_LIMBS];
	GaFullSumPair full;
	GaIntMoments moments, other;
	int i;

	if (ga_int_moments_deserialize(&moments, first->next, first->left) != GA_OK)
		return;
	use_moments(ga_moments_from_ints(&full, &moments));
	must(ga_int_moments_norm(&moments) >= 0);
	if (ga_int_moments_deserialize(&other, second->next, second->left) != GA_OK)
		return;
	for (i = 0; i < 100; i++)
		ga_int_moments_merge(&moments, &other);
	must(ga_int_moments_numerator(&moments, limbs));
	for (i = 0; i < 100; i++)
		ga_int_moments_unmerge(&moments, &other);
	must(ga_int_moments_serialize(&moments, again) == first->left);
	must(memcmp(again, first->next, first->left) == 0);
}

static void
use_weighted(const GaSumPair *pair)
{
	const GaExactSum *products = ga_sum_pair_products(pair);
	double result;
	float single;

	must(ga_sum_pair_is_valid(pair));
	(void) ga_product_sum_float8(products, &result);
	(void) ga_product_sum_float4(products, &single);
	(void) ga_product_sum_root(products, &result);
	(void) ga_weighted_sum_mean(pair, &result);
}

static void
try_pairs(const PairKind *kind, const Bytes *first, const Bytes *second)
{
	uint8_t again[GA_WEIGHTED_SUM_MAX_BYTES];
	GaFullSumPair one;
	GaFullSumPair other;
	GaSumPair *pair = ga_full_sum_pair(&one);
	int i;

	if (kind->read(&one, first->next, first->left) != GA_OK)
		return;
	kind->use(pair);
	if (kind->read(&other, second->next, second->left) != GA_OK)
		return;
	for (i = 0; i < 100; i++)
		must(ga_sum_pair_merge(pair, ga_full_sum_pair(&other)) == GA_OK);
	kind->use(pair);
	for (i = 0; i < 100; i++)
		must(ga_sum_pair_unmerge(pair, ga_full_sum_pair(&other)) == GA_OK);
	must(kind->write(pair, again) == first->left);
	must(memcmp(again, first->next, first->left) == 0);
}

static const PairKind moments_kind = {ga_moments_deserialize,
									  ga_moments_serialize, use_moments};
static const PairKind weighted_kind = {ga_weighted_sum_deserialize,
									   ga_weighted_sum_serialize, use_weighted};

/* The bytes of moments are added as their cells are, and taken away again. */
static void
try_moments_values(const Bytes *first, const Bytes *second)
{
	uint8_t added[GA_MOMENTS_MAX_BYTES];
	uint8_t again[GA_MOMENTS_MAX_BYTES];
	size_t n_added, n_again;
	GaFullSumPair one;
	GaFullSumPair other;
	GaStatus status;

	if (ga_moments_deserialize(&one, first->next, first->left) != GA_OK ||
		ga_moments_deserialize(&other, second->next, second->left) != GA_OK)
		return;
	status = ga_moments_add_serialized(first->next, first->left, second->next,
									   second->left, 1, added, &n_added);
	must(status == GA_OK || status == GA_OVERFLOW);
	if (status != GA_OK)
		return;
	must(ga_sum_pair_merge(ga_full_sum_pair(&one), ga_full_sum_pair(&other)) ==
		 GA_OK);
	must(ga_moments_serialize(ga_full_sum_pair(&one), again) == n_added);
	must(memcmp(again, added, n_added) == 0);
	must(ga_moments_add_serialized(added, n_added, second->next, second->left,
								   -1, again, &n_again) == GA_OK);
	must(n_again == first->left && memcmp(again, first->next, n_again) == 0);
}

/* Copy bytes to a place of just their size. */
static Bytes
copy(const uint8_t *bytes, size_t n)
{
	uint8_t *to = malloc(n > 0 ? n : 1);

	if (n > 0)
		memcpy(to, bytes, n);
	return (Bytes){to, n};
}

/* The first two bytes are the length of the first of two states. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
	Bytes bytes = {data, n_bytes};
	size_t n = take_byte(&bytes) + 256 * (take_byte(&bytes) % 4);
	Bytes first;
	Bytes second;

	n = n < bytes.left ? n : bytes.left;
	first = copy(bytes.next, n);
	second = copy(bytes.next + n, bytes.left - n);
	try_floats(&first, second.left > 0 ? &second : &first);
	try_values(&first, second.left > 0 ? &second : &first);
	try_ints(&first, second.left > 0 ? &second : &first);
	try_int_moments(&first, second.left > 0 ? &second : &first);
	try_int_products(&first, second.left > 0 ? &second : &first);
	try_pairs(&moments_kind, &first, second.left > 0 ? &second : &first);
	try_moments_values(&first, second.left > 0 ? &second : &first);
	try_pairs(&weighted_kind, &first, second.left > 0 ? &second : &first);
	free((void *) first.next);
	free((void *) second.next);
	return 0;
}
