/*
 * test_weighted_sum.c
 *		Weighted sums: means, merging, and their bytes.
 */
#include <math.h>
#include <stdlib.h>

#include "exact/weighted_sum.h"
#include "moments_case.h"
#include "product_oracle.h"
#include "tap.h"

#define MAX_LENGTH 200

typedef struct WeightedBytes
{
	size_t n;
	uint8_t bytes[GA_WEIGHTED_SUM_MAX_BYTES];
} WeightedBytes;

static double x[MAX_LENGTH];
static double w[MAX_LENGTH];

static WeightedBytes
bytes_of(const GaSumPair *pair)
{
	WeightedBytes bytes;

	bytes.n = ga_weighted_sum_serialize(pair, bytes.bytes);
	return bytes;
}

static bool
is_same(const WeightedBytes *a, const WeightedBytes *b)
{
	return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

static void
apply_range(GaSumPair **pair, size_t from, size_t end, int by)
{
	for (; from < end; from++)
	{
		while (ga_weighted_sum_apply(*pair, x[from], w[from], by) != GA_OK)
			pair_grow(pair);
	}
	tap_check(ga_sum_pair_is_valid(*pair), "not valid");
}

/* Values and weights of two families, which may have special ones. */
static size_t
fill(Rng *rng)
{
	const size_t n = rng_below(rng, MAX_LENGTH);

	family_fill(&families[rng_below(rng, n_families)], rng, &float8_type, x, n);
	family_fill(&families[rng_below(rng, n_families)], rng, &float8_type, w, n);
	if (rng_chance(rng, 4))
		sprinkle_specials(rng, rng_between(rng, 1, 300), x, n);
	if (rng_chance(rng, 4))
		sprinkle_specials(rng, rng_between(rng, 1, 300), w, n);
	if (rng_chance(rng, 4))
		sprinkle_neg_zeros(rng, 3, rng_chance(rng, 2) ? x : w, n);
	return n;
}

/* Compare the mean and the bytes with those of GMP's integers. */
static void
check(const GaSumPair *pair, size_t n)
{
	WeightedBytes is = bytes_of(pair), must;
	uint8_t *at = must.bytes;
	Exact weights, products;
	double mean = 0, must_mean = 0;
	GaStatus status, must_status;
	size_t i;

	exact_init(&weights);
	exact_init(&products);
	for (i = 0; i < n; i++)
	{
		exact_add(&weights, w[i], 1);
		exact_add_product(&products, x[i], w[i], 1);
	}
	*at++ = 0xe5;
	*at++ = 4;
	*at++ = 1;
	at = exact_put_counts(at, &weights);
	at = exact_put_total(at, &weights);
	at = exact_put_counts(at, &products);
	at = exact_put_total(at, &products);
	must.n = (size_t) (at - must.bytes);
	tap_check(is_same(&is, &must), "the bytes differ");
	status = ga_weighted_sum_mean(pair, &mean);
	must_status = oracle_quotient(&products, &weights, &must_mean);
	tap_check(same_result(status, mean, must_status, must_mean),
			  "%d %a, must be %d %a", status, mean, must_status, must_mean);
	exact_clear(&weights);
	exact_clear(&products);
}

static void
test_laws(Rng *rng)
{
	long i;

	tap_begin("weighted sums, merged, unmerged and removed");
	for (i = tap_cases(40000); i > 0; i--)
	{
		const size_t n = fill(rng);
		const size_t cut = rng_below(rng, n + 1);
		GaSumPair *first = pair_new(0), *second = pair_new(0);
		WeightedBytes before, after;

		apply_range(&first, 0, cut, 1);
		before = bytes_of(first);
		apply_range(&second, cut, n, 1);
		while (ga_sum_pair_merge(first, second) != GA_OK)
			pair_grow(&first);
		check(first, n);
		while (ga_sum_pair_unmerge(first, second) != GA_OK)
			pair_grow(&first);
		after = bytes_of(first);
		tap_check(is_same(&before, &after), "unmerged");
		apply_range(&first, cut, n, 1);
		check(first, n);
		apply_range(&first, cut, n, -1);
		after = bytes_of(first);
		tap_check(is_same(&before, &after), "removed");
		free(first);
		free(second);
	}
	tap_end();
}

/*
 * Means halfway between two doubles, and off by so little that the first 126
 * bits of the quotient do not show it.
 */
static void
test_ties(Rng *rng)
{
	long i;

	tap_begin("means that are ties, and next to ties");
	for (i = tap_cases(40000); i > 0; i--)
	{
		GaSumPair *pair = pair_new(0);

		/* the mean of two neighbours; the last two weights cancel */
		x[0] = float_random(rng, &float8_type, rng_between(rng, -20, 20));
		x[1] = nextafter(x[0], INFINITY);
		w[0] = w[1] = float_random(rng, &float8_type, 0);
		x[2] = rng_chance(rng, 2) ? 1 : -1;
		w[2] = ldexp(1, rng_between(rng, -300, -50));
		x[3] = 0;
		w[3] = -w[2];
		apply_range(&pair, 0, 4, 1);
		check(pair, 4);
		free(pair);
	}
	tap_end();
}

/* Bytes are read as what they were written of, and no other bytes are. */
static void
test_bytes(Rng *rng)
{
	long i;

	tap_begin("bytes that were changed are refused, or canonical");
	for (i = tap_cases(40000); i > 0; i--)
	{
		const size_t n = fill(rng);
		GaSumPair *pair = pair_new(0);
		GaFullSumPair full;
		WeightedBytes bytes, again;

		apply_range(&pair, 0, n, 1);
		bytes = bytes_of(pair);
		free(pair);
		pair = ga_full_sum_pair(&full);
		tap_check(ga_weighted_sum_deserialize(&full, bytes.bytes, bytes.n) ==
					  GA_OK,
				  "refused");
		check(pair, n);
		tap_check(ga_weighted_sum_deserialize(&full, bytes.bytes,
											  rng_below(rng, bytes.n)) != GA_OK,
				  "cut off");
		bytes.bytes[rng_below(rng, bytes.n)] ^= 1 << rng_below(rng, 8);
		if (ga_weighted_sum_deserialize(&full, bytes.bytes, bytes.n) != GA_OK)
			continue;
		again = bytes_of(pair);
		tap_check(is_same(&again, &bytes) && ga_sum_pair_is_valid(pair),
				  "other bytes");
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {20261125};

	test_laws(&rng);
	test_ties(&rng);
	test_bytes(&rng);
	return tap_done();
}
