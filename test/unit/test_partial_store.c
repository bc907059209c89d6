/*
 * test_partial_store.c
 *		Records of sums as a host writes them: full records are appended to a
 *		list of some capacity, and merging a record gives the sum back.
 */
#include <math.h>
#include <string.h>

#include "exact/partial_sum.h"
#include "sums.h"
#include "tap.h"

#define CAPACITY 3

/*
 * Sums by turns in compact and in full records.  The last one is just beyond
 * the 192 bits of a compact record.
 */
static const double elements[][2] = {
	{1, 2},		   {1e300, 1e-300},		 {-0.0, -0.0}, {INFINITY, 1},
	{0x1p-100, 1}, {NAN, -INFINITY},	 {-5, 0.5},	   {-1e300, 1e-300},
	{1, -1},	   {-0x1p173, -0x1p-18},
};
#define N_SUMS ((int) (sizeof(elements) / sizeof(elements[0])))

/* Merge a record into an empty sum, and compare. */
static void
check_merged(const GaPartialSum *partial, const GaFullRecord *full,
			 const GaExactSum *sum)
{
	GaExactSum *back = sum_new(GA_MAX_CELLS);

	tap_check(ga_partial_merge(back, 2, partial, full) == GA_OK,
			  "it is not merged");
	tap_check(same_sums(back, sum), "another sum comes back");
	sum_free(back);
}

/* The list gets full records in order, counts all, and is never overrun. */
static void
test_store(uint32_t capacity)
{
	GaFullRecord full[CAPACITY + 1];
	GaFullRecord untouched;
	uint32_t n_full = 0;
	int i;

	tap_begin("a list of %u full records", (unsigned) capacity);
	memset(full, 0x5a, sizeof(full));
	untouched = full[CAPACITY];
	for (i = 0; i < N_SUMS; i++)
	{
		GaExactSum *sum = sum_of(elements[i], 2);
		GaPartialSum partial;
		const uint32_t n_before = n_full;

		memset(&partial, 0x5a, sizeof(partial));
		ga_partial_store(&partial, sum, full, capacity, &n_full);
		tap_check(n_full - n_before == (uint32_t) (i % 2),
				  "sum %d: %u full records after %u", i, (unsigned) n_full,
				  (unsigned) n_before);
		if (n_full == n_before)
			tap_check(partial.kind == GA_PARTIAL_COMPACT, "sum %d: kind %d", i,
					  partial.kind);
		else if (n_before < capacity)
			tap_check(partial.kind == GA_PARTIAL_FULL &&
						  partial.limb[0] == n_before,
					  "sum %d: kind %d", i, partial.kind);
		else
			tap_check(partial.kind == GA_PARTIAL_NO_CAPACITY, "sum %d: kind %d",
					  i, partial.kind);
		if (partial.kind != GA_PARTIAL_NO_CAPACITY)
			check_merged(&partial, full, sum);
		sum_free(sum);
	}
	for (i = (int) capacity; i <= CAPACITY; i++)
		tap_check(memcmp(&full[i], &untouched, sizeof(untouched)) == 0,
				  "full record %d was written", i);
	tap_end();
}

/* The record of a sum of integers gives the same total back. */
static void
test_ints(Rng *rng)
{
	long i;

	tap_begin("records of sums of integers");
	for (i = tap_cases(20000); i > 0; i--)
	{
		const GaInt128 total =
			(int64_t) rng_next(rng) * ((GaInt128) 1 << rng_below(rng, 62)) -
			(int64_t) rng_next(rng);
		GaIntSum sum = {0};
		GaIntSum back = {0};
		GaPartialSum partial;

		ga_int_sum_add(&sum, total, 5);
		partial = ga_partial_from_int_sum(&sum);
		tap_check(partial.kind == GA_PARTIAL_COMPACT && partial.n_neg_zero == 0,
				  "kind %d", partial.kind);
		tap_check(partial.limb[2] == (total < 0 ? UINT64_MAX : 0),
				  "the sign is not extended");
		ga_partial_merge_int(&back, 5, &partial);
		tap_check(ga_int_sum_total(&back) == total && back.n == 5,
				  "another total comes back");
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {73};
	uint32_t capacity;

	for (capacity = 0; capacity <= CAPACITY; capacity++)
		test_store(capacity);
	test_ints(&rng);
	return tap_done();
}
