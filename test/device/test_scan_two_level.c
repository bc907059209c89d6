/*
 * test_scan_two_level.c
 *		A device's running totals of doubles on two-level scales: totals that
 *		are far from zero and near by turns, and arrays for which the scale
 *		does and just does not.
 *
 * A hint says which scale to try, so that it is known where its ends are.
 */
#include <math.h>

#include "array_set.h"
#include "device/device_check.h"
#include "tap.h"

#define UNIT   (-40) /* exponent of the scale's first unit */
#define LAST   (UNIT - GA_SCALE_BITS)
#define MOST   (UNIT + GA_TWO_LEVEL_ITEM) /* elements are below 2^MOST */
#define LENGTH 70000
#define NEAR   (55 * ldexp(1, UNIT + GA_SCALE_BITS))

static Fixture fixture;
static double x[LENGTH + 1];

/* Of any sign, with so many random bits, the lowest one of them being 2^at. */
static double
random_bits(Rng *rng, int n_bits, int at)
{
	int64_t bits = (int64_t) (rng_next(rng) >> (64 - n_bits));

	return ldexp((double) (rng_chance(rng, 2) ? bits : -bits), at);
}

/*
 * Elements whose totals go to and fro around a point, further and further; each
 * has its bits anywhere on the scale.
 */
static void
walk(Rng *rng, size_t n, double around)
{
	const int width = rng_between(rng, 1, 53);
	double total = 0;
	size_t i;

	for (i = 0; i < n; i++)
	{
		int at = rng_between(rng, LAST, MOST - width);

		x[i] = random_bits(rng, width, at);
		if (rng_chance(rng, 3) && fabs(total - around) > NEAR / 40)
			x[i] = copysign(x[i], around - total);
		total += x[i];
	}
}

/* Totals of few bits, half of which lie between two doubles. */
static void
ties(Rng *rng, size_t n)
{
	const int top = rng_between(rng, MOST - 3, MOST + 10);
	double total = 0;
	size_t i;

	for (i = 0; i < n; i++)
	{
		/* so long as it is small, large steps; then half a last place, or so */
		x[i] = fabs(total) < ldexp(1, top) ? ldexp(1, MOST - 1) :
											 random_bits(rng, 3, top - 54);
		total += x[i];
	}
}

/* Let the device try the scale; does it do? */
static void
check(ArraySet *set, const char *name, size_t n, bool does)
{
	uint32_t n_refused;

	array_set_add_doubles(set, name, x, n);
	array_set_add_hints(set);
	set->hints[set->n_arrays - 1] = (GaScanHint){.unit = UNIT, .n_levels = 2};
	n_refused = array_set_check_scans(&fixture, set);
	tap_check((n_refused == 0) == does, "%s, %zu elements: the scale must %sdo",
			  name, n, does ? "" : "not ");
	array_set_clear(set);
}

static size_t
random_length(Rng *rng)
{
	return rng_chance(rng, 2) ? LENGTH : 2100 + rng_below(rng, 9000);
}

static void
test_walks(Rng *rng)
{
	ArraySet set;
	long i;

	tap_begin("near zero, far from it, and between");
	array_set_init_scan(&set, GA_float8);
	for (i = tap_cases(40); i > 0; i--)
	{
		size_t n = random_length(rng);

		set.mpfr_one_in = i % 8 == 0;
		walk(rng, n, i % 2 > 0 ? 0 : (i % 4 > 0 ? NEAR : -NEAR));
		check(&set, "a walk", n, true);
		ties(rng, n);
		check(&set, "ties", n, true);
	}
	array_set_free(&set);
	tap_end();
}

/* There and back again: the totals' exact sum is zero in the end. */
static void
test_return(Rng *rng)
{
	const size_t half = LENGTH / 2;
	ArraySet set;
	long k;

	tap_begin("far away and back to zero");
	array_set_init_scan(&set, GA_float8);
	for (k = tap_cases(6); k > 0; k--)
	{
		size_t i;

		for (i = 0; i < half; i++)
		{
			x[i] = fabs(random_bits(rng, 53, MOST - 54));
			x[2 * half - 1 - i] = -x[i];
		}
		set.mpfr_one_in = k == 1;
		check(&set, "there and back", 2 * half, true);
	}
	array_set_free(&set);
	tap_end();
}

/* One element, late in the array, that is on the scale or not. */
static void
test_late(Rng *rng)
{
	static const struct
	{
		const char *name;
		double x;
		bool does;
	} late[] = {
		{"the largest element", 0x1p6 - 0x1p-47, true},
		{"an element too large", 0x1p6, false},
		{"an element too small", 0x1p-88, false},
		{"the smallest element", 0x1p-87, true},
		{"a NaN", NAN, false},
		{"an infinity", -INFINITY, false},
	};
	ArraySet set;
	size_t i;

	tap_begin("an element at the scale's ends");
	array_set_init_scan(&set, GA_float8);
	for (i = 0; i < sizeof(late) / sizeof(late[0]); i++)
	{
		size_t n = random_length(rng);

		walk(rng, n, i % 2 > 0 ? NEAR : 0);
		x[n - 1 - rng_below(rng, 50)] = late[i].x;
		check(&set, late[i].name, n, late[i].does);
	}
	array_set_free(&set);
	tap_end();
}

