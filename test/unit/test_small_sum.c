/*
 * test_small_sum.c
 *		The proof of exact sums by levels, tried on all numbers of small
 *		formats.
 *
 * sum_levels() of cpu_lanes_float.h once more, for floats of p bits on
 * integers (small_float.h).  As test_small_format.c does for running totals:
 *
 *		here	p	slack	chain
 *		there	53	SLACK	CHAIN_LENGTH + CHAINS
 *				53	9		128 + 4, the most elements of an accumulator
 *
 *	(1) chain * 2^-slack <= 1/2: the accumulator, which begins at 1.5 * 2^E,
 *		stays in its binade if no element is larger than 2^(E-slack).
 *	(2) slack >= 1: the residual of a level, half a unit, is small enough
 *		for the next one, which lies p - slack bits lower (LEVEL_BITS).
 *
 * As there, an anchor that would have a unit below the smallest number is
 * raised to where its unit is that.
 */
#include <stdlib.h>

#include "random_floats.h"
#include "small_float.h"
#include "small_scale.h"
#include "tap.h"

#define MAX_CHAIN 8

typedef struct SmallSum
{
	int p;
	int slack;
	int chain;
	int n_levels;
	int last; /* the last unit is 2^last smallest numbers; it
								 * is raised to 0 if less */
} SmallSum;

/* The exponents of a level's unit, and of the anchor. */
static int
unit_exponent(const SmallSum *s, int k)
{
	int unit = s->last + (s->p - s->slack) * (s->n_levels - 1 - k);

	return unit > 0 ? unit : 0;
}

static int
anchor_exponent(const SmallSum *s, int k)
{
	return unit_exponent(s, k) + s->p - 1;
}

static int64_t
anchor_of(const SmallSum *s, int k)
{
	return INT64_C(3) << (anchor_exponent(s, k) - 1);
}

/* The largest element, 2^(E-slack), of the first level, before it is raised. */
static int64_t
most_of(const SmallSum *s)
{
	int e = s->last + (s->p - s->slack) * (s->n_levels - 1) + s->p - 1;

	return INT64_C(1) << (e - s->slack);
}

/* Cut x at a level and take it there; returns what is left. */
static int64_t
cut(const SmallSum *s, int64_t x, int64_t *accumulator)
{
	int64_t q = small_add(s->p, *accumulator, x);
	int64_t z = small_add(s->p, q, -*accumulator);

	*accumulator = q;
	return small_add(s->p, x, -z);
}

static bool
is_proven(int p, int slack, int chain)
{
	return slack >= 1 && slack < p && 2 * chain <= 1 << slack;
}

static const SmallSum formats[] = {
	{5, 3, 4, 2, 1},  {5, 2, 2, 2, 1},	{6, 3, 4, 2, 1},  {6, 3, 4, 2, 0},
	{6, 3, 4, 2, -1}, {6, 3, 4, 2, -2}, {6, 2, 2, 2, 1},  {7, 4, 8, 2, 1},
	{8, 4, 8, 2, 1},  {5, 3, 4, 3, 1},	{5, 3, 4, 3, -1}, {6, 3, 4, 3, 1},
	{6, 4, 8, 3, 1},
};

#define N_FORMATS ((int) (sizeof(formats) / sizeof(formats[0])))

static void
test_premises(void)
{
	int i;

	tap_begin("the premises of the proof, in the large and in the small");
	tap_check(is_proven(53, 9, 128 + 4), "in the large");
	for (i = 0; i < N_FORMATS; i++)
		tap_check(is_proven(formats[i].p, formats[i].slack, formats[i].chain),
				  "%d bits, slack %d", formats[i].p, formats[i].slack);
	tap_end();
}

/*
 * One step, for all accumulators that a chain can lead to and all elements of
 * the level: the cut is exact, what is left is at most half a unit, and that
 * fits the next level.
 */
