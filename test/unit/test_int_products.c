/*
 * test_int_products.c
 *		Sums of products of integers, against GMP.
 */
#include <math.h>
#include <stdlib.h>
#include <gmp.h>
#include <string.h>

#include "exact/int_products.h"
#include "random_floats.h"
#include "tap.h"

#define MAX_LENGTH 300

static int64_t x[MAX_LENGTH];
static int64_t y[MAX_LENGTH];

/* What the sums must be. */
typedef struct Model
{
	mpz_t products;
	mpz_t weights;
} Model;

static void
model_init(Model *model, size_t n)
{
	mpz_t a, b;
	size_t i;

	mpz_inits(model->products, model->weights, a, b, NULL);
	for (i = 0; i < n; i++)
	{
		mpz_set_si(a, x[i]);
		mpz_set_si(b, y[i]);
		mpz_addmul(model->products, a, b);
		mpz_add(model->weights, model->weights, b);
	}
	mpz_clears(a, b, NULL);
}

/* Numbers of any size within so many bits, often at an end of the range. */
static void
fill(Rng *rng, int64_t *to, size_t n, int bits)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		to[i] = (int64_t) rng_next(rng) >> (64 - bits + rng_below(rng, bits));
		if (rng_chance(rng, 3))
			to[i] = INT64_MIN >> (64 - bits);
		else if (rng_chance(rng, 3))
			to[i] = ~(INT64_MIN >> (64 - bits));
	}
}

/* Compare a sum with the model: digits, weights, and the result. */
static void
check(const GaIntProducts *sum, const Model *model, size_t n)
{
	char buffer[GA_INT_PRODUCTS_DIGITS];
	char *must = mpz_get_str(NULL, 10, model->products);
	const char *is = ga_int_products_decimal(sum, buffer);
	const bool fits = mpz_fits_slong_p(model->products);
	int64_t total = 0;
	mpz_t weight;

	tap_check(strcmp(is, must) == 0, "%s, must be %s", is, must);
	tap_check(sum->n == (int64_t) n, "n is %lld", (long long) sum->n);
	mpz_init_set_si(weight, (int64_t) sum->weight[1]);
	mpz_mul_2exp(weight, weight, 64);
	mpz_add_ui(weight, weight, sum->weight[0]);
	tap_check(mpz_cmp(weight, model->weights) == 0, "the weights differ");
	tap_check((ga_int_products_int8(sum, &total) == GA_OK) == fits &&
				  (!fits || total == mpz_get_si(model->products)),
			  "%lld, must be %s", (long long) total, must);
	mpz_clear(weight);
	free(must);
}

/* Add pairs from `from` on as elements of one of three types. */
static GaIntProducts
products_of(size_t from, size_t end, int bits)
{
	char a[8 * MAX_LENGTH + 1], b[8 * MAX_LENGTH + 1];
	GaIntProducts sum = {0};
	const size_t size = (size_t) bits / 8;
	size_t i;

	/* not aligned */
	for (i = from; i < end; i++)
	{
		memcpy(a + 1 + (i - from) * size, &x[i], size);
		memcpy(b + 1 + (i - from) * size, &y[i], size);
	}
	if (bits == 16)
		ga_int_products_add_int2(&sum, a + 1, b + 1, end - from);
	else if (bits == 32)
		ga_int_products_add_int4(&sum, a + 1, b + 1, end - from);
	else
		ga_int_products_add_int8(&sum, a + 1, b + 1, end - from);
	return sum;
}

