/*
 * fuzz_device.c
 *		Random requests for sums and running totals.
 *
 * A case is an array; requests have up to thousands of them, and are done
 * until there were enough cases.  Each answer is compared with the CPU engine
 * bit by bit, a few with MPFR.
 */
#include "array_set.h"
#include "fuzz.h"
#include "tap.h"

#define MOST_ELEMENTS 400000 /* in a request, about */

static Fixture fixture;
static ArraySet set;

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
								 ARRAY_SET_PACKED;
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

	(void) elements_fill(set.type, rng, n, elements);
	if (ga_element_is_float(set.type))
	{
		elements_sum_float(set.type, sum, elements, n);
		array_set_before_float(&set, sum);
	}
	else
	{
		int_sum.n = (int64_t) n;
		elements_sum_int(set.type, &int_sum, elements, n);
		array_set_before_int(&set, &int_sum);
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
	array_set_clear(&set);
	array_set_set_mode(&set, mode);
	set.mpfr_one_in = 13;
	while (set.n_arrays < most && set.n_bytes / 8 < MOST_ELEMENTS)
	{
		size_t total_size = array_set_total_size(&set);

		array_set_add_random(
			&set, &rng, random_length(&rng, kind),
			random_offset(&rng, ga_element_size(set.type)),
			random_offset(&rng, total_size < 8 ? total_size : 8));
		if (scans && rng_chance(&rng, 8))
			add_before(&rng);
		else if (scans && rng_chance(&rng, 12))
			array_set_add_segments(&set, &rng, set.n_arrays - 1);
	}
	if (scans && rng_chance(&rng, 3))
	{
		array_set_add_hints(&set);
		array_set_spoil_hints(&set, &rng);
	}
	if (scans)
		(void) array_set_check_scans(&fixture, &set);
	else
		array_set_check_sums(&fixture, &set);
	if (tap_is_failing())
		tap_note("%s of %u arrays of %s", scans ? "running totals" : "sums",
				 (unsigned) set.n_arrays, array_set_mode_name(mode));
	most = set.n_arrays;
	array_set_clear(&set);
	return most;
}

static void
note_device(void)
{
	GaDeviceInfo info;
	GaDeviceFailure failure = {.call = ""};

	fixture_must(&fixture, "describe",
				 fixture.kind->describe(fixture.device, &info, &failure),
				 &failure);
	tap_note("on device %s: %s", fixture.kind->name, info.name);
}

int
main(int argc, char **argv)
{
	static const Fuzz fuzz = {"arrays in random requests", "fuzz-device", 20000,
							  try_request};
	int status;

	fixture_open(&fixture);
	note_device();
	status = fuzz_main(&fuzz, argc, argv);
	array_set_free(&set);
	fixture_close(&fixture);
	return status;
}
