/*
 * test_sum_special.c
 *		A device's sums of floats: NaN, infinities, zeros, ends of the range,
 *		one element of trouble anywhere, and small ones before large ones.
 */
#include <math.h>

#include "running_families.h"
#include "specials.h"
#include "tap.h"

#define TROUBLE_LENGTH 9000
#define TROUBLE_BATCH  1000
#define SMALL_LENGTH   40000
#define LONG_BYTES	   (INT64_C(1) << 30)
#define QUICK_BYTES	   (INT64_C(1) << 22)

static Rig rig;

static void
test_specials(GaElementType type)
{
	Batch batch;

	tap_begin("%s: special values", ga_element_name(type));
	batch_init(&batch, type);
	batch.mpfr_one_in = 1;
	specials_add_all(&batch);
	batch_check_sums(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

/* The trouble is at each of the positions once. */
static void
test_trouble(Rng *rng, GaElementType type)
{
	size_t step = rig_is_quick() ? 97 : 1;
	Batch batch;
	size_t at;

	tap_begin("%s: one element of trouble at each position",
			  ga_element_name(type));
	batch_init(&batch, type);
	batch.mpfr_one_in = 100;
	for (at = 0; at < TROUBLE_LENGTH; at += step)
	{
		specials_add_trouble(&batch, rng, TROUBLE_LENGTH, at);
		if (batch.n_arrays < TROUBLE_BATCH && at + step < TROUBLE_LENGTH)
			continue;
		batch_check_sums(&rig, &batch);
		batch_clear(&batch);
	}
	batch_free(&batch);
	tap_end();
}

/* Each family, several times, at lengths of a few tiles. */
static void
test_families(Rng *rng, GaElementType type)
{
	Batch batch;
	int family;
	int i;

	tap_begin("%s: all families, longer", ga_element_name(type));
	batch_init(&batch, type);
	batch.mpfr_one_in = 3;
	for (family = 0; family < n_running_families(); family++)
	{
		for (i = 0; i < 4; i++)
			batch_add_family(&batch, rng, family, rng_below(rng, 40000));
	}
	batch_check_sums(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

/* Each power of two that there is, with the one that is so far below it. */
static void
test_pairs(GaElementType type)
{
	const FloatType *float_type = element_float_type(type);
	int distance = float_type->max - float_type->least;
	int step = rig_is_quick() ? 31 : type == GA_float8 ? 5 : 1;
	Batch batch;
	int below, e;

	tap_begin("%s: pairs of powers of two", ga_element_name(type));
	batch_init(&batch, type);
	for (below = 0; below <= distance; below += step)
	{
		for (e = float_type->least + below; e <= float_type->max; e += step)
		{
			double x[2] = {ldexp(1, e), -ldexp(1, e - below)};

			batch_add_doubles(&batch, "a pair", x, 2);
		}
	}
	batch_check_sums(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

/*
 * Arrays of a few tiles that begin with numbers so small that the high half of
 * a double has nothing of them.
 */
static void
test_small_first(Rng *rng, GaElementType type)
{
	static double x[SMALL_LENGTH];
	const double least = ldexp(1, element_float_type(type)->least);
	Batch batch;
	size_t n_small;
	size_t i;

	tap_begin("%s: the smallest numbers first", ga_element_name(type));
	batch_init(&batch, type);
	batch.mpfr_one_in = 1;
	for (n_small = 500; n_small < SMALL_LENGTH; n_small += 900)
	{
		for (i = 0; i < SMALL_LENGTH; i++)
		{
			x[i] = rng_between(rng, 1, 1000);
			if (i < n_small)
				x[i] *= least;
		}
		batch_add_doubles(&batch, "the smallest first", x, SMALL_LENGTH);
	}
	batch_check_sums(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

/*
 * A very long array whose first tiles are of numbers from 1 to 2, and the rest
 * from 4 to 8.  What is good for the first ones will just do for the others,
 * and then the integers that tiles are summed in become as large as may be.
 */
static void
test_larger_later(Rng *rng, GaElementType type)
{
	const bool is_quick = rig_is_quick() || rig_is_emulated();
	const size_t n =
		(is_quick ? QUICK_BYTES : LONG_BYTES) / ga_element_size(type);
	const size_t n_first = is_quick ? 10000 : (size_t) 1 << 21;
	Batch batch;
	void *to;
	size_t i;

	tap_begin("%s: larger numbers later, %zu in all", ga_element_name(type), n);
	batch_init(&batch, type);
	to = batch_add(&batch, "larger later", n, 0, 0);
	for (i = 0; i < n; i++)
	{
		uint64_t bits = rng_next(rng);
		uint32_t half = (uint32_t) (bits >> 41);

		if (type == GA_float8)
		{
			bits = bits >> 12 | (uint64_t) (i < n_first ? 0x3ff : 0x401) << 52;
			memcpy((char *) to + 8 * i, &bits, 8);
		}
		else
		{
			half |= (uint32_t) (i < n_first ? 0x7f : 0x81) << 23;
			memcpy((char *) to + 4 * i, &half, 4);
		}
	}
	/* alone in its request: chunks are as long as may be */
	batch_check_sums(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

int
main(void)
{
	Rng rng = {32};
	int type;

	rig_open(&rig);
	for (type = GA_float4; type <= GA_float8; type++)
	{
		test_specials((GaElementType) type);
		test_trouble(&rng, (GaElementType) type);
		test_families(&rng, (GaElementType) type);
		test_pairs((GaElementType) type);
		test_small_first(&rng, (GaElementType) type);
		test_larger_later(&rng, (GaElementType) type);
	}
	rig_close(&rig);
	return tap_done();
}
