/*
 * test_small_format.c
 *		The proofs of doc/numerics.md, tried on all numbers of small formats.
 *
 * The algorithms are written down once more, for floats of p bits that stand
 * on integers (small_float.h), with each constant as a parameter.  What is
 * true of 53 bits for reasons that do not depend on 53 must be true here of
 * each and every input.  The constants, and what the proofs ask of them:
 *
 *		here	p	scale_bits		scale_top		group		lanes
 *		there	53	GA_SCALE_BITS	GA_SCALE_TOP	SCAN_GROUP	LANES
 *				53	47				49				32			2 to 8
 *
 *	(1) 2 * 2^scale_top + group + 2 <= 2^(p-2): an element that leads from one
 *		certified total to the next, plus half a unit, leaves the anchor in
 *		its binade.
 *	(2) 3 * 2^(scale_bits-1) <= 2^(p-2): so does what a tile adds to a level,
 *		whose units are read off the anchor's bits.
 *	(3) (group + 2) * 2^(scale_bits-1) <= 2^(p-1): between two normalizations
 *		a level has at most half of the units that a double holds, so that all
 *		additions are exact, and so is Fast2Sum.
 *	(4) scale_top + 2 * scale_bits >= 2 * p + 2, of three levels: otherwise
 *		the two lower ones always add up to a double, nothing is ever cut off
 *		before the last addition, and rounding to odd has nothing to do.
 *
 * test_premises() checks these of the large parameters and of all small ones.
 * In these group * 2^(scale_bits-1) is 2^(p-2), as it is in the large, so that
 * (3) holds and would not if it were twice as much.  (4) takes at least 10
 * bits, and without (2), which says nothing about rounding.  Each step of the
 * proof is tried here for all numbers; test_small_scan.c tries arrays from end
 * to end, and test_small_sum.c is about sums.
 */
#include <stdbool.h>

#include "exact/exact_sum.h"
#include "small_float.h"
#include "small_scale.h"
#include "tap.h"

#define GROUP 32 /* SCAN_GROUP */

/* Are these the parameters of a proof?  Of (1) to (3). */
static bool
is_proven(int p, int scale_bits, int scale_top, int group)
{
	int64_t half_level = INT64_C(1) << (scale_bits - 1);

	return 2 * (INT64_C(1) << scale_top) + group + 2 <= INT64_C(1) << (p - 2) &&
		   3 * half_level <= INT64_C(1) << (p - 2) &&
		   (group + 2) * half_level <= INT64_C(1) << (p - 1);
}

/* Does (3) leave no capacity for a power of two? */
static bool
is_tight(int p, int scale_bits, int group)
{
	return group * (INT64_C(1) << (scale_bits - 1)) == INT64_C(1) << (p - 2);
}

/* (4) */
static bool
is_deep(int p, int scale_bits, int scale_top)
{
	return scale_top + 2 * scale_bits >= 2 * p + 2;
}

static const Small formats[] = {
	{7, 4, 3, 4, 2, 1}, {8, 5, 4, 4, 2, 1},	 {8, 4, 4, 8, 2, 0},
	{9, 5, 5, 8, 2, 1}, {10, 7, 6, 4, 2, 1}, {6, 3, 2, 4, 3, 1},
	{7, 4, 3, 4, 3, 0}, {8, 5, 4, 4, 3, 1},	 {9, 5, 5, 8, 3, 1},
};

/* For rounding alone, to which (2) does not matter: the smallest with (4). */
static const Small deep_format = {10, 8, 6, 2, 3, 0};

#define N_FORMATS ((int) (sizeof(formats) / sizeof(formats[0])))

static void
test_premises(void)
{
	int i;

	tap_begin("the premises of the proofs, in the large and in the small");
	tap_check(is_proven(53, GA_SCALE_BITS, GA_SCALE_TOP, GROUP), "(1) to (3)");
	tap_check(is_tight(53, GA_SCALE_BITS, GROUP), "(3) is not tight");
	tap_check(is_deep(53, GA_SCALE_BITS, GA_SCALE_TOP), "(4)");
	for (i = 0; i < N_FORMATS; i++)
	{
		const Small *s = &formats[i];

		tap_check(is_proven(s->p, s->scale_bits, s->scale_top, s->group) &&
					  is_tight(s->p, s->scale_bits, s->group),
				  "%s", small_name(s));
	}
	tap_check(is_deep(10, 8, 6), "(4) of the deep format");
	tap_end();
}

