/*
 * exact_sum_value.c
 *		The exact sum as a value: compared, negated, of an integer.
 *
 * See exact_sum.h for what it is.
 */
#include "exact_sum_value.h"

/* An integer goes into a sum in parts of that many bits. */
#define PART_BITS 56

/* Values in ascending order, as PostgreSQL has it: NaN is the greatest. */
typedef enum Rank
{
	RANK_NEG_INF,
	RANK_FINITE,
	RANK_POS_INF,
	RANK_NAN
} Rank;

static Rank
rank_of(const GaExactSum *sum)
{
	if (sum->n_nan > 0 || (sum->n_pos_inf > 0 && sum->n_neg_inf > 0))
		return RANK_NAN;
	if (sum->n_pos_inf > 0)
		return RANK_POS_INF;
	return sum->n_neg_inf > 0 ? RANK_NEG_INF : RANK_FINITE;
}

/* Return the sign of the finite part. */
static int
sign_of(GaExactSum *sum)
{
	int i;

	/* then all cells but the highest are digits, and that one has the sign */
	(void) ga_exact_sum_carry(sum);
	for (i = sum->n_cells - 1; i >= 0; i--)
	{
		if (sum->cells[i] != 0)
			return sum->cells[i] < 0 ? -1 : 1;
	}
	return 0;
}

/*
 * Return -1, 0 or 1, as the exact value of a is less than that of b, equal, or
 * greater.  Zeros are equal, and so are NaNs.
 */
int
ga_exact_sum_compare(const GaExactSum *a, const GaExactSum *b)
{
	const Rank rank_a = rank_of(a);
	const Rank rank_b = rank_of(b);
	GaFullSum full;
	GaExactSum *difference = ga_full_sum_init(&full);

	if (rank_a != rank_b)
		return rank_a < rank_b ? -1 : 1;
	if (rank_a != RANK_FINITE)
		return 0;
	(void) ga_exact_sum_merge(difference, a);
	(void) ga_exact_sum_unmerge(difference, b);
	return sign_of(difference);
}

/*
 * Negate the sum: as if each input had been the other way round, but that a
 * zero is +0 then.
 */
void
ga_exact_sum_negate(GaExactSum *sum)
{
	const int64_t n_neg_inf = sum->n_neg_inf;
	int i;

	for (i = 0; i < sum->n_cells; i++)
		sum->cells[i] = -sum->cells[i];
	sum->n_neg_inf = sum->n_pos_inf;
	sum->n_pos_inf = n_neg_inf;
	sum->n_neg_zero = 0;
}

/* Set full to the sum of n integers with this total. */
void
ga_exact_sum_from_int(GaFullSum *full, GaInt128 total, int64_t n)
{
	const int64_t mask = (INT64_C(1) << PART_BITS) - 1;
	GaExactSum *sum = ga_full_sum_init(full);

	/* capacity for all cells never fails */
	(void) ga_exact_sum_add_scaled(sum, (int64_t) total & mask, 0);
	(void) ga_exact_sum_add_scaled(sum, (int64_t) (total >> PART_BITS) & mask,
								   PART_BITS);
	(void) ga_exact_sum_add_scaled(sum, (int64_t) (total >> 2 * PART_BITS),
								   2 * PART_BITS);
	sum->n = n;
}
