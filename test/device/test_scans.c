/*
 * test_scans.c
 *		A device's running totals: every length, many sizes, every alignment
 *		of input and output.
 */
#include "array_set.h"
#include "tap.h"

#define ALL_LENGTHS	   5000
#define LARGEST_POWER  26
#define QUICK_POWER	   18
#define TOGETHER_POWER 18 /* up to here in one set */
#define AROUND_POWER   22 /* up to here one less and one more, too */
#define MPFR_POWER	   23 /* up to here with MPFR, too */
#define FEW_POWER	   20 /* ... in the short form */
#define OFFSETS		   16 /* elements off a boundary */

static Fixture fixture;

static void
test_lengths(Rng *rng, int mode)
{
	size_t step = fixture_is_quick() ? 23 : 1;
	ArraySet set;
	size_t n;

	tap_begin("%s: every length to %d", array_set_mode_name(mode), ALL_LENGTHS);
	array_set_init_scan(&set, mode);
	set.mpfr_one_in = tap_is_long() ? 1 : 29;
	for (n = 0; n <= ALL_LENGTHS; n += n < 300 ? 1 : step)
		array_set_add_family(&set, rng, (int) n, n);
	array_set_check_scans(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/*
 * 2^k - 1, 2^k, 2^k + 1 elements of the set's first array, each by itself; in
 * the short form of large ones only the last.
 */
static void
check_around(ArraySet *set, int k)
{
	int mpfr_power = tap_is_long() ? MPFR_POWER : FEW_POWER;
	int off;

	set->n_arrays = 1;
	for (off = tap_is_long() || k <= AROUND_POWER ? -1 : 1; off <= 1; off++)
	{
		ArraySetMember *array = &set->arrays[0];

		array->n = ((size_t) 1 << k) + off;
		set->n_bytes = array->at + array->n * ga_element_size(set->type);
		set->out_bytes = array->n * array_set_total_size(set);
		set->mpfr_one_in = k <= mpfr_power && off > 0;
		array_set_check_scans(&fixture, set);
	}
}

/*
 * 2^k - 1, 2^k, 2^k + 1 of the same elements: the small ones in one set, each
 * large one in a set of its own.
 */
static void
test_powers(Rng *rng, int mode)
{
	int largest = fixture_is_quick() ? QUICK_POWER : LARGEST_POWER;
	size_t n = ((size_t) 1 << largest) + 1;
	ArraySet set;
	int k, off;

	tap_begin("%s: powers of two to 2^%d", array_set_mode_name(mode), largest);
	array_set_init_scan(&set, mode);
	elements_fill_fast(set.type, rng, n, array_set_add(&set, "plain", n, 0, 0));
	set.arrays[0].n = 0;
	set.arrays[0].out_at = 0;
	set.out_bytes = 0;
	set.mpfr_one_in = 3;
	for (k = 0; k <= TOGETHER_POWER; k++)
	{
		for (off = -1; off <= 1; off++)
			array_set_add_part(&set, 0, 0, ((size_t) 1 << k) + off);
	}
	array_set_check_scans(&fixture, &set);
	for (k = TOGETHER_POWER; k <= largest; k++)
		check_around(&set, k);
	array_set_free(&set);
	tap_end();
}

static void
test_offsets(Rng *rng, int mode)
{
	ArraySet set;
	int in;
	int out;
	int n;

	tap_begin("%s: every alignment of input and output",
			  array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	set.mpfr_one_in = 19;
	for (in = 0; in <= OFFSETS; in++)
	{
		for (out = 0; out <= OFFSETS; out++)
		{
			int in_size = (int) ga_element_size(set.type);
			int out_size = (int) array_set_total_size(&set);

			out_size = out_size < 8 ? out_size : 8;
			for (n = 0; n <= 3000; n += n < 5 ? 1 : n < 100 ? 37 : 1300)
				array_set_add_random(&set, rng, (size_t) n, in * in_size,
									 out * out_size);
		}
	}
	array_set_check_scans(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {41};
	int mode;

	fixture_open(&fixture);
	for (mode = 0; mode < SCAN_N_MODES; mode++)
	{
		test_lengths(&rng, mode);
		test_powers(&rng, mode);
		test_offsets(&rng, mode);
	}
	fixture_close(&fixture);
	return tap_done();
}