/*
 * Step 1: all numbers up to twice the limit and half a unit are cut into
 * multiples of the units, exactly, of which each is small enough.
 */
static void
test_cutting(const Small *s)
{
	int i, k;

	tap_begin("%s: cutting all numbers", small_name(s));
	small_list(s->p, 2 * small_limit(s) +
						 ((s->group + 2) * (INT64_C(1) << small_unit(s, 0))));
	for (i = 0; i < small_n_numbers; i++)
	{
		int64_t rest = small_numbers[i];

		for (k = 0; k < s->n_levels; k++)
		{
			int64_t unit = INT64_C(1) << small_unit(s, k);
			int64_t z = small_to_unit(s, rest, k);

			tap_check(z % unit == 0, "%lld: z_%d = %lld",
					  (long long) small_numbers[i], k, (long long) z);
			tap_check(small_add(s->p, rest, -z) == rest - z,
					  "%lld without z_%d", (long long) small_numbers[i], k);
			rest -= z;
			tap_check(2 * llabs(rest) <= unit, "%lld leaves %lld",
					  (long long) small_numbers[i], (long long) rest);
		}
		tap_check((rest == 0) ==
					  (small_numbers[i] % (INT64_C(1) << s->last) == 0),
				  "%lld leaves %lld at last", (long long) small_numbers[i],
				  (long long) rest);
	}
	tap_end();
}

/*
 * Round all levels that can be; returns how many totals are wrong.  The first
 * level is never negative: the others are the same with other signs.  With
 * to_nearest instead of to odd, the first wrong one is enough.
 */
static long
round_all(const Small *s, int precision, bool to_nearest)
{
	int64_t most = (s->group + 2) * (INT64_C(1) << (s->scale_bits - 1));
	int64_t last = s->n_levels == 3 ? most : 0;
	int64_t level[SMALL_MAX_LEVELS];
	long n_wrong = 0;
	int64_t i, j, k;

	for (i = 0; i <= INT64_C(1) << s->scale_top; i++)
	{
		for (j = -most; j <= most; j++)
		{
			level[0] = i << small_unit(s, 0);
			level[1] = j * (INT64_C(1) << small_unit(s, 1));
			for (k = -last; k <= last; k++)
			{
				int64_t total;

				level[2] = k * (INT64_C(1) << s->last);
				total =
					small_round_levels(s, level, precision < s->p, to_nearest);
				n_wrong +=
					!to_nearest && total != small_round_levels_by_cutting(
												s, level, precision < s->p);
				n_wrong +=
					small_round(precision, total) !=
					small_round(precision, level[0] + level[1] + level[2]);
			}
			tap_n_checks += (long) (2 * last + 1);
			if (to_nearest && n_wrong > 0)
				return n_wrong;
		}
	}
	return n_wrong;
}

/*
 * Step 2: all levels that can stand behind an output are rounded right, to
 * the format, or from two levels to one of fewer bits.  To nearest would not
 * do, where there is something to cut off.
 */
static void
test_rounding(const Small *s)
{
	int precision;

	tap_begin("%s: rounding all levels", small_name(s));
	tap_check(round_all(s, s->p, false) == 0, "to %d bits", s->p);
	if (s->n_levels == 3)
		tap_check((round_all(s, s->p, true) > 0) ==
					  is_deep(s->p, s->scale_bits, s->scale_top),
				  "to nearest instead of to odd");
	for (precision = 3; s->n_levels == 2 && precision <= s->p - 2; precision++)
	{
		tap_check(round_all(s, precision, false) == 0, "to %d bits", precision);
		tap_check(round_all(s, precision, true) > 0,
				  "to nearest instead of to odd, and to %d bits", precision);
	}
	tap_end();
}

int
main(void)
{
	int i;

	test_premises();
	for (i = 0; i < N_FORMATS; i++)
	{
		test_cutting(&formats[i]);
		test_rounding(&formats[i]);
	}
	if (tap_is_long())
		test_rounding(&deep_format);
	return tap_done();
}
