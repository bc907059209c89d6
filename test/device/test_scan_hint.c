/*
 * test_scan_hint.c
 *		What a device says of an array's running totals, said to it the next
 *		time: it does right at once; and whatever is said, the bits are the
 *		same.
 */
#include <stdlib.h>

#include "array_set.h"
#include "tap.h"

#define MAX_LENGTH 12000
#define ROUNDS	   6 /* of wrong hints */

static Fixture fixture;

/* All families, at lengths on both sides of what one warp does. */
static void
fill(ArraySet *set, Rng *rng, int mode)
{
	const int n = tap_one_in() > 1 ? n_families : 3 * n_families;
	const size_t most = tap_one_in() > 1 ? MAX_LENGTH / 2 : MAX_LENGTH;
	int i;

	array_set_init_scan(set, mode);
	for (i = 0; i < n; i++)
	{
		array_set_add_family(set, rng, i,
							 i % 3 == 0 ? rng_below(rng, 2049) :
										  rng_below(rng, most));
		if (i % 5 == 0)
			array_set_add_segments(set, rng, set->n_arrays - 1);
	}
	array_set_add_hints(set);
}

/* Do as it was said: nothing is refused, and the device says the same. */
static void
check_known(const ArraySet *set)
{
	size_t n_bytes = set->n_arrays * sizeof(GaScanHint);
	GaScanHint *said = malloc(n_bytes);
	uint32_t n_refused;

	memcpy(said, set->hints, n_bytes);
	n_refused = array_set_check_scans(&fixture, set);
	tap_check(n_refused == 0, "%u scales were refused, that were known to do",
			  (unsigned) n_refused);
	tap_check(memcmp(said, set->hints, n_bytes) == 0,
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
	ArraySet set;
	uint32_t n_refused;

	tap_begin("%s: known the second time", array_set_mode_name(mode));
	fill(&set, rng, mode);
	n_refused = array_set_check_scans(&fixture, &set);
	tap_check(n_refused > 0, "nothing was refused at first");
	check_known(&set);
	array_set_free(&set);
	tap_end();
}

/* Grids that there are not, and those of other arrays, or of no use. */
static void
test_wrong(Rng *rng, int mode)
{
	long n = tap_cases(ROUNDS);
	ArraySet set;
	uint32_t n_refused = 0;

	tap_begin("%s: wrong hints, %ld times", array_set_mode_name(mode), n);
	fill(&set, rng, mode);
	(void) array_set_check_scans(&fixture, &set);
	while (n-- > 0)
	{
		array_set_spoil_hints(&set, rng);
		n_refused += array_set_check_scans(&fixture, &set);
		check_known(&set);
	}
	tap_check(n_refused > 0, "none of them was wrong");
	array_set_free(&set);
	tap_end();
}

/* Integers have no scales. */
static void
test_ints(Rng *rng, int mode)
{
	ArraySet set;
	uint32_t i;

	tap_begin("%s: hints mean nothing", array_set_mode_name(mode));
	fill(&set, rng, mode);
	array_set_spoil_hints(&set, rng);
	tap_check(array_set_check_scans(&fixture, &set) == 0,
			  "scales were refused");
	for (i = 0; i < set.n_arrays; i++)
		tap_check(set.hints[i].n_levels == 0 && set.hints[i].unit == 0,
				  "array %u has a scale", (unsigned) i);
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {47};
	int mode;

	fixture_open(&fixture);
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
	fixture_close(&fixture);
	return tap_done();
}
