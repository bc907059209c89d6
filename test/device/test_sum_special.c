/*
 * test_sum_special.c
 *		A device's sums of floats: NaN, infinities, zeros, ends of the range,
 *		and one element of trouble anywhere.
 */
#include <math.h>

#include "running_families.h"
#include "specials.h"
#include "tap.h"

#define TROUBLE_LENGTH	9000
#define TROUBLE_BATCH	1000

static Rig	rig;

static void
test_specials(GaElementType type)
{
	Batch		batch;

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
	size_t		step = rig_is_quick() ? 97 : 1;
	Batch		batch;
	size_t		at;

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
	Batch		batch;
	int			family;
	int			i;

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
	int			distance = float_type->max - float_type->least;
	int			step = rig_is_quick() ? 31 : type == GA_float8 ? 5 : 1;
	Batch		batch;
	int			below,
				e;

	tap_begin("%s: pairs of powers of two", ga_element_name(type));
	batch_init(&batch, type);
	for (below = 0; below <= distance; below += step)
	{
		for (e = float_type->least + below; e <= float_type->max; e += step)
		{
			double		x[2] = {ldexp(1, e), -ldexp(1, e - below)};

			batch_add_doubles(&batch, "a pair", x, 2);
		}
	}
	batch_check_sums(&rig, &batch);
	batch_free(&batch);
	tap_end();
}

int
main(void)
{
	Rng			rng = {32};
	int			type;

	rig_open(&rig);
	for (type = GA_float4; type <= GA_float8; type++)
	{
		test_specials((GaElementType) type);
		test_trouble(&rng, (GaElementType) type);
		test_families(&rng, (GaElementType) type);
		test_pairs((GaElementType) type);
	}
	rig_close(&rig);
	return tap_done();
}
