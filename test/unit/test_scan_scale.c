/*
 * test_scan_scale.c
 *		Running totals at the borders of the scale that they stand on.
 *
 * A scale holds totals up to a limit, and bits down to its last unit.  When it
 * is chosen for a tile whose largest number, total or element, is below
 * 2^top, its units and limits are those of running_families.h.
 */
#include <math.h>
#include <stdlib.h>

#include "running_case.h"
#include "running_families.h"
#include "tap.h"

#define MAX_LENGTH 4096
#define LEVEL	   47 /* GA_SCALE_BITS */
#define SLACK	   12 /* from 2^top to the limit */
#define LESS_SLACK 4
#define GROUP	   32 /* SCAN_GROUP */

static double x[MAX_LENGTH];

/*
 * One number that the scale is chosen for, then in the next tile totals that
 * come to the limit exactly, miss it or pass it by a little, and go on.
 */
static void
try_limit(Rng *rng, int top, int slack, double off, size_t n_first)
{
	double limit = ldexp(1, top + slack);
	size_t n = 0;

	x[n++] = ldexp(1, top - 1);
	x[n++] = slack == SLACK ? 0 : ldexp(1, top - SCALE_REACH_LESS);
	while (n < n_first)
		x[n++] = 0;
	x[n++] = limit / 2;
	x[n++] = limit / 2 - x[0];
	x[n++] = off;
	x[n++] = -off;
	x[n++] = off;
	while (n < n_first + 1024)
		x[n++] = rng_chance(rng, 9) ? ldexp(1, top - 2) : 0;
	x[n++] = ldexp(3, top - GRID_FIRST);
	x[n++] = -2 * limit;
	x[n++] = -off;
	running_case_try(&float8_type, "at the scale's limit", x, n, rng);
}

static void
test_limits(Rng *rng, int top)
{
	static const int slacks[] = {SLACK, LESS_SLACK};
	int step = (int) (10 / tap_cases(10));
	int s, place, sign;

	tap_begin("totals at the limit of a scale for 2^%d", top);
	for (s = 0; s < 2; s++)
	{
		for (place = top - 93; place <= top + slacks[s] + 1; place += step)
		{
			for (sign = -1; sign <= 1; sign++)
			{
				try_limit(rng, top, slacks[s], ldexp(sign, place), 1024);
				try_limit(rng, top, slacks[s], ldexp(sign, place), 1000);
				try_limit(rng, top, slacks[s], ldexp(sign, place), 2);
			}
		}
	}
	tap_end();
}

/* Bits at the last unit of each scale, and one or more below it. */
static void
test_reaches(Rng *rng, int top)
{
	int step = (int) (5 / tap_cases(5));
	int depth, sign;
	size_t i;

	tap_begin("bits at all depths below 2^%d", top);
	for (depth = 30; depth <= 140; depth += step)
	{
		for (sign = -1; sign <= 1; sign += 2)
		{
			size_t n = 0;
			double bit = ldexp(sign, top - depth);

			x[n++] = ldexp(1, top - 1);
			x[n++] = bit;
			x[n++] = -x[0];
			x[n++] = ldexp(1, top - 53);
			x[n++] = x[0];
			x[n++] = -x[0];
			x[n++] = bit;
			x[n++] = -3 * bit;
			running_case_try(&float8_type, "bits below", x, n, rng);

			/* and tiles that have such bits, or have not */
			for (i = 0; i < 512; i++)
			{
				x[n] = float_random(rng, &float8_type, top - 2);
				x[n + 1] = -x[n];
				n += 2;
			}
			x[n++] = bit;
			while (n < 3000)
				x[n++] = ldexp(sign, top - 30);
			running_case_try(&float8_type, "bits below, and tiles", x, n, rng);
		}
	}
	tap_end();
}

/*
 * A sum with a fraction of the first unit or of the second, and a scan of
 * residues as large as they get, for so many elements: what they add to a
 * level between two normalisations must not be lost, nor what they leave.
 */
static void
try_residues(Rng *rng, int top, int level, size_t n)
{
	int unit = top - (level == 0 ? GRID_FIRST : GRID_REACH_2);
	double half = ldexp(1, unit - 1);
	double least = ldexp(1, unit - LEVEL);
	double sign = rng_chance(rng, 2) ? -1 : 1;
	size_t before = 3;
	ScanWay way = {0};
	RunningCase rc;
	size_t i;
	int e;

	/* the fraction that the sum has is large, and of the other sign */
	x[0] = -sign * ldexp(1, top - 1);
	x[1] = -sign * (2 * half - least);
	x[2] = level == 0 ? 0 : -sign * least;
	for (i = 0; i < n; i++)
		x[before + i] = sign * (half - (rng_chance(rng, 9) ? least : 0));

	/* one that shifts the fraction at the end of a group, by any part */
	x[before] = ldexp((double) rng_below(rng, UINT64_C(1) << 49), unit - LEVEL);
	running_case_new(&rc, &float8_type, "residues", x, before + n);
	way.in = rc.whole.data;
	way.out = malloc((before + n) * sizeof(double));
	way.n = before + n;
	way.n_before = before;
	for (e = 0; e < ga_cpu_n_engines; e++)
	{
		way.engine = ga_cpu_engines[e];
		if (way.engine->is_supported())
			running_case_check(&rc, &way);
	}
	free(way.out);
	running_case_free(&rc);
}

static void
test_residues(Rng *rng, int level)
{
	long i;

	tap_begin("residues of half a unit, level %d", level);
	for (i = tap_cases(8000); i > 0; i--)
	{
		int top = rng_between(rng, -800, 900);
		size_t n =
			GROUP * rng_between(rng, 1, 3) + rng_between(rng, 20, GROUP + 1);

		if (rng_chance(rng, 20))
			n = rng_below(rng, 2100) + 1;
		try_residues(rng, top, level, n);
	}
	tap_end();
}

int
main(void)
{
	static const int tops[] = {1, -800, 600, 1003};
	Rng rng = {25};
	int i;

	skip_unsupported_engines();
	for (i = 0; i < 4; i++)
	{
		test_limits(&rng, tops[i]);
		test_reaches(&rng, tops[i]);
	}
	test_residues(&rng, 0);
	test_residues(&rng, 1);
	return tap_done();
}