static bool
is_same(const GaIntProducts *a, const GaIntProducts *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static void
test_laws(Rng *rng, int bits)
{
	long i;

	tap_begin("sums of products of %d bits, merged, removed and as bytes",
			  bits);
	for (i = tap_cases(100000); i > 0; i--)
	{
		const size_t n = rng_below(rng, rng_chance(rng, 2) ? 4 : MAX_LENGTH);
		const size_t cut = rng_below(rng, n + 1);
		uint8_t bytes[GA_INT_PRODUCTS_BYTES];
		GaIntProducts sum, first, second, read;
		Model model;
		size_t k;

		fill(rng, x, n, bits);
		if (rng_chance(rng, 4))
			memcpy(y, x, sizeof(y));
		else
			fill(rng, y, n, bits);
		model_init(&model, n);
		sum = products_of(0, n, bits);
		check(&sum, &model, n);
		first = products_of(0, cut, bits);
		second = products_of(cut, n, bits);
		read = first;
		ga_int_products_merge(&read, &second);
		tap_check(is_same(&read, &sum), "merged");
		ga_int_products_unmerge(&read, &second);
		tap_check(is_same(&read, &first), "unmerged");
		for (k = cut; k < n; k++)
			ga_int_products_add(&read, (GaInt128) x[k] * y[k], y[k], 1);
		tap_check(is_same(&read, &sum), "one by one");
		for (k = cut; k < n; k++)
			ga_int_products_add(&read, -((GaInt128) x[k] * y[k]),
								-(GaInt128) y[k], -1);
		tap_check(is_same(&read, &first), "removed one by one");

		tap_check(ga_int_products_serialize(&sum, bytes) == sizeof(bytes),
				  "bytes");
		tap_check(ga_int_products_deserialize(&read, bytes, sizeof(bytes)) ==
						  GA_OK &&
					  is_same(&read, &sum),
				  "read");
		tap_check(ga_int_products_deserialize(
					  &read, bytes, rng_below(rng, sizeof(bytes))) != GA_OK,
				  "cut off");
		mpz_clears(model.products, model.weights, NULL);
	}
	tap_end();
}

/* One beyond what n inputs can have. */
static void
test_range(void)
{
	uint8_t bytes[GA_INT_PRODUCTS_BYTES];
	GaIntProducts sum = {0}, read, more;
	int i;

	tap_begin("sums beyond those of n inputs are refused");
	x[0] = y[0] = INT64_MIN;
	sum = products_of(0, 1, 64);
	for (i = 0; i <= 56; i++)
	{
		ga_int_products_serialize(&sum, bytes);
		tap_check(ga_int_products_deserialize(&read, bytes, sizeof(bytes)) ==
					  GA_OK,
				  "2^%d inputs", i);
		more = sum;
		ga_int_products_add(&more, 1, 0, 0);
		ga_int_products_serialize(&more, bytes);
		tap_check(ga_int_products_deserialize(&read, bytes, sizeof(bytes)) ==
					  GA_BAD_STATE,
				  "2^%d inputs and a unit", i);
		more = sum;
		ga_int_products_add(&more, 0, -1, 0);
		ga_int_products_serialize(&more, bytes);
		tap_check(ga_int_products_deserialize(&read, bytes, sizeof(bytes)) ==
					  GA_BAD_STATE,
				  "2^%d weights and a unit", i);
		more = sum;
		ga_int_products_merge(&sum, &more);
	}
	ga_int_products_serialize(&sum, bytes);
	tap_check(ga_int_products_deserialize(&read, bytes, sizeof(bytes)) ==
				  GA_BAD_STATE,
			  "2^57 inputs");
	sum.n = -1;
	ga_int_products_serialize(&sum, bytes);
	tap_check(ga_int_products_deserialize(&read, bytes, sizeof(bytes)) ==
				  GA_BAD_STATE,
			  "-1 inputs");
	bytes[0]++;
	tap_check(ga_int_products_deserialize(&read, bytes, sizeof(bytes)) ==
				  GA_BAD_VERSION,
			  "a version");
	tap_end();
}

int
main(void)
{
	Rng rng = {20261125};
	int bits;

	for (bits = 16; bits <= 64; bits *= 2)
		test_laws(&rng, bits);
	test_range();
	return tap_done();
}