static void
check_steps(const SmallSum *s, int k)
{
	int e = anchor_exponent(s, k);
	int64_t unit = INT64_C(1) << unit_exponent(s, k);
	int64_t most = INT64_C(1) << (e - s->slack);
	int64_t reach = (s->chain - 1) * most;
	int64_t anchor = anchor_of(s, k);
	int64_t a;
	int i;

	small_list(s->p, most);
	for (a = anchor - reach; a <= anchor + reach; a += unit)
	{
		for (i = 0; i < small_n_numbers; i++)
		{
			int64_t x = small_numbers[i];
			int64_t q = a;
			int64_t left = cut(s, x, &q);

			tap_check(left == x - (q - a) && 2 * llabs(left) <= unit &&
						  (q - a) % unit == 0 && llabs(q - a) <= most,
					  "%lld on %lld leaves %lld", (long long) x, (long long) a,
					  (long long) left);
			tap_check(small_bits(s->p, q) - small_bits(s->p, anchor) ==
						  (q - anchor) / unit,
					  "the bits of %lld", (long long) q);
		}
	}
	tap_check(k == s->n_levels - 1 ||
				  unit / 2 <= INT64_C(1)
								  << (anchor_exponent(s, k + 1) - s->slack),
			  "half a unit is too large for level %d", k + 1);
}

static void
test_steps(const SmallSum *s)
{
	int k;

	tap_begin("%d bits, %d levels, slack %d, units from 2^%d: all steps", s->p,
			  s->n_levels, s->slack, s->last);
	for (k = 0; k < s->n_levels; k++)
		check_steps(s, k);
	tap_end();
}

/*
 * An array: with nothing left, the bits of all levels are its exact sum; and
 * nothing is left of multiples of the last unit, and of them only.
 */
static void
check_sum(const SmallSum *s, const int64_t *x, int n)
{
	int64_t a[SMALL_MAX_LEVELS];
	int64_t exact = 0;
	int64_t sum = 0;
	bool any_left = false;
	bool fits = true;
	int i, k;

	for (k = 0; k < s->n_levels; k++)
		a[k] = anchor_of(s, k);
	for (i = 0; i < n; i++)
	{
		int64_t left = x[i];

		for (k = 0; k < s->n_levels; k++)
			left = cut(s, left, &a[k]);
		any_left |= left != 0;
		fits &= x[i] % (INT64_C(1) << unit_exponent(s, s->n_levels - 1)) == 0;
		exact += x[i];
	}
	for (k = 0; k < s->n_levels; k++)
		sum += (small_bits(s->p, a[k]) - small_bits(s->p, anchor_of(s, k))) *
			   (INT64_C(1) << unit_exponent(s, k));
	tap_check(any_left || sum == exact, "%lld, %lld, ...: %lld, must be %lld",
			  (long long) x[0], (long long) x[1], (long long) sum,
			  (long long) exact);
	tap_check(any_left == !fits, "%lld, %lld, ...: %sleft", (long long) x[0],
			  (long long) x[1], any_left ? "" : "nothing ");
}

/* All arrays of n elements, or if they are more than that, random ones. */
static void
test_arrays(Rng *rng, const SmallSum *s, int n, long most)
{
	int64_t x[MAX_CHAIN];
	double all = 1;
	long i;
	int j;

	small_list(s->p, most_of(s));
	for (j = 0; j < n; j++)
		all *= small_n_numbers;
	tap_begin("%d bits, %d levels, slack %d, units from 2^%d: %s arrays of %d",
			  s->p, s->n_levels, s->slack, s->last,
			  all <= most ? "all" : "random", n);
	for (i = 0; i < most && i < all; i++)
	{
		long rest = i;

		for (j = 0; j < n; j++, rest /= small_n_numbers)
			x[j] = small_numbers[all <= most ?
									 rest % small_n_numbers :
									 (long) rng_below(rng, small_n_numbers)];
		check_sum(s, x, n);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {29};
	int i;

	test_premises();
	for (i = 0; i < N_FORMATS; i++)
	{
		const SmallSum *s = &formats[i];

		test_steps(s);
		test_arrays(&rng, s, 2, tap_cases(600000));
		if (s->chain > 2)
		{
			test_arrays(&rng, s, 3, tap_cases(2200000));
			test_arrays(&rng, s, s->chain, tap_cases(1200000));
		}
	}
	return tap_done();
}
