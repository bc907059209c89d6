/*
 * test_scan_hint.c
 *		What a device says of an array's running totals, said to it the next
 *		time: it does right at once; and whatever is said, the bits are the
 *		same.
 */
#include <stdlib.h>

#include "batch.h"
#include "tap.h"

#define MAX_LENGTH 12000
#define ROUNDS	   6 /* of wrong hints */

static Rig rig;

/* All families, at lengths on both sides of what one warp does. */
static void
fill(Batch *batch, Rng *rng, int mode)
{
	int i;

	batch_init_scan(batch, mode);
	for (i = 0; i < 3 * n_families; i++)
	{
		batch_add_family(batch, rng, i,
						 i % 3 == 0 ? rng_below(rng, 2049) :
									  rng_below(rng, MAX_LENGTH));
		if (i % 5 == 0)
			batch_add_segments(batch, rng, batch->n_arrays - 1);
	}
	batch_add_hints(batch);
}

/* Do as it was said: nothing is refused, and the device says the same. */
static void
check_known(const Batch *batch)
{
	size_t n_bytes = batch->n_arrays * sizeof(GaScanHint);
	GaScanHint *said = malloc(n_bytes);
	uint32_t n_refused;

	memcpy(said, batch->hints, n_bytes);
	n_refused = batch_check_scans(&rig, batch);
	tap_check(n_refused == 0, "%u scales were refused, that were known to do",
			  (unsigned) n_refused);
	tap_check(memcmp(said, batch->hints, n_bytes) == 0,
			  "the second time, it says something else");
	free(said);
}

/*
 * Each array has been seen, and a device that is told nothing has to find out
 * the hard way for some of these.
 */
static void
test_known(Rng *rng, int mode)
{
	Batch batch;
	uint32_t n_refused;

	tap_begin("%s: known the second time", batch_mode_name(mode));
	fill(&batch, rng, mode);
	n_refused = batch_check_scans(&rig, &batch);
	tap_check(n_refused > 0, "nothing was refused at first");
	check_known(&batch);
	batch_free(&batch);
	tap_end();
}

/* Grids that there are not, and those of other arrays, or of no use. */
static void
test_wrong(Rng *rng, int mode)
{
	long n = tap_cases(ROUNDS);
	Batch batch;
	uint32_t n_refused = 0;

	tap_begin("%s: wrong hints, %ld times", batch_mode_name(mode), n);
	fill(&batch, rng, mode);
	(void) batch_check_scans(&rig, &batch);
	while (n-- > 0)
	{
		batch_spoil_hints(&batch, rng);
		n_refused += batch_check_scans(&rig, &batch);
		check_known(&batch);
	}
	tap_check(n_refused > 0, "none of them was wrong");
	batch_free(&batch);
	tap_end();
}

/* Integers have no scales. */
static void
test_ints(Rng *rng, int mode)
{
	Batch batch;
	uint32_t i;

	tap_begin("%s: hints mean nothing", batch_mode_name(mode));
	fill(&batch, rng, mode);
	batch_spoil_hints(&batch, rng);
	tap_check(batch_check_scans(&rig, &batch) == 0, "scales were refused");
	for (i = 0; i < batch.n_arrays; i++)
		tap_check(batch.hints[i].n_levels == 0 && batch.hints[i].unit == 0,
				  "array %u has a scale", (unsigned) i);
	batch_free(&batch);
	tap_end();
}

int
main(void)
{
	Rng rng = {47};
	int mode;

	rig_open(&rig);
	for (mode = 0; mode < SCAN_N_MODES; mode++)
	{
		if (mode != GA_float4 && mode != GA_float8)
		{
			test_ints(&rng, mode);
			continue;
		}
		test_known(&rng, mode);
		test_wrong(&rng, mode);
	}
	rig_close(&rig);
	return tap_done();
}
