/*
 * fuzz_device.c
 *		Random requests for sums and running totals.
 *
 * A case is an array; requests have up to thousands of them, and are done
 * until there were enough cases.  Each answer is compared with the CPU engine
 * bit by bit, a few with MPFR.
 */
#include "batch.h"
#include "fuzz.h"
#include "tap.h"

#define MOST_ELEMENTS 400000 /* in a request, about */

static Rig rig;
static Batch batch;

/* How long arrays are: tiny ones, short, of a few tiles, and very few long. */
static size_t
random_length(Rng *rng, int kind)
{
	if (rng_chance(rng, 4000))
		return rng_below(rng, 200000);
	if (rng_chance(rng, 200))
		return rng_below(rng, 20000);
	if (rng_chance(rng, 20))
		return rng_below(rng, 2500);
	return rng_below(rng, kind == 0 ? 6 : kind == 1 ? 40 : 130);
}

/* Bytes off a boundary that suit the size, or packed. */
static int
random_offset(Rng *rng, size_t size)
{
	return rng_chance(rng, 10) ? (int) (rng_below(rng, 33) * size) :
								 BATCH_PACKED;
}

/* Something before the last array that its own elements do not tell. */
static void
add_before(Rng *rng)
{
	char elements[20 * 8];
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	GaIntSum int_sum = {0};
	size_t n = rng_below(rng, 20);

	(void) elements_fill(batch.type, rng, n, elements);
	if (ga_element_is_float(batch.type))
	{
		elements_sum_float(batch.type, sum, elements, n);
		batch_before_float(&batch, sum);
	}
	else
	{
		int_sum.n = (int64_t) n;
		elements_sum_int(batch.type, &int_sum, elements, n);
		batch_before_int(&batch, &int_sum);
	}
}

/* One request; returns how many arrays it had. */
static uint32_t
try_request(uint64_t seed, uint64_t number)
{
	Rng rng = fuzz_rng(seed, number);
	int mode;
	bool scans;
	int kind;
	uint32_t most;

	mode = (int) rng_below(&rng, SCAN_N_MODES);
	scans = rng_chance(&rng, 2);
	kind = rng_between(&rng, 0, 2);
	most = (uint32_t) rng_below(&rng, rng_chance(&rng, 2) ? 50 : 4000) + 1;
	batch_clear(&batch);
	batch_set_mode(&batch, mode);
	batch.mpfr_one_in = 13;
	while (batch.n_arrays < most && batch.n_bytes / 8 < MOST_ELEMENTS)
	{
		size_t total_size = batch_total_size(&batch);

		batch_add_random(&batch, &rng, random_length(&rng, kind),
						 random_offset(&rng, ga_element_size(batch.type)),
						 random_offset(&rng, total_size < 8 ? total_size : 8));
		if (scans && rng_chance(&rng, 8))
			add_before(&rng);
		else if (scans && rng_chance(&rng, 12))
			batch_add_segments(&batch, &rng, batch.n_arrays - 1);
	}
	if (scans && rng_chance(&rng, 3))
	{
		batch_add_hints(&batch);
		batch_spoil_hints(&batch, &rng);
	}
	if (scans)
		(void) batch_check_scans(&rig, &batch);
	else
		batch_check_sums(&rig, &batch);
	if (tap_is_failing())
		tap_note("%s of %u arrays of %s", scans ? "running totals" : "sums",
				 (unsigned) batch.n_arrays, batch_mode_name(mode));
	most = batch.n_arrays;
	batch_clear(&batch);
	return most;
}

static void
note_device(void)
{
	GaDeviceInfo info;
	GaDeviceFailure failure = {.call = ""};

	rig_must(&rig, "describe", rig.kind->describe(rig.device, &info, &failure),
			 &failure);
	tap_note("on device %s: %s", rig.kind->name, info.name);
}

int
main(int argc, char **argv)
{
	static const Fuzz fuzz = {"arrays in random requests", "fuzz-device", 20000,
							  try_request};
	int status;

	rig_open(&rig);
	note_device();
	status = fuzz_main(&fuzz, argc, argv);
	batch_free(&batch);
	rig_close(&rig);
	return status;
}
