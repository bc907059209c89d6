/*
 * test_scan_batch.c
 *		A device's running totals of many arrays in one request, and of arrays
 *		that come in pieces.
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

/* Whole arrays among pieces of others. */
static void
test_mixed(Rng *rng, int mode)
{
	long n = tap_cases(3000);
	Batch batch;
	long i;

	tap_begin("%s: %ld arrays of mixed lengths, whole and in pieces",
			  batch_mode_name(mode), n);
	batch_init_scan(&batch, mode);
	batch.mpfr_one_in = 59;
	for (i = 0; i < n; i++)
	{
		batch_add_random(&batch, rng, mixed_length(rng), BATCH_PACKED,
						 BATCH_PACKED);
		if (rng_chance(rng, 3))
			batch_add_pieces(&batch, rng, batch.n_arrays - 1);
	}
	batch_check_scans(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

static void
test_tiny(Rng *rng, int mode)
{
	long n = tap_cases(100000);
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
			batch_add_pieces(&batch, rng, batch.n_arrays - 1);
	}
	batch_check_scans(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

/* Nothing but empty arrays, and no array at all. */
static void
test_empty(int mode)
{
	Batch batch;
	int i;

	tap_begin("%s: empty arrays", batch_mode_name(mode));
	batch_init_scan(&batch, mode);
	batch_check_scans(&rig, &batch);
	for (i = 0; i < 1000; i++)
		batch_add(&batch, "nothing", 0, BATCH_PACKED, BATCH_PACKED);
	batch_check_scans(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

/* Each element is a piece. */
static void
test_single_elements(Rng *rng, int mode)
{
	Batch batch;
	int i;

	tap_begin("%s: pieces of a few elements", batch_mode_name(mode));
	batch_init_scan(&batch, mode);
	batch.mpfr_one_in = 3;
	for (i = 0; i < 100; i++)
	{
		batch_add_random(&batch, rng, rng_below(rng, 30), BATCH_PACKED,
						 BATCH_PACKED);
		batch_add_pieces(&batch, rng, batch.n_arrays - 1);
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
