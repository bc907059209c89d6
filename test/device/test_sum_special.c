/*
 * test_sum_special.c
 *		A device's sums of floats: NaN, infinities, zeros, ends of the range,
 *		one element of trouble anywhere, and small ones before large ones.
 */
#include <math.h>

#include "specials.h"
#include "tap.h"

#define SMALL_LENGTH 40000
#define LONG_BYTES	 (INT64_C(1) << 30)
#define QUICK_BYTES	 (INT64_C(1) << 22)

static Fixture fixture;

/* Each power of two that there is, with the one that is so far below it. */
static void
test_pairs(GaElementType type)
{
	const FloatType *float_type = element_float_type(type);
	int distance = float_type->max - float_type->least;
	int step = fixture_is_quick() ? 31 : type == GA_float8 ? 5 : 1;
	ArraySet set;
	int below, e;

	tap_begin("%s: pairs of powers of two", ga_element_name(type));
	array_set_init(&set, type);
	for (below = 0; below <= distance; below += step)
	{
		for (e = float_type->least + below; e <= float_type->max; e += step)
		{
			double x[2] = {ldexp(1, e), -ldexp(1, e - below)};

			array_set_add_doubles(&set, "a pair", x, 2);
		}
	}
	array_set_check_sums(&fixture, &set);
	array_set_free(&set);
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
	ArraySet set;
	size_t n_small;
	size_t i;

	tap_begin("%s: the smallest numbers first", ga_element_name(type));
	array_set_init(&set, type);
	set.mpfr_one_in = 1;
	for (n_small = 500; n_small < SMALL_LENGTH; n_small += 900)
	{
		for (i = 0; i < SMALL_LENGTH; i++)
		{
			x[i] = rng_between(rng, 1, 1000);
			if (i < n_small)
				x[i] *= least;
		}
		array_set_add_doubles(&set, "the smallest first", x, SMALL_LENGTH);
	}
	array_set_check_sums(&fixture, &set);
	array_set_free(&set);
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
	const bool is_quick = fixture_is_quick() || fixture_is_emulated();
	const size_t n =
		(is_quick ? QUICK_BYTES : LONG_BYTES) / ga_element_size(type);
	const size_t n_first = is_quick ? 10000 : (size_t) 1 << 21;
	ArraySet set;
	void *to;
	size_t i;

	tap_begin("%s: larger numbers later, %zu in all", ga_element_name(type), n);
	array_set_init(&set, type);
	to = array_set_add(&set, "larger later", n, 0, 0);
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
	array_set_check_sums(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {32};
	int type;

	fixture_open(&fixture);
	for (type = GA_float4; type <= GA_float8; type++)
	{
		specials_test(&fixture, &rng, (GaElementType) type, 1,
					  array_set_check_sums);
		test_pairs((GaElementType) type);
		test_small_first(&rng, (GaElementType) type);
		test_larger_later(&rng, (GaElementType) type);
	}
	fixture_close(&fixture);
	return tap_done();
}