/* Totals that reach the ends of the first level. */
static void
test_ends(void)
{
	const double step = ldexp(1, MOST - 1);
	const int most = 1 << (UNIT + GA_TWO_LEVEL_TOP - (MOST - 1));
	const int margin = 40; /* of steps: some threads' */
	ArraySet set;
	int sign;
	int i;

	tap_begin("totals at the scale's end");
	array_set_init_scan(&set, GA_float8);
	for (sign = -1; sign <= 1; sign += 2)
	{
		for (i = 0; i < LENGTH; i++)
			x[i] = i < most - margin ? sign * step : 0;
		check(&set, "the largest totals", LENGTH, true);
		for (i = 0; i < LENGTH; i++)
			x[i] = i < most + margin ? sign * step : 0;
		check(&set, "totals too large", LENGTH, false);
		for (; i > most + 1000; i--)
			x[i] = -sign * step;
		check(&set, "totals too large, and back", LENGTH, false);
	}
	array_set_free(&set);
	tap_end();
}

/* The second part of an array, behind the first n_before elements of x. */
static void
check_segment(ArraySet *set, const char *name, size_t n_before, size_t n,
			  int unit, bool must_do)
{
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	uint32_t n_refused;
	int i;

	array_set_add_doubles(set, name, x, n);
	array_set_add_part(set, 0, n_before, n - n_before);
	elements_sum_float(GA_float8, sum, x, n_before);
	array_set_before_float(set, sum);
	set->arrays[1].n_before = n_before;
	array_set_add_hints(set);
	for (i = 0; i < 2; i++)
		set->hints[i] = (GaScanHint){.unit = (int16_t) unit, .n_levels = 2};
	n_refused = array_set_check_scans(&fixture, set);
	tap_check(!must_do || n_refused == 0, "%s: %u refused", name,
			  (unsigned) n_refused);
	array_set_clear(set);
}

/*
 * Segments with something before that the scale takes, and then totals that go
 * far; and those that want a scale beyond the last two-level scale.
 */
static void
test_before(Rng *rng)
{
	ArraySet set;
	long k;
	int e;

	tap_begin("with something before");
	array_set_init_scan(&set, GA_float8);
	for (k = tap_cases(12); k > 0; k--)
	{
		const size_t n_before = rng_between(rng, 1, 5000);
		size_t i;

		walk(rng, LENGTH, k % 3 > 0 ? NEAR : 0);
		for (i = 0; i < n_before; i++)
			x[i] = random_bits(rng, 40, rng_between(rng, LAST, -54));
		check_segment(&set, "a walk", n_before, LENGTH, UNIT, true);
	}
	for (e = 960; e < 1000; e++)
	{
		x[0] = ldexp(1, e);
		for (k = 1; k < 4000; k++)
			x[k] = ldexp(k % 3 > 0 ? 1 : -1, e + (int) (k % 11) - 5);
		check_segment(&set, "beyond the last two-level scale", 1, 4000, 900,
					  false);
		for (k = 1; k < 4000; k++)
			x[k] = k % 4 == 0 ? -x[k - 2] : ldexp(k % 3 > 0 ? 1 : -1, 900);
		check_segment(&set, "little beyond that", 1, 4000, 900, false);
	}
	array_set_free(&set);
	tap_end();
}

/*
 * What two-level scales were made for: numbers of both signs, most of them far
 * smaller than the largest, without a hint.
 */
static void
test_normal(Rng *rng)
{
	ArraySet set;
	long k;

	tap_begin("normally distributed");
	array_set_init_scan(&set, GA_float8);
	for (k = tap_cases(10); k > 0; k--)
	{
		const double mean = k % 3 == 0 ? ldexp(1, rng_between(rng, -20, 3)) : 0;
		const int scale = rng_between(rng, -900, 900);
		size_t i;

		for (i = 0; i < LENGTH; i++)
		{
			double u = ldexp((double) (rng_next(rng) >> 12) + 0.5, -52);
			double v = ldexp((double) (rng_next(rng) >> 11), -53);

			x[i] =
				ldexp(sqrt(-2 * log(u)) * cos(2 * 3.14159265358979 * v) + mean,
					  scale);
		}
		array_set_add_doubles(&set, "normal", x, LENGTH);
		array_set_check_scans(&fixture, &set);
		array_set_clear(&set);
	}
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {59};

	fixture_open(&fixture);
	test_walks(&rng);
	test_return(&rng);
	test_late(&rng);
	test_ends();
	test_before(&rng);
	test_normal(&rng);
	fixture_close(&fixture);
	return tap_done();
}
