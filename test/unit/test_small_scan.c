/*
 * test_small_scan.c
 *		Running totals in small formats from end to end, all arrays of a few
 *		elements.
 *
 * A certificate must mean that all outputs are the exact totals, rounded once,
 * and that what a tile adds to the carried sum is the sum of its elements,
 * in the way of the CPU and in that of a GPU's thread, which has half as many;
 * and where all totals are on the scale, there must be one.  The steps of the
 * proof by themselves are in test_small_format.c, which also tells how small
 * formats and large ones correspond.
 */
#include <stdlib.h>
#include <string.h>

#include "random_floats.h"
#include "small_float.h"
#include "small_scale.h"
#include "tap.h"

#define MAX_N		24
#define MAX_BORDERS 40

/* Counted, so that a test of certificates is not one of refusals. */
static long n_certified;

/* One output: certified means right, in the format and in smaller ones. */
static void
check_output(const Small *s, const int64_t *level, int64_t exact)
{
	int less;

	tap_check(small_round_levels(s, level, false, false) ==
				  small_round(s->p, exact),
			  "%s: the total %lld", small_name(s), (long long) exact);
	if (s->n_levels == 3)
		return;
	for (less = 2; less <= 4; less++)
		tap_check(small_round(s->p - less,
							  small_round_levels(s, level, true, false)) ==
					  small_round(s->p - less, exact),
				  "%s: the total %lld, %d bits less", small_name(s),
				  (long long) exact, less);
}

/* Is a total surely on the scale?  Lower levels may hold some first units. */
static bool
is_on_grid(const Small *s, int64_t total)
{
	return llabs(total) + s->group * (INT64_C(1) << small_unit(s, 0)) <=
			   small_limit(s) &&
		   total % (INT64_C(1) << s->last) == 0;
}

/* An array, from a carried total on. */
static void
check_scan(const Small *s, int64_t carried, const int64_t *x, int n)
{
	int64_t before[SMALL_MAX_LEVELS] = {0};
	int64_t after[SMALL_MAX_LEVELS];
	int64_t totals[MAX_N][SMALL_MAX_LEVELS] = {{0}};
	int64_t exact = carried;
	int64_t share;
	bool fits = true;
	bool certified;
	int i;

	small_to_levels(s, carried, before);
	memcpy(after, before, sizeof(after));
	certified = small_scan(s, x, n, after, totals);
	for (i = 0; i < n; i++)
	{
		exact += x[i];
		fits &= is_on_grid(s, exact);
		if (certified)
			check_output(s, totals[i], exact);
	}
	tap_check(certified || !fits,
			  "%s: %lld and %lld, ... from %lld on are "
			  "not certified",
			  small_name(s), (long long) x[0], (long long) x[1],
			  (long long) carried);
	tap_check(!certified ||
				  carried + small_units_added(s, before, after) == exact,
			  "%s: the sum after %lld, %lld, ... from %lld on", small_name(s),
			  (long long) x[0], (long long) x[1], (long long) carried);
	if (n <= s->group / 2)
	{
		bool is_whole = small_add_up(s, x, n, &share);

		tap_check(!certified || (is_whole && carried + share == exact),
				  "%s: a thread's share after %lld, %lld, ... from %lld on",
				  small_name(s), (long long) x[0], (long long) x[1],
				  (long long) carried);
	}
	n_certified += certified;
}

static const Small formats[] = {
	{6, 3, 2, 4, 2, 1}, {7, 4, 3, 4, 2, 1}, {7, 3, 3, 8, 2, 0},
	{8, 5, 4, 4, 2, 0}, {6, 3, 2, 4, 3, 1}, {7, 4, 3, 4, 3, 0},
	{8, 4, 4, 8, 3, 1},
};

#define N_FORMATS ((int) (sizeof(formats) / sizeof(formats[0])))

/*
 * From end to end: all pairs of numbers, some of them too large or too small
 * for the scale, from as many carried totals.
 */
