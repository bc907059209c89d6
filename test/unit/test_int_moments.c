/*
 * test_int_moments.c
 *		The moments of integers: against GMP, and their serialized form.
 */
#include <gmp.h>
#include <mpfr.h>
#include <string.h>

#include "exact/moments_value.h"
#include "random_floats.h"
#include "tap.h"

#define MAX_N 40

static bool
is_same(const GaIntMoments *a, const GaIntMoments *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Integers of few and of many bits, and the ends of the range. */
static int64_t
random_int(Rng *rng)
{
	static const int64_t ends[] = {0, 1, -1, INT64_MAX, INT64_MIN, INT32_MIN};

	if (rng_below(rng, 4) == 0)
		return ends[rng_below(rng, 6)];
	return (int64_t) rng_next(rng) >> rng_below(rng, 64);
}

static void
set_int(mpz_t to, int64_t x)
{
	mpz_set_si(to, (long) x);
}

/* Set numerator to n * sum of x^2 - (sum of x)^2. */
static void
expect_numerator(mpz_t numerator, const int64_t *x, int n)
{
	mpz_t sum, value;
	int i;

	mpz_inits(sum, value, NULL);
	mpz_set_ui(numerator, 0);
	for (i = 0; i < n; i++)
	{
		set_int(value, x[i]);
		mpz_add(sum, sum, value);
		mpz_addmul(numerator, value, value);
	}
	mpz_mul_ui(numerator, numerator, (unsigned long) n);
	mpz_submul(numerator, sum, sum);
	mpz_clears(sum, value, NULL);
}

static void
check_numerator(const GaIntMoments *moments, const int64_t *x, int n)
{
	uint64_t limbs[GA_NUMERATOR_LIMBS];
	mpz_t expected, found;

	mpz_inits(expected, found, NULL);
	expect_numerator(expected, x, n);
	tap_check(ga_int_moments_numerator(moments, limbs), "a negative one");
	mpz_import(found, GA_NUMERATOR_LIMBS, -1, sizeof(limbs[0]), 0, 0, limbs);
	tap_check(mpz_cmp(found, expected) == 0, "the numerator of %d", n);
	mpz_clears(expected, found, NULL);
}

/* The root of the sum of squares, by MPFR. */
static double
expect_norm(const int64_t *x, int n)
{
	mpz_t squares, value;
	mpfr_t root;
	double norm;
	int i;

	mpz_inits(squares, value, NULL);
	for (i = 0; i < n; i++)
	{
		set_int(value, x[i]);
		mpz_addmul(squares, value, value);
	}
	mpfr_init2(root, 256);
	mpfr_set_z(root, squares, MPFR_RNDN);
	/* rounded once: the argument is exact */
	{
		mpfr_t rounded;

		mpfr_init2(rounded, 53);
		mpfr_sqrt(rounded, root, MPFR_RNDN);
		norm = mpfr_get_d(rounded, MPFR_RNDN);
		mpfr_clear(rounded);
	}
	mpfr_clear(root);
	mpz_clears(squares, value, NULL);
	return norm;
}

static GaIntMoments
moments_of(const int64_t *x, int n)
{
	GaIntMoments moments = {0};
	int i;

	for (i = 0; i < n; i++)
		ga_int_moments_apply(&moments, x[i], 1);
	return moments;
}

static void
check_round_trip(const GaIntMoments *moments)
{
	uint8_t bytes[GA_INT_MOMENTS_BYTES];
	GaIntMoments again;
	const size_t n_bytes = ga_int_moments_serialize(moments, bytes);

	tap_check(n_bytes == GA_INT_MOMENTS_BYTES, "%zu bytes", n_bytes);
	tap_check(ga_int_moments_deserialize(&again, bytes, n_bytes) == GA_OK &&
				  is_same(moments, &again),
			  "other moments");
}

static void
test_random(Rng *rng)
{
	long i;

	tap_begin("random integers: numerator, norm, removal, merging, bytes");
	for (i = tap_cases(100000); i > 0; i--)
	{
		int64_t x[MAX_N];
		const int n = 1 + (int) rng_below(rng, MAX_N);
		const int n_first = (int) rng_below(rng, (uint64_t) n + 1);
		GaIntMoments all, first, rest;
		int j;

		for (j = 0; j < n; j++)
			x[j] = random_int(rng);
		all = moments_of(x, n);
		first = moments_of(x, n_first);
		rest = moments_of(x + n_first, n - n_first);
		check_numerator(&all, x, n);
		tap_check(ga_int_moments_norm(&all) == expect_norm(x, n),
				  "the norm of %d", n);
		check_round_trip(&all);
		ga_int_moments_unmerge(&all, &rest);
		tap_check(is_same(&all, &first), "all without the rest");
		ga_int_moments_merge(&all, &rest);
		for (j = 0; j < n_first; j++)
			ga_int_moments_apply(&all, x[j], -1);
		tap_check(is_same(&all, &rest), "all without the first ones");
	}
	tap_end();
}

/* As moments of floats, of integers that doubles have. */
static void
test_as_floats(Rng *rng)
{
	long i;

	tap_begin("the bytes of the same inputs as doubles");
	for (i = tap_cases(20000); i > 0; i--)
	{
		const int n = (int) rng_below(rng, MAX_N);
		GaIntMoments ints = {0};
		GaFullSumPair full, other;
		uint8_t bytes[GA_MOMENTS_MAX_BYTES], expected[GA_MOMENTS_MAX_BYTES];
		size_t n_bytes;
		int j;

		(void) ga_full_sum_pair_init(&other);
		for (j = 0; j < n; j++)
		{
			int64_t x = random_int(rng) >> 11;

			x = rng_below(rng, 3) == 0 ? x * 2048 : x;
			ga_int_moments_apply(&ints, x, 1);
			(void) ga_moments_add(ga_full_sum_pair(&other), (double) x);
		}
		n_bytes =
			ga_moments_serialize(ga_moments_from_ints(&full, &ints), bytes);
		tap_check(ga_moments_is_valid(ga_full_sum_pair(&full)), "valid");
		tap_check(ga_moments_serialize(ga_full_sum_pair(&other), expected) ==
						  n_bytes &&
					  memcmp(bytes, expected, n_bytes) == 0,
				  "%d inputs", n);
	}
	tap_end();
}

/* As many inputs as there can be, of the largest squares. */
static void
test_many(void)
{
	GaIntMoments least = {0};
	GaIntMoments mixed;
	uint64_t limbs[GA_NUMERATOR_LIMBS];
	GaFullSumPair full;
	double result;
	int i;

	tap_begin("2^56 inputs");
	ga_int_moments_apply(&least, INT64_MIN, 1);
	for (i = 0; i < 56; i++)
		ga_int_moments_merge(&least, &least);
	tap_check(least.sum.n == GA_INT_SUM_MAX_N, "n");
	tap_check(ga_int_moments_numerator(&least, limbs) &&
				  (limbs[0] | limbs[1] | limbs[2] | limbs[3]) == 0,
			  "equal inputs have no variance");
	check_round_trip(&least);

	mixed = least;
	mixed.sum.low = 0;
	mixed.sum.high = 0;
	tap_check(ga_int_moments_numerator(&mixed, limbs) &&
				  (limbs[0] | limbs[1] | limbs[2]) == 0 &&
				  limbs[3] == UINT64_C(1) << (56 + 182 - 192),
			  "2^238");
	check_round_trip(&mixed);
	tap_check(ga_moments_is_valid(ga_moments_from_ints(&full, &mixed)) &&
				  ga_moments_var_pop(ga_full_sum_pair(&full), &result) ==
					  GA_OK &&
				  result == 0x1p126,
			  "the variance of floats");
	tap_end();
}

static void
check_damage(const GaIntMoments *moments)
{
	uint8_t bytes[GA_INT_MOMENTS_BYTES];
	GaIntMoments again;

	(void) ga_int_moments_serialize(moments, bytes);
	tap_check(ga_int_moments_deserialize(&again, bytes, sizeof(bytes)) ==
				  GA_BAD_STATE,
			  "n = %lld is taken", (long long) moments->sum.n);
}

static void
test_bytes(void)
{
	static const int64_t x[] = {3, -5};
	static const uint8_t golden[GA_INT_MOMENTS_BYTES] = {
		1,			[8] = 2,	[9] = 255,	[10] = 255, [11] = 255,
		[12] = 255, [13] = 255, [14] = 255, [15] = 255, [16] = 255,
		[17] = 255, [18] = 255, [19] = 255, [20] = 255, [21] = 255,
		[22] = 255, [23] = 255, [24] = 254, [48] = 34};
	GaIntMoments moments = moments_of(x, 2);
	uint8_t bytes[GA_INT_MOMENTS_BYTES + 1] = {0};
	size_t n;

	tap_begin("bytes");
	(void) ga_int_moments_serialize(&moments, bytes);
	tap_check(memcmp(bytes, golden, sizeof(golden)) == 0,
			  "the format has changed");
	for (n = 0; n <= sizeof(bytes); n++)
		tap_check((ga_int_moments_deserialize(&moments, bytes, n) == GA_OK) ==
					  (n == GA_INT_MOMENTS_BYTES),
				  "%zu bytes", n);
	bytes[0] = 2;
	tap_check(ga_int_moments_deserialize(
				  &moments, bytes, GA_INT_MOMENTS_BYTES) == GA_BAD_VERSION,
			  "another version");

	/* moments that no inputs have */
	moments = moments_of(x, 2);
	moments.sum.n = -1;
	check_damage(&moments);
	moments.sum.n = GA_INT_SUM_MAX_N + 1;
	check_damage(&moments);
	moments.sum.n = 0;
	check_damage(&moments);
	moments = moments_of(x, 2);
	moments.squares[0] = 1; /* less than 2^2 / 2 */
	check_damage(&moments);
	moments.squares[0] = 34;
	moments.squares[1] = UINT64_C(1) << 63; /* more than 2 * 2^126 */
	check_damage(&moments);
	moments.squares[1] = 0;
	moments.squares[2] = 1;
	check_damage(&moments);
	tap_end();
}

int
main(void)
{
	Rng rng = {11};

	test_random(&rng);
	test_as_floats(&rng);
	test_many();
	test_bytes();
	return tap_done();
}
