/*
 * moments_value.c
 *		Exact moments as a value: of integers.
 *
 * See moments.h for what they are.
 */
#include "exact_sum_value.h"
#include "moments_value.h"

#define HALF_BITS 32

/* Set full to the moments that integers have, and return them. */
GaMoments *
ga_moments_from_ints(GaFullSumPair *full, const GaIntMoments *ints)
{
	GaMoments *moments = ga_full_sum_pair_init(full);
	GaExactSum *squares = ga_sum_pair_products(moments);
	GaFullSum sum;
	int i;

	ga_exact_sum_from_int(&sum, ga_int_sum_total(&ints->sum), ints->sum.n);
	/* capacity for all cells never fails */
	(void) ga_exact_sum_merge(ga_sum_pair_single(moments), ga_full_sum(&sum));
	for (i = 0; i < 2 * GA_SQUARES_LIMBS; i++)
		(void) ga_exact_sum_add_scaled(
			squares,
			(int64_t) (ints->squares[i / 2] >> i % 2 * HALF_BITS & 0xffffffff),
			i * HALF_BITS);
	squares->n = ints->sum.n;
	return moments;
}