static void
test_pairs(const Small *s, int n_carried)
{
	int64_t most = small_limit(s) >> s->last;
	int64_t step = 2 * most / n_carried + 1;
	int64_t carried;
	int i, j;

	tap_begin("%s: all pairs", small_name(s));
	small_list(s->p, 8 * small_limit(s));
	n_certified = 0;
	for (carried = -(most - 1); carried < most; carried += step)
	{
		for (i = 0; i < small_n_numbers; i++)
		{
			for (j = 0; j < small_n_numbers; j++)
			{
				int64_t x[2] = {small_numbers[i], small_numbers[j]};

				check_scan(s, carried * (INT64_C(1) << s->last), x, 2);
			}
		}
	}
	tap_check(n_certified > 1000, "only %ld are certified", n_certified);
	tap_end();
}

/*
 * The numbers next to halves of units and to the limit, which make residues as
 * large as they get; returns how many there are.
 */
static int
list_borders(const Small *s, int64_t *border)
{
	int64_t last = INT64_C(1) << s->last;
	int n = 0;
	int i, k;

	border[n++] = 0;
	for (k = 0; k < s->n_levels; k++)
	{
		int64_t unit = INT64_C(1) << small_unit(s, k);

		if (k < s->n_levels - 1)
			unit /= 2;
		border[n++] = unit;
		border[n++] = small_round(s->p, unit - last);
	}
	border[n++] = small_limit(s) / 2;
	border[n++] = small_limit(s);
	for (i = n - 1; i > 0; i--)
		border[n++] = -border[i];
	return n;
}

/* All arrays of four out of these, from as many carried totals. */
static void
test_fours(const Small *s, int n_carried)
{
	int64_t most = small_limit(s) >> s->last;
	int64_t step = 2 * most / n_carried + 1;
	int64_t border[MAX_BORDERS];
	int n = list_borders(s, border);
	int64_t carried;
	int64_t x[4];
	int i, k;

	tap_begin("%s: arrays of four next to borders", small_name(s));
	n_certified = 0;
	for (carried = -(most - 1); carried < most; carried += step)
	{
		for (i = 0; i < n * n * n * n; i++)
		{
			int rest = i;

			for (k = 0; k < 4; k++, rest /= n)
				x[k] = border[rest % n];
			check_scan(s, carried * (INT64_C(1) << s->last), x, 4);
		}
	}
	tap_check(n_certified > 1000, "only %ld are certified", n_certified);
	tap_end();
}

/*
 * Random arrays of several groups, of numbers mostly small enough for the
 * total to stay on the scale, with runs of the same border.
 */
static void
test_long(Rng *rng, const Small *s)
{
	int64_t most = small_limit(s) >> s->last;
	int64_t border[MAX_BORDERS];
	int n_borders = list_borders(s, border);
	long i;

	tap_begin("%s: random arrays of several groups", small_name(s));
	small_list(s->p, small_limit(s) / 4 >> s->last);
	n_certified = 0;
	for (i = tap_cases(300000); i > 0; i--)
	{
		int64_t carried = (int64_t) rng_below(rng, 2 * most - 1) - most + 1;
		int n = 2 * rng_between(rng, 1, MAX_N / 2);
		int64_t x[MAX_N];
		int k;

		for (k = 0; k < n; k++)
			x[k] = k > 0 && !rng_chance(rng, 4) ?
					   x[k - 1] :
				   rng_chance(rng, 2) ?
					   border[rng_below(rng, n_borders)] :
					   small_numbers[rng_below(rng, small_n_numbers)] *
						   (INT64_C(1) << s->last);
		check_scan(s, carried * (INT64_C(1) << s->last), x, n);
	}
	tap_check(n_certified > 1000, "only %ld are certified", n_certified);
	tap_end();
}

int
main(void)
{
	bool is_long = tap_is_long();
	Rng rng = {30};
	int i;

	for (i = 0; i < N_FORMATS; i++)
	{
		const Small *s = &formats[i];

		if (s->p * s->n_levels < 24)
			test_pairs(s, is_long ? (i == 0 ? 40 : 3) : 1);
		test_fours(s, is_long ? 20 : 1);
		test_long(&rng, s);
	}
	return tap_done();
}
