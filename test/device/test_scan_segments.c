/*
 * test_scan_segments.c
 *		A device's running totals of arrays that come in segments, each with
 *		the sum of those before it.
 */
#include "batch.h"
#include "tap.h"

#define MIXED_LENGTH 20000
#define TINY_LENGTH	 8

static Rig rig;

/* Lengths of all sizes, short ones more often, and none here and there. */
static size_t
mixed_length(Rng *rng)
{
	if (rng_chance(rng, 10))
		return 0;
	return rng_below(rng, MIXED_LENGTH + 1) >> rng_below(rng, 12);
}

/* Whole arrays, and the same in segments. */
static void
test_mixed(Rng *rng, int mode)
{
	long n = tap_cases(1000);
	Batch batch;
	long i;

	tap_begin("%s: %ld arrays of mixed lengths, whole and in segments",
			  batch_mode_name(mode), n);
	batch_init_scan(&batch, mode);
	batch.mpfr_one_in = 59;
	for (i = 0; i < n; i++)
	{
		batch_add_random(&batch, rng, mixed_length(rng), BATCH_PACKED,
						 BATCH_PACKED);
		if (rng_chance(rng, 3))
			batch_add_segments(&batch, rng, batch.n_arrays - 1);
	}
	batch_check_scans(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

static void
test_tiny(Rng *rng, int mode)
{
	long n = tap_cases(4000);
	Batch batch;
	long i;

	tap_begin("%s: %ld tiny arrays", batch_mode_name(mode), n);
	batch_init_scan(&batch, mode);
	batch.mpfr_one_in = 9;
	for (i = 0; i < n; i++)
	{
		batch_add_random(&batch, rng, rng_below(rng, TINY_LENGTH), BATCH_PACKED,
						 BATCH_PACKED);
		if (rng_chance(rng, 20))
			batch_add_segments(&batch, rng, batch.n_arrays - 1);
	}
	batch_check_scans(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

/* Empty arrays, with something before them or not. */
static void
test_empty(int mode)
{
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	GaIntSum int_sum = {0};
	Batch batch;
	int i;

	tap_begin("%s: empty arrays", batch_mode_name(mode));
	batch_init_scan(&batch, mode);
	batch_check_scans(&rig, &batch);
	(void) ga_exact_sum_add(sum, 0.1);
	ga_int_sum_add(&int_sum, 7, 1);
	for (i = 0; i < 10; i++)
	{
		batch_add(&batch, "nothing", 0, BATCH_PACKED, BATCH_PACKED);
		if (i % 2 == 0)
			continue;
		if (ga_element_is_float(batch.type))
			batch_before_float(&batch, sum);
		else
			batch_before_int(&batch, &int_sum);
	}
	batch_check_scans(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

/* Segments of one element or few. */
static void
test_single_elements(Rng *rng, int mode)
{
	Batch batch;
	int i;

	tap_begin("%s: segments of a few elements", batch_mode_name(mode));
	batch_init_scan(&batch, mode);
	batch.mpfr_one_in = 3;
	for (i = 0; i < 100; i++)
	{
		batch_add_random(&batch, rng, rng_below(rng, 30), BATCH_PACKED,
						 BATCH_PACKED);
		batch_add_segments(&batch, rng, batch.n_arrays - 1);
	}
	batch_check_scans(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

int
main(void)
{
	Rng rng = {44};
	int mode;

	rig_open(&rig);
	for (mode = 0; mode < SCAN_N_MODES; mode++)
	{
		test_mixed(&rng, mode);
		test_tiny(&rng, mode);
		test_empty(mode);
		test_single_elements(&rng, mode);
	}
	rig_close(&rig);
	return tap_done();
}
