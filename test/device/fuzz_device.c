/*
 * fuzz_device.c
 *		Random requests for sums and running totals, as many as one likes.
 *
 *		fuzz_device [cases [seed [first]]]
 *
 * A case is an array; requests have up to thousands of them, and are done
 * until there were enough cases.  Each answer is compared with the CPU engine
 * bit by bit, a few with MPFR.  A request depends on the seed and its number
 * alone, so that one that failed can be repeated by itself: one case, the
 * seed, its number.  A seed of "time" is taken from the clock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "batch.h"
#include "tap.h"

#define DEFAULT_CASES		  20000
#define DEFAULT_SEED		  1
#define MOST_ELEMENTS		  400000 /* in a request, about */
#define SECONDS_BETWEEN_NOTES 10

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
	Rng rng = {seed};
	int mode;
	bool scans;
	int kind;
	uint32_t most;

	rng.state = rng_next(&rng) + number;
	rng.state = rng_next(&rng);
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
			batch_add_pieces(&batch, &rng, batch.n_arrays - 1);
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
	uint64_t cases = argc > 1 ? strtoull(argv[1], NULL, 10) :
								(uint64_t) tap_cases(DEFAULT_CASES);
	uint64_t seed = argc <= 2					 ? DEFAULT_SEED :
					strcmp(argv[2], "time") == 0 ? (uint64_t) time(NULL) :
												   strtoull(argv[2], NULL, 10);
	uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	time_t noted = time(NULL);
	uint64_t done = 0;
	uint64_t i;

	rig_open(&rig);
	note_device();
	tap_note("seed %llu", (unsigned long long) seed);
	tap_begin("%llu arrays in random requests, seed %llu",
			  (unsigned long long) cases, (unsigned long long) seed);
	for (i = first; done < cases && !tap_is_failing(); i++)
	{
		done += try_request(seed, i);
		if (time(NULL) >= noted + SECONDS_BETWEEN_NOTES)
		{
			noted = time(NULL);
			tap_note("%llu arrays in %llu requests, seed %llu, no wrong bit",
					 (unsigned long long) done,
					 (unsigned long long) (i + 1 - first),
					 (unsigned long long) seed);
		}
	}
	if (tap_is_failing())
		tap_note("to repeat it: make fuzz-device CASES=1 SEED=%llu FIRST=%llu",
				 (unsigned long long) seed, (unsigned long long) i - 1);
	else
		tap_note("%llu arrays in %llu requests", (unsigned long long) done,
				 (unsigned long long) (i - first));
	tap_end();
	batch_free(&batch);
	rig_close(&rig);
	return tap_done();
}
