/*
 * test_scan_range.c
 *		A device's running totals at the ends of their type: which is the
 *		first that overflows, and what came before an array.
 */
#include <math.h>

#include "array_set.h"
#include "tap.h"

#define MAX_LENGTH 9000

static Fixture fixture;
static double x[MAX_LENGTH];
static int64_t v[MAX_LENGTH];

/* One before the last array of floats, or of ints. */
static void
float_before(ArraySet *set, double before)
{
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);

	(void) ga_exact_sum_add(sum, before);
	array_set_before_float(set, sum);
}

static void
int_before(ArraySet *set, GaInt128 before)
{
	GaIntSum sum = {0};

	ga_int_sum_add(&sum, before, 7);
	array_set_before_int(set, &sum);
}

/*
 * The largest number, among n zeros or tiny ones; and at position `at` what
 * makes the total overflow, or just not.
 */
static void
add_float_end(ArraySet *set, Rng *rng, size_t n, size_t at, int kind)
{
	const FloatType *type = element_float_type(set->type);
	double most = float_largest(type, type->max);
	double half = ldexp(1, type->max - type->precision);
	double sign = rng_chance(rng, 2) ? -1 : 1;
	double tiny = kind % 2 ? ldexp(1, type->least) : 0;
	size_t first = rng_below(rng, at + 1);
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = i > at && tiny == 0 ? -sign : i % 2 ? -tiny : tiny;
	x[at] = sign * (kind < 4 ? half : most);
	if (kind == 2)
		x[at] -= sign * half / 2;
	if (at > 0 && kind != 5)
		x[first < at ? first : 0] = sign * most;
	array_set_add_doubles(set, "the end of the range", x, n);
	if (at == 0 || kind == 5)
		float_before(set, sign * most);
}

static void
test_float_ends(Rng *rng, int mode)
{
	size_t step = fixture_is_quick() ? 211 : 17;
	ArraySet set;
	size_t at;
	int kind;

	tap_begin("%s: the first total that overflows", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	set.mpfr_one_in = 37;
	for (at = 0; at < MAX_LENGTH - 100; at += at < 40 ? 1 : step)
	{
		for (kind = 0; kind < 6; kind++)
			add_float_end(&set, rng, at + 1 + rng_below(rng, 100), at, kind);
	}
	array_set_check_scans(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/* Much before an array of nothing but small numbers, or the other way round. */
static void
test_float_before(Rng *rng, int mode)
{
	ArraySet set;
	long i;

	tap_begin("%s: sums that came before", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	set.mpfr_one_in = 7;
	for (i = tap_cases(4000); i > 0; i--)
	{
		size_t n_before = rng_below(rng, 60);
		double before[60];
		GaFullSum full;
		GaExactSum *sum = ga_full_sum_init(&full);

		array_set_add_random(&set, rng, n_before, ARRAY_SET_PACKED,
							 ARRAY_SET_PACKED);
		elements_get(set.type, array_set_elements(&set, set.n_arrays - 1),
					 n_before, before);
		while (n_before > 0)
			(void) ga_exact_sum_add(sum, before[--n_before]);
		array_set_add_random(&set, rng, rng_below(rng, 300), ARRAY_SET_PACKED,
							 ARRAY_SET_PACKED);
		array_set_before_float(&set, sum);
	}
	array_set_check_scans(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/*
 * A total that comes to the end of bigint at position `at`, and goes beyond it
 * by `over`, if that is not 0.  Totals of 128 bits do not care.
 */
static void
add_int_end(ArraySet *set, Rng *rng, size_t n, size_t at, int over)
{
	int sign = rng_chance(rng, 2) ? -1 : 1;
	int gap = rng_between(rng, 0, 1000);
	GaInt128 end = sign > 0 ? INT64_MAX : INT64_MIN;
	size_t i;

	for (i = 0; i < n; i++)
		v[i] = i < at ? (i % 2 ? -5 : 5) : -sign;
	v[at] = sign * (gap + over) - (at % 2 ? 5 : 0);
	array_set_add_ints(set, "the end of bigint", v, n);
	int_before(set, end - sign * gap);
}

static void
test_int_ends(Rng *rng, int mode)
{
	size_t step = fixture_is_quick() ? 211 : 17;
	ArraySet set;
	size_t at;
	int over;

	tap_begin("%s: the first total that overflows", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	for (at = 0; at < MAX_LENGTH - 100; at += at < 40 ? 1 : step)
	{
		for (over = 0; over < 3; over++)
			add_int_end(&set, rng, at + 1 + rng_below(rng, 100), at, over);
	}
	array_set_check_scans(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/* What came before is far beyond bigint, or so near that some bring it back. */
static void
test_int_before(Rng *rng, int mode)
{
	const GaInt128 one = 1;
	const GaInt128 befores[] = {one << 63,
								-(one << 63) - 1,
								one << 64,
								-(one << 64),
								one << 100,
								-(one << 100),
								(one << 126) + 12345,
								(one << 63) + 50,
								-(one << 63) - 50,
								INT64_MAX,
								INT64_MIN,
								0};
	const int64_t back[2] = {100, -100};
	ArraySet set;
	int b, k;
	size_t n;

	tap_begin("%s: much that came before", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	for (b = 0; b < 12; b++)
	{
		for (n = 0; n < 3000; n += n < 5 ? 1 : n < 70 ? 32 : 900)
		{
			for (k = 0; k < 2; k++)
			{
				array_set_add_random(&set, rng, n, ARRAY_SET_PACKED,
									 ARRAY_SET_PACKED);
				if (k == 1 && n > 0)
					elements_put_int(
						set.type, &back[befores[b] > 0], 1,
						array_set_elements(&set, set.n_arrays - 1));
				int_before(&set, befores[b]);
			}
		}
	}
	array_set_check_scans(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {43};
	int mode;

	fixture_open(&fixture);
	for (mode = 0; mode < SCAN_N_MODES; mode++)
	{
		if (mode == GA_float4 || mode == GA_float8)
		{
			test_float_ends(&rng, mode);
			test_float_before(&rng, mode);
			continue;
		}
		test_int_ends(&rng, mode);
		test_int_before(&rng, mode);
	}
	fixture_close(&fixture);
	return tap_done();
}
