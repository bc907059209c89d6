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

static Rig rig;
static double x[MAX_LENGTH];

static void
test_specials(Rng *rng, int mode)
{
	Batch batch;
	uint32_t i, n;

	tap_begin("%s: special values", batch_mode_name(mode));
	batch_init_scan(&batch, mode);
	batch.mpfr_one_in = 5;
	specials_add_all(&batch);
	n = batch.n_arrays;
	for (i = 0; i < n; i += 4)
		batch_add_segments(&batch, rng, i);
	batch_check_scans(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

/* The trouble is at each third of the positions once, in the long form. */
static void
test_trouble(Rng *rng, int mode)
{
	size_t step = rig_is_quick() ? 397 : tap_is_long() ? 3 : 31;
	Batch batch;
	size_t at;

	tap_begin("%s: one element of trouble anywhere", batch_mode_name(mode));
	batch_init_scan(&batch, mode);
	batch.mpfr_one_in = 499;
	for (at = 0; at < TROUBLE_LENGTH; at += step)
	{
		specials_add_trouble(&batch, rng, TROUBLE_LENGTH, at);
		if (batch.n_arrays < TROUBLE_BATCH && at + step < TROUBLE_LENGTH)
			continue;
		batch_check_scans(&rig, &batch);
		batch_clear(&batch);
	}
	batch_free(&batch);
	tap_end();
}

/* Each family at lengths of a few tiles. */
static void
test_families(Rng *rng, int mode)
{
	Batch batch;
	int family;
	int i;

	tap_begin("%s: all families, longer", batch_mode_name(mode));
	batch_init_scan(&batch, mode);
	batch.mpfr_one_in = 11;
	for (family = 0; family < n_running_families(); family++)
	{
		for (i = 0; i < 4; i++)
			batch_add_family(&batch, rng, family, rng_below(rng, 40000));
	}
	batch_check_scans(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

/* So many -0 and then something; whole, and in segments. */
static void
test_neg_zeros(Rng *rng, int mode)
{
	static const double then[] = {0.0, 1.0, NAN, -INFINITY, -0x1p-149, -0.0};
	size_t step = rig_is_quick() ? 613 : 31;
	Batch batch;
	size_t n;
	uint32_t i, n_arrays;

	tap_begin("%s: minus zeros first", batch_mode_name(mode));
	batch_init_scan(&batch, mode);
	batch.mpfr_one_in = 13;
	for (n = 0; n < TROUBLE_LENGTH; n += n < 70 ? 1 : step)
	{
		size_t behind = rng_below(rng, 200);

		for (i = 0; i < n + behind; i++)
			x[i] = i < n || rng_chance(rng, 2) ? -0.0 : 0.0;
		x[n] = then[n % 6];
		batch_add_doubles(&batch, "minus zeros", x, n + (behind > 0));
		batch_add_doubles(&batch, "minus zeros and others", x, n + behind);
	}
	n_arrays = batch.n_arrays;
	for (i = 0; i < n_arrays; i++)
		batch_add_segments(&batch, rng, i);
	batch_check_scans(&rig, &batch);
	batch_free(&batch);
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
	Batch batch;
	int span, turn;
	size_t i;

	tap_begin("%s: numbers that lie far apart", batch_mode_name(mode));
	batch_init_scan(&batch, mode);
	batch.mpfr_one_in = 5;
	for (span = 0; span < 6; span++)
	{
		for (turn = 0; turn < 4; turn++)
		{
			const FloatType *type = element_float_type(batch.type);
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
			batch_add_doubles(&batch, "far apart", x, 2 * n);
		}
	}
	batch_check_scans(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

int
main(void)
{
	Rng rng = {42};
	int mode;

	rig_open(&rig);
	for (mode = GA_float4; mode <= GA_float8; mode++)
	{
		test_specials(&rng, mode);
		test_trouble(&rng, mode);
		test_families(&rng, mode);
		test_neg_zeros(&rng, mode);
		test_far_apart(&rng, mode);
	}
	rig_close(&rig);
	return tap_done();
}
