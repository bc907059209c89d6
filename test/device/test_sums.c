/*
 * test_sums.c
 *		A device's sums: every length, many sizes, every alignment.
 */
#include "batch.h"
#include "tap.h"

#define ALL_LENGTHS	  5000
#define LARGEST_POWER 26
#define QUICK_POWER	  20
#define OFFSETS		  16 /* elements off a boundary */

static Rig rig;

/* All lengths from 0 on in one request; each type has all the families. */
static void
test_lengths(Rng *rng, GaElementType type)
{
	size_t step = rig_is_quick() ? 23 : 1;
	Batch batch;
	size_t n;

	tap_begin("%s: every length to %d", ga_element_name(type), ALL_LENGTHS);
	batch_init(&batch, type);
	batch.mpfr_one_in = tap_is_long() ? 1 : 4;
	for (n = 0; n <= ALL_LENGTHS; n += n < 300 ? 1 : step)
		batch_add_family(&batch, rng, (int) n, n);
	batch_check_sums(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

/* Each in a request of its own. */
static void
test_single(Rng *rng, GaElementType type)
{
	Batch batch;
	size_t n;

	tap_begin("%s: one array to the request", ga_element_name(type));
	batch_init(&batch, type);
	batch.mpfr_one_in = 1;
	for (n = 0; n <= ALL_LENGTHS; n += n < 300 ? 1 : 97)
	{
		batch_clear(&batch);
		batch_add_random(&batch, rng, n, BATCH_PACKED, BATCH_PACKED);
		batch_check_sums(&rig, &batch);
	}
	batch_free(&batch);
	tap_end();
}

/* 2^k - 1, 2^k, 2^k + 1 of the same elements, in one request. */
static void
test_powers(Rng *rng, GaElementType type)
{
	int largest = rig_is_quick() ? QUICK_POWER : LARGEST_POWER;
	size_t n = ((size_t) 1 << largest) + 1;
	Batch batch;
	int k, off;

	tap_begin("%s: powers of two to 2^%d", ga_element_name(type), largest);
	batch_init(&batch, type);
	batch.mpfr_one_in = tap_is_long() ? 3 : 31;
	elements_fill_fast(type, rng, n, batch_add(&batch, "plain", n, 0, 0));
	for (k = largest; k >= 0; k--)
	{
		for (off = -1; off <= 1; off++)
			batch_add_part(&batch, 0, 0, ((size_t) 1 << k) + off);
	}
	batch_check_sums(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

/* Every offset with every length up to some, and with a few longer ones. */
static void
test_offsets(Rng *rng, GaElementType type)
{
	int size = (int) ga_element_size(type);
	Batch batch;
	int offset;
	size_t n;

	tap_begin("%s: every alignment", ga_element_name(type));
	batch_init(&batch, type);
	batch.mpfr_one_in = 7;
	for (offset = 0; offset <= OFFSETS; offset++)
	{
		for (n = 0; n <= 9000; n += n < 70 ? 1 : n < 600 ? 31 : 2100)
			batch_add_random(&batch, rng, n, offset * size, BATCH_PACKED);
	}
	batch_check_sums(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

int
main(void)
{
	Rng rng = {31};
	int type;

	rig_open(&rig);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		test_lengths(&rng, (GaElementType) type);
		test_single(&rng, (GaElementType) type);
		test_powers(&rng, (GaElementType) type);
		test_offsets(&rng, (GaElementType) type);
	}
	rig_close(&rig);
	return tap_done();
}
