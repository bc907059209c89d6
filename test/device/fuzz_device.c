/*
 * fuzz_device.c
 *		Random requests for sums, other reductions, running totals and sums by
 *		position.
 *
 * A case is an array, plain or packed; requests have up to thousands of them,
 * and are done until there were enough cases.  Each answer is compared with the
 * CPU engine bit by bit, a few with MPFR.
 */
#include <stdlib.h>

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

/* Reduce the set, with any number of its arrays in each result. */
static void
try_reduction(Rng *rng)
{
	const GaReduction reduction =
		(GaReduction) rng_between(rng, GA_REDUCE_MIN, GA_N_REDUCTIONS - 1);
	const int most = rng_chance(rng, 2) ? 1 : rng_between(rng, 1, 50);
	uint32_t *n_parts_of = malloc((set.n_arrays + 1) * sizeof(*n_parts_of));
	uint32_t n_left = set.n_arrays;
	uint32_t n;

	for (n = 0; n_left > 0; n++)
	{
		n_parts_of[n] = (uint32_t) rng_between(rng, 1, most);
		if (n_parts_of[n] > n_left)
			n_parts_of[n] = n_left;
		n_left -= n_parts_of[n];
	}
	(void) array_set_check_reduction(&fixture, &set, reduction, n_parts_of, n);
	free(n_parts_of);
}

/* Fill the set with arrays in pieces, and add them position by position. */
static void
try_elem(Rng *rng)
{
	const uint32_t n_arrays =
		(uint32_t) rng_between(rng, 1, rng_chance(rng, 4) ? 3000 : 100);
	int n_pieces = rng_chance(rng, 2) ? 1 : rng_between(rng, 2, 9);

	for (; n_pieces > 0 && set.n_bytes / 8 < MOST_ELEMENTS; n_pieces--)
	{
		const size_t n = rng_below(rng, MOST_ELEMENTS / n_arrays / 2) + 1;

		array_set_add_piece(&set, n_arrays, n >> rng_below(rng, 8) | 1,
							random_offset(rng, ga_element_size(set.type)));
	}
	array_set_fill_columns(&set, rng, n_arrays);
	(void) array_set_check_elem(&fixture, &set, n_arrays);
}

/* What a request is for. */
typedef enum Purpose
{
	FOR_SCANS = 0,
	FOR_SUMS,
	FOR_REDUCTION,
	FOR_ELEM,
	N_PURPOSES
} Purpose;

/* Fill the set with arrays for one request. */
static void
fill_set(Rng *rng, bool scans)
{
	const int kind = rng_between(rng, 0, 2);
	const uint32_t most =
		(uint32_t) rng_below(rng, rng_chance(rng, 2) ? 50 : 4000) + 1;

	while (set.n_arrays < most && set.n_bytes / 8 < MOST_ELEMENTS)
	{
		size_t total_size = array_set_total_size(&set);

		array_set_add_random(
			&set, rng, random_length(rng, kind),
			random_offset(rng, ga_element_size(set.type)),
			random_offset(rng, total_size < 8 ? total_size : 8));
		if (scans && rng_chance(rng, 8))
			add_before(rng);
		else if (scans && rng_chance(rng, 12))
			array_set_add_segments(&set, rng, set.n_arrays - 1);
	}
	if (scans && rng_chance(rng, 3))
	{
		array_set_add_hints(&set);
		array_set_spoil_hints(&set, rng);
	}
}

/* One request; returns how many arrays it had. */
static uint32_t
try_request(uint64_t seed, uint64_t number)
{
	static const char *const purposes[N_PURPOSES] = {
		"running totals", "sums", "a reduction", "sums by position"};
	Rng rng = fuzz_rng(seed, number);
	const int mode = (int) rng_below(&rng, SCAN_N_MODES);
	const Purpose purpose = (Purpose) rng_below(&rng, N_PURPOSES);
	uint32_t n;

	array_set_clear(&set);
	array_set_set_mode(&set, mode);
	set.mpfr_one_in = 13;
	set.is_packed = rng_chance(&rng, 3);
	if (purpose != FOR_ELEM)
		fill_set(&rng, purpose == FOR_SCANS);
	if (purpose == FOR_SCANS)
		(void) array_set_check_scans(&fixture, &set);
	else if (purpose == FOR_SUMS)
		array_set_check_sums(&fixture, &set);
	else if (purpose == FOR_REDUCTION)
		try_reduction(&rng);
	else
		try_elem(&rng);
	if (tap_is_failing())
		tap_note("%s of %u arrays of %s, %s", purposes[purpose],
				 (unsigned) set.n_arrays, array_set_mode_name(mode),
				 set.is_packed ? "packed" : "plain");
	n = set.n_arrays;
	array_set_clear(&set);
	return n;
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
