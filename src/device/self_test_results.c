/*
 * self_test_results.c
 *		What a device computes in its self-test, and whether it is right.
 *
 * Sums of floats have many forms; they are compared in the canonical one.
 * Called by self_test.c; keeps nothing.
 */
#include <string.h>

#include "exact/exact_sum_io.h"
#include "exact/partial_pair.h"
#include "exact/weighted_sum.h"
#include "self_test_results.h"

/* All arrays begin where arrays that are packed may. */
const uint32_t ga_self_test_lengths[GA_SELF_TEST_ARRAYS] = {20000, 3896, 100};
const uint32_t ga_self_test_positions[GA_SELF_TEST_ARRAYS] = {200, 100, 50};

const GaSelfTestWindows ga_self_test_windows[GA_SELF_TEST_WINDOWS] = {
	{0, {20000, 150, 0, 150}, 0, 134, false},
	{1, {3896, 1, 19, 20}, 1800, 300, false},
	{1, {3896, 1, 3895, 3896}, 3500, 300, false},
	{1, {3896, 1, 0, 2}, 1800, 300, false},
	/* 10,001 elements are 67 buckets, the last one of 101 */
	{0, {67 * 150 + 9999, 150, 0, 150}, 0, 134, true},
};

/*
 * Store the canonical form of a sum of n floats; return its bytes, or 0 if it
 * is none.  full has a record for each array, or is NULL.
 */
static size_t
sum_bytes(GaPartialSum record, int64_t n, const GaFullRecord *full,
		  uint8_t *bytes)
{
	GaFullSum buffer;
	GaExactSum *sum = ga_full_sum_init(&buffer);

	if (record.kind == GA_PARTIAL_FULL)
	{
		if (full == NULL || record.limb[0] >= GA_SELF_TEST_ARRAYS)
			return 0;
		full += record.limb[0];
		record.limb[0] = 0;
	}
	if (!ga_partial_is_float(&record, n, full) ||
		ga_partial_merge(sum, n, &record, full) != GA_OK)
		return 0;
	return ga_exact_sum_serialize(sum, bytes);
}

/* Are records of integers, or of an extreme, the same? */
static bool
same_limbs(const GaPartialSum *a, const GaPartialSum *b, size_t n_limbs)
{
	return a->kind == b->kind &&
		   memcmp(a->limb, b->limb, n_limbs * sizeof(a->limb[0])) == 0;
}

/* Are two sums of n elements the same?  Each has its full records. */
static bool
same_sum(GaElementType type, int64_t n, const GaPartialSum *is,
		 const GaFullRecord *is_full, const GaPartialSum *must,
		 const GaFullRecord *must_full)
{
	uint8_t is_bytes[GA_EXACT_SUM_MAX_BYTES];
	uint8_t must_bytes[GA_EXACT_SUM_MAX_BYTES];
	size_t n_bytes;

	if (!ga_element_is_float(type))
		return same_limbs(is, must, GA_PARTIAL_LIMBS);
	n_bytes = sum_bytes(*must, n, must_full, must_bytes);
	return n_bytes > 0 && sum_bytes(*is, n, is_full, is_bytes) == n_bytes &&
		   memcmp(is_bytes, must_bytes, n_bytes) == 0;
}

static bool
same_sums(GaElementType type, const GaSelfTestResults *is,
		  const GaSelfTestResults *must)
{
	int i;

	for (i = 0; i < GA_SELF_TEST_ARRAYS; i++)
	{
		if (!same_sum(type, ga_self_test_lengths[i], &is->sums[i], is->full,
					  &must->sums[i], must->full))
			return false;
	}
	return true;
}

/* Are the sums by position the same?  None may be refused. */
static bool
same_elem(GaElementType type, const GaSelfTestResults *is,
		  const GaSelfTestResults *must)
{
	int i;

	for (i = 0; i < GA_SELF_TEST_POSITIONS; i++)
	{
		if (!same_sum(type, GA_SELF_TEST_ELEM_ARRAYS, &is->elem[i], NULL,
					  &must->elem[i], NULL))
			return false;
	}
	return true;
}

