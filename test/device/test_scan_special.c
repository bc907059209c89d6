/*
 * test_scan_special.c
 *		A device's running totals of floats: NaN, infinities, zeros, ends of
 *		the range, one element of trouble anywhere, and numbers far apart.
 */
#include <math.h>

#include "running_families.h"
#include "specials.h"
#include "tap.h"

#define TROUBLE_LENGTH 9000
#define TROUBLE_BATCH  500
#define MAX_LENGTH	   100000

static Fixture fixture;
static double x[MAX_LENGTH];

static void
test_specials(Rng *rng, int mode)
{
	ArraySet set;
	uint32_t i, n;

	tap_begin("%s: special values", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	set.mpfr_one_in = 5;
	specials_add_all(&set);
	n = set.n_arrays;
	for (i = 0; i < n; i += 4)
		array_set_add_segments(&set, rng, i);
	array_set_check_scans(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/* The trouble is at each third of the positions once, in the long form. */
static void
test_trouble(Rng *rng, int mode)
{
	size_t step = fixture_is_quick() ? 397 : tap_is_long() ? 3 : 31;
	ArraySet set;
	size_t at;

	tap_begin("%s: one element of trouble anywhere", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	set.mpfr_one_in = 499;
	for (at = 0; at < TROUBLE_LENGTH; at += step)
	{
		specials_add_trouble(&set, rng, TROUBLE_LENGTH, at);
		if (set.n_arrays < TROUBLE_BATCH && at + step < TROUBLE_LENGTH)
			continue;
		array_set_check_scans(&fixture, &set);
		array_set_clear(&set);
	}
	array_set_free(&set);
	tap_end();
}

/* Each family at lengths of a few tiles. */
static void
test_families(Rng *rng, int mode)
{
	ArraySet set;
	int family;
	int i;

	tap_begin("%s: all families, longer", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	set.mpfr_one_in = 11;
	for (family = 0; family < n_running_families(); family++)
	{
		for (i = 0; i < 4; i++)
			array_set_add_family(&set, rng, family, rng_below(rng, 40000));
	}
	array_set_check_scans(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/* So many -0 and then something; whole, and in segments. */
static void
test_neg_zeros(Rng *rng, int mode)
{
	static const double then[] = {0.0, 1.0, NAN, -INFINITY, -0x1p-149, -0.0};
	size_t step = fixture_is_quick() ? 613 : 31;
	ArraySet set;
	size_t n;
	uint32_t i, n_arrays;

	tap_begin("%s: minus zeros first", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	set.mpfr_one_in = 13;
	for (n = 0; n < TROUBLE_LENGTH; n += n < 70 ? 1 : step)
	{
		size_t behind = rng_below(rng, 200);

		for (i = 0; i < n + behind; i++)
			x[i] = i < n || rng_chance(rng, 2) ? -0.0 : 0.0;
		x[n] = then[n % 6];
		array_set_add_doubles(&set, "minus zeros", x, n + (behind > 0));
		array_set_add_doubles(&set, "minus zeros and others", x, n + behind);
	}
	n_arrays = set.n_arrays;
	for (i = 0; i < n_arrays; i++)
		array_set_add_segments(&set, rng, i);
	array_set_check_scans(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/*
 * Numbers that grow along the array, from the least to the largest or over a
 * few hundred bits; then small ones to the end, or all of it taken back.
 */
static void
test_far_apart(Rng *rng, int mode)
{
	static const int spans[] = {100, 143, 150, 276, 700, 2000};
	ArraySet set;
	int span, turn;
	size_t i;

	tap_begin("%s: numbers that lie far apart", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	set.mpfr_one_in = 5;
	for (span = 0; span < 6; span++)
	{
		for (turn = 0; turn < 4; turn++)
		{
			const FloatType *type = element_float_type(set.type);
			size_t n = rng_below(rng, MAX_LENGTH / 2) + 1;
			int most = type->max - 20 - type->least;
			int bits = spans[span] < most ? spans[span] : most;
			int low = rng_between(rng, type->least, type->max - 20 - bits);

			for (i = 0; i < n; i++)
			{
				int e = low + (int) (bits * (double) i / n);

				x[i] = ldexp(rng_chance(rng, 2) ? 1 : -1,
							 turn % 2 ? low + bits - (e - low) : e);
				x[2 * n - 1 - i] = turn / 2 ? -x[i] : ldexp(1, low);
			}
			array_set_add_doubles(&set, "far apart", x, 2 * n);
		}
	}
	array_set_check_scans(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {42};
	int mode;

	fixture_open(&fixture);
	for (mode = GA_float4; mode <= GA_float8; mode++)
	{
		test_specials(&rng, mode);
		test_trouble(&rng, mode);
		test_families(&rng, mode);
		test_neg_zeros(&rng, mode);
		test_far_apart(&rng, mode);
	}
	fixture_close(&fixture);
	return tap_done();
}
