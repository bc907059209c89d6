/*
 * test_scans.c
 *		A device's running totals: every length, many sizes, every alignment
 *		of input and output.
 */
#include "batch.h"
#include "tap.h"

#define ALL_LENGTHS	   5000
#define LARGEST_POWER  26
#define QUICK_POWER	   18
#define TOGETHER_POWER 18 /* up to here in one batch */
#define AROUND_POWER   22 /* up to here one less and one more, too */
#define MPFR_POWER	   23 /* up to here with MPFR, too */
#define FEW_POWER	   20 /* ... in the short form */
#define OFFSETS		   16 /* elements off a boundary */

static Rig rig;

static void
test_lengths(Rng *rng, int mode)
{
	size_t step = rig_is_quick() ? 23 : 1;
	Batch batch;
	size_t n;

	tap_begin("%s: every length to %d", batch_mode_name(mode), ALL_LENGTHS);
	batch_init_scan(&batch, mode);
	batch.mpfr_one_in = tap_is_long() ? 1 : 29;
	for (n = 0; n <= ALL_LENGTHS; n += n < 300 ? 1 : step)
		batch_add_family(&batch, rng, (int) n, n);
	batch_check_scans(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

/*
 * 2^k - 1, 2^k, 2^k + 1 elements of the batch's first array, each by itself; in
 * the short form of large ones only the last.
 */
static void
check_around(Batch *batch, int k)
{
	int mpfr_power = tap_is_long() ? MPFR_POWER : FEW_POWER;
	int off;

	batch->n_arrays = 1;
	for (off = tap_is_long() || k <= AROUND_POWER ? -1 : 1; off <= 1; off++)
	{
		BatchArray *array = &batch->arrays[0];

		array->n = ((size_t) 1 << k) + off;
		batch->n_bytes = array->at + array->n * ga_element_size(batch->type);
		batch->out_bytes = array->n * batch_total_size(batch);
		batch->mpfr_one_in = k <= mpfr_power && off > 0;
		batch_check_scans(&rig, batch);
	}
}

/*
 * 2^k - 1, 2^k, 2^k + 1 of the same elements: the small ones in one batch, each
 * large one in a batch of its own.
 */
static void
test_powers(Rng *rng, int mode)
{
	int largest = rig_is_quick() ? QUICK_POWER : LARGEST_POWER;
	size_t n = ((size_t) 1 << largest) + 1;
	Batch batch;
	int k, off;

	tap_begin("%s: powers of two to 2^%d", batch_mode_name(mode), largest);
	batch_init_scan(&batch, mode);
	elements_fill_fast(batch.type, rng, n, batch_add(&batch, "plain", n, 0, 0));
	batch.arrays[0].n = 0;
	batch.arrays[0].out_at = 0;
	batch.out_bytes = 0;
	batch.mpfr_one_in = 3;
	for (k = 0; k <= TOGETHER_POWER; k++)
	{
		for (off = -1; off <= 1; off++)
			batch_add_part(&batch, 0, 0, ((size_t) 1 << k) + off);
	}
	batch_check_scans(&rig, &batch);
	for (k = TOGETHER_POWER; k <= largest; k++)
		check_around(&batch, k);
	batch_free(&batch);
	tap_end();
}

static void
test_offsets(Rng *rng, int mode)
{
	Batch batch;
	int in;
	int out;
	int n;

	tap_begin("%s: every alignment of input and output", batch_mode_name(mode));
	batch_init_scan(&batch, mode);
	batch.mpfr_one_in = 19;
	for (in = 0; in <= OFFSETS; in++)
	{
		for (out = 0; out <= OFFSETS; out++)
		{
			int in_size = (int) ga_element_size(batch.type);
			int out_size = (int) batch_total_size(&batch);

			out_size = out_size < 8 ? out_size : 8;
			for (n = 0; n <= 3000; n += n < 5 ? 1 : n < 100 ? 37 : 1300)
				batch_add_random(&batch, rng, (size_t) n, in * in_size,
								 out * out_size);
		}
	}
	batch_check_scans(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

int
main(void)
{
	Rng rng = {41};
	int mode;

	rig_open(&rig);
	for (mode = 0; mode < SCAN_N_MODES; mode++)
	{
		test_lengths(&rng, mode);
		test_powers(&rng, mode);
		test_offsets(&rng, mode);
	}
	rig_close(&rig);
	return tap_done();
}