/*
 * Return the bits of the forms whose values by position differ.  No value may
 * be refused.
 */
static GaReductionSet
compare_values(const GaSelfTestResults *is, const GaSelfTestResults *must)
{
	GaReductionSet wrong = 0;
	int form;

	for (form = GA_FORM_RECORD + 1; form < GA_N_ELEM_FORMS; form++)
	{
		if (memcmp(is->values[form], must->values[form],
				   sizeof(is->values[form])) != 0)
			wrong |= (GaReductionSet) 1 << ga_elem_reduction((GaElemForm) form);
	}
	return wrong;
}

/* Store the canonical form of two records of floats; return its bytes, or 0. */
static size_t
pair_bytes(GaElementType type, GaReduction reduction, int64_t n,
		   const GaPartialSum *records, uint8_t *bytes)
{
	const bool is_signed = ga_reduction_has_pairs(reduction);
	GaFullSumPair buffer;
	GaSumPair *pair = ga_full_sum_pair_init(&buffer);

	if (!ga_partial_are_pair(type, n, records, is_signed) ||
		ga_partial_merge_pair(pair, n, records, is_signed) != GA_OK)
		return 0;
	return ga_weighted_sum_serialize(pair, bytes);
}

static bool
same_pairs(GaElementType type, GaReduction reduction, int64_t n,
		   const GaPartialSum *is, const GaPartialSum *must)
{
	uint8_t is_bytes[GA_WEIGHTED_SUM_MAX_BYTES];
	uint8_t must_bytes[GA_WEIGHTED_SUM_MAX_BYTES];
	const size_t n_bytes = pair_bytes(type, reduction, n, must, must_bytes);

	return n_bytes > 0 &&
		   pair_bytes(type, reduction, n, is, is_bytes) == n_bytes &&
		   memcmp(is_bytes, must_bytes, n_bytes) == 0;
}

static bool
same_records(GaElementType type, GaReduction reduction,
			 const GaSelfTestResults *is, const GaSelfTestResults *must)
{
	const uint32_t n_records = ga_reduction_records(reduction);
	bool same = true;
	uint32_t i;

	for (i = 0; i < GA_SELF_TEST_ARRAYS * n_records && same; i += n_records)
	{
		const GaPartialSum *a = &is->records[reduction][i];
		const GaPartialSum *b = &must->records[reduction][i];

		if (n_records == 1)
			same = same_limbs(a, b, 1);
		else if (ga_element_is_float(type))
			same = same_pairs(type, reduction,
							  ga_self_test_lengths[i / n_records], a, b);
		else
			same = same_limbs(&a[0], &b[0], GA_PARTIAL_LIMBS) &&
				   same_limbs(&a[1], &b[1], GA_PARTIAL_LIMBS);
	}
	return same;
}

/*
 * Return the reductions whose results differ; running totals count as sums, and
 * sums by position have a bit of their own.
 */
GaReductionSet
ga_self_test_compare(GaElementType type, const GaSelfTestResults *is,
					 const GaSelfTestResults *must)
{
	GaReductionSet wrong = 0;
	int reduction;

	if (!same_sums(type, is, must) || is->n_totals != must->n_totals ||
		memcmp(is->totals, must->totals, sizeof(is->totals)) != 0)
		wrong |= (GaReductionSet) 1 << GA_REDUCE_SUM;
	for (reduction = GA_REDUCE_SUM + 1; reduction < GA_N_ALL_REDUCTIONS;
		 reduction++)
	{
		if (!same_records(type, (GaReduction) reduction, is, must))
			wrong |= (GaReductionSet) 1 << reduction;
	}
	if (!same_elem(type, is, must))
		wrong |= (GaReductionSet) 1 << GA_ELEM_SUMS;
	if (memcmp(is->windows, must->windows, sizeof(is->windows)) != 0)
		wrong |= (GaReductionSet) 1 << GA_WINDOW_VALUES;
	return wrong | compare_values(is, must);
}
