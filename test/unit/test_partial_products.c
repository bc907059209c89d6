/*
 * test_partial_products.c
 *		The records in which a device hands sums of pairs over: to records and
 *		back changes nothing, and what no device can have made is found.
 */
#include <math.h>
#include <stdlib.h>

#include "exact/partial_products.h"
#include "exact/weighted_sum.h"
#include "running_families.h"
#include "tap.h"

#define MAX_LENGTH 300

static double x[MAX_LENGTH];

static bool
same(const GaSumPair *a, const GaSumPair *b)
{
	uint8_t a_bytes[GA_WEIGHTED_SUM_MAX_BYTES];
	uint8_t b_bytes[GA_WEIGHTED_SUM_MAX_BYTES];
	const size_t n = ga_weighted_sum_serialize(a, a_bytes);

	return n == ga_weighted_sum_serialize(b, b_bytes) &&
		   memcmp(a_bytes, b_bytes, n) == 0;
}

/* Add the pairs x[i], x[n - 1 - i] with i in a range. */
static void
add_pairs(GaSumPair *pair, size_t n, size_t from, size_t end)
{
	size_t i;

	for (i = from; i < end; i++)
		(void) ga_weighted_sum_apply(pair, x[i], x[n - 1 - i], 1);
}

/*
 * Convert some of n pairs to records, and add these to the sums of the others.
 * False if the records are refused.
 */
static bool
check_back(GaElementType type, const char *name, size_t n, size_t n_before)
{
	GaFullSumPair all_buffer, before_buffer, part_buffer;
	GaSumPair *all = ga_full_sum_pair_init(&all_buffer);
	GaSumPair *before = ga_full_sum_pair_init(&before_buffer);
	GaSumPair *part = ga_full_sum_pair_init(&part_buffer);
	GaPartialSum records[2];
	bool fits;

	memset(records, 0xa5, sizeof(records));
	add_pairs(all, n, 0, n);
	add_pairs(before, n, 0, n_before);
	add_pairs(part, n, n_before, n);
	fits = ga_partial_products_from_floats(records, part);
	tap_check(fits == !ga_partial_are_refused(records), "refused or not");
	tap_check(ga_partial_are_products(type, (int64_t) (n - n_before), records),
			  "%s: the records of %zu pairs are bad", name, n - n_before);
	tap_check((ga_partial_merge_products(before, (int64_t) (n - n_before),
										 records) == GA_OK) == fits,
			  "%s: merged or not", name);
	tap_check(!fits || (ga_sum_pair_is_valid(before) && same(before, all)),
			  "%s: %zu pairs, the bytes differ", name, n - n_before);
	return fits;
}

static void
test_families(Rng *rng, const FloatType *type)
{
	const GaElementType element = type->size == 4 ? GA_float4 : GA_float8;
	long n_fit = 0;
	long n_refused = 0;
	long i;
	int family;

	tap_begin("%s: to records and back, all families", type->name);
	for (i = tap_cases(200); i > 0; i--)
	{
		for (family = 0; family < n_running_families(); family++)
		{
			const size_t n = rng_below(rng, rng_below(rng, MAX_LENGTH) + 1);

			family_fill(running_family(family), rng, type, x, n);
			if (rng_chance(rng, 6))
				sprinkle_neg_zeros(rng, rng_between(rng, 1, 9), x, n);
			if (rng_chance(rng, 10))
				sprinkle_specials(rng, 20, x, n);
			if (check_back(element, running_family(family)->name, n,
						   rng_below(rng, n + 1)))
				n_fit++;
			else
				n_refused++;
		}
	}
	tap_check(n_fit > 0 && n_refused > 0, "%ld fit, %ld are refused", n_fit,
			  n_refused);
	tap_end();
}

/* A sum of products fits if it has 191 bits and a sign. */
static void
test_powers(void)
{
	const int step = tap_is_long() ? 1 : 13;
	int low, high;

	tap_begin("products of two powers of two fit exactly with 191 bits");
	for (low = -1074; low <= 1023; low += step)
	{
		for (high = low + 1; high <= 1023; high += high < low + 130 ? 1 : 61)
		{
			const int sign = high % 2 ? -1 : 1;
			/* twice x[0] x[2], and x[1] x[1]: 2^k + 1, or -2^k + 1 */
			const int k = 2 * (high - low) + 1;
			const int bits = sign > 0 ? k + 1 : k;

			x[0] = ldexp(sign, high);
			x[1] = ldexp(1, low);
			x[2] = ldexp(1, high);
			tap_check(check_back(GA_float8, "three powers", 3, 0) ==
						  (bits <= 191),
					  "%a and %a", x[0], x[1]);
		}
	}
	tap_end();
}

/* An integer of a type, often at an end of its range. */
static int64_t
random_int(Rng *rng, GaElementType type)
{
	const int unused = 64 - 8 * (int) ga_element_size(type);
	const int64_t least = INT64_MIN >> unused;

	if (rng_chance(rng, 4))
		return rng_chance(rng, 2) ? least : -(least + 1);
	return (int64_t) rng_next(rng) >> unused >>
		   rng_below(rng, (uint64_t) (64 - unused));
}

static void
test_ints(Rng *rng)
{
	long i;

	tap_begin("integers: to records and back");
	for (i = tap_cases(20000); i > 0; i--)
	{
		const GaElementType type = (GaElementType) rng_below(rng, 3);
		const int n = (int) rng_below(rng, 40);
		GaIntProducts all = {0}, before = {0}, part = {0};
		GaPartialSum records[2];
		int k;

		for (k = 0; k < n; k++)
		{
			const int64_t y = random_int(rng, type);
			const GaInt128 product = (GaInt128) random_int(rng, type) * y;

			ga_int_products_add(&all, product, y, 1);
			ga_int_products_add(k < n / 2 ? &before : &part, product, y, 1);
		}
		ga_partial_products_from_ints(records, &part);
		tap_check(ga_partial_are_products(type, part.n, records),
				  "%s: the records of %lld pairs are bad",
				  ga_element_name(type), (long long) part.n);
		ga_partial_merge_int_products(&before, part.n, records);
		tap_check(memcmp(&before, &all, sizeof(all)) == 0,
				  "%s: %d pairs, the sums differ", ga_element_name(type), n);
	}
	tap_end();
}

/* The most that n pairs can have of either sign, and one more. */
static void
test_int_ends(void)
{
	static const int64_t numbers[] = {1, 3, 1 << 20};
	int type;
	size_t i;

	tap_begin("products of integers at the end of what is possible");
	for (type = GA_int2; type <= GA_int8; type++)
	{
		const int64_t least =
			INT64_MIN >> (64 - 8 * ga_element_size((GaElementType) type));

		for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		{
			const int64_t n = numbers[i];
			GaIntProducts sum = {0};
			GaPartialSum records[2];
			int sign;
			int64_t k;

			for (k = 0; k < n; k++)
				ga_int_products_add(&sum, (GaInt128) least * least, 0, 1);
			for (sign = 1; sign >= -1; sign -= 2)
			{
				GaIntProducts signed_sum = {0};

				if (sign > 0)
					signed_sum = sum;
				else
					ga_int_products_unmerge(&signed_sum, &sum);
				ga_partial_products_from_ints(records, &signed_sum);
				tap_check(
					ga_partial_are_products((GaElementType) type, n, records),
					"the most of %lld, sign %d, is bad", (long long) n, sign);
				ga_int_products_add(&signed_sum, sign, 0, 0);
				ga_partial_products_from_ints(records, &signed_sum);
				tap_check(
					!ga_partial_are_products((GaElementType) type, n, records),
					"one more than the most of %lld, sign %d, passes",
					(long long) n, sign);
			}
		}
	}
	tap_end();
}

/* The records of the pairs 1, -2 and -2, 1. */
static void
good_floats(GaPartialSum *records)
{
	GaFullSumPair buffer;
	GaSumPair *pair = ga_full_sum_pair_init(&buffer);

	x[0] = 1;
	x[1] = -2;
	add_pairs(pair, 2, 0, 2);
	(void) ga_partial_products_from_floats(records, pair);
}

/* Are the records bad, and does merging leave the sums as they are? */
static bool
is_found(int64_t n, const GaPartialSum *records)
{
	GaFullSumPair buffer, before_buffer;
	GaSumPair *pair = ga_full_sum_pair_init(&buffer);
	GaSumPair *before = ga_full_sum_pair_init(&before_buffer);

	(void) ga_weighted_sum_apply(pair, 3, 4, 1);
	(void) ga_weighted_sum_apply(before, 3, 4, 1);
	return !ga_partial_are_products(GA_float8, n, records) &&
		   ga_partial_merge_products(pair, n, records) == GA_BAD_STATE &&
		   same(pair, before);
}

static void
test_damage(void)
{
	GaPartialSum records[2];

	tap_begin("records of floats that no device made");
	good_floats(records);
	tap_check(ga_partial_are_products(GA_float8, 2, records), "good ones");
	tap_check(is_found(-1, records), "of -1 pairs");
	tap_check(is_found(0, records), "products of no pairs");
	records[1].n_neg_zero = 2;
	tap_check(is_found(2, records), "products of -0 alone, with a sum");
	records[1].n_neg_zero = 3;
	memset(records[1].limb, 0, sizeof(records[1].limb));
	tap_check(is_found(2, records), "more products of -0 than pairs");
	records[1].n_neg_zero = 2;
	tap_check(ga_partial_are_products(GA_float8, 2, records), "-0 alone");
	good_floats(records);
	records[0].n_neg_zero = 3;
	tap_check(is_found(2, records), "more factors of -0 than pairs");
	good_floats(records);
	records[0].kind = GA_PARTIAL_REFUSED;
	tap_check(is_found(2, records), "a refused sum alone");
	records[0].kind = GA_PARTIAL_COMPACT;
	records[1].kind = GA_PARTIAL_REFUSED;
	tap_check(is_found(2, records), "refused products alone");
	tap_end();
}

/* Products just within what n pairs can have, and just beyond it. */
static void
test_range(void)
{
	GaPartialSum records[2];
	int unit;

	tap_begin("products at the end of what is possible");
	good_floats(records);
	for (unit = 0; unit <= UINT16_MAX; unit++)
	{
		/* two pairs: below 2^2 times the largest product */
		const int spare = 2048 + 2148 + 2 - unit;

		records[1].unit = (uint16_t) unit;
		memset(records[1].limb, 0, sizeof(records[1].limb));
		records[1].limb[2] = (uint64_t) 1 << 63;
		/* -2^191 has 191 bits, as -2^191 + 1 has */
		if (spare < 191)
			tap_check(is_found(2, records), "-2^191 of unit %d", unit);
		else
			tap_check(ga_partial_are_products(GA_float8, 2, records),
					  "-2^191 of unit %d is bad", unit);
		memset(records[1].limb, 0, sizeof(records[1].limb));
		records[1].limb[0] = 1;
		tap_check(ga_partial_are_products(GA_float8, 2, records) == (spare > 0),
				  "a bit of unit %d", unit);
		tap_check(ga_partial_are_products(GA_float4, 2, records) ==
					  (256 + 2148 + 2 > unit),
				  "float4: a bit of unit %d", unit);
	}
	tap_end();
}

/* What passes can be merged, whatever its bits are, and stays valid. */
static void
test_random_records(Rng *rng)
{
	GaFullSumPair buffer;
	GaSumPair *pair = ga_full_sum_pair_init(&buffer);
	long n_good = 0;
	long i;

	tap_begin("records of random bits");
	for (i = tap_cases(200000); i > 0; i--)
	{
		GaPartialSum records[2];
		const int64_t n = rng_below(rng, 1 << 20);
		int k;

		good_floats(records);
		for (k = 0; k < GA_PARTIAL_LIMBS; k++)
			records[1].limb[k] = rng_next(rng);
		records[1].unit = (uint16_t) rng_below(rng, 4500);
		records[1].n_neg_zero = (uint32_t) rng_below(rng, 1 << 20);
		if (ga_partial_merge_products(pair, n, records) != GA_OK)
			continue;
		n_good++;
		tap_check(ga_sum_pair_is_valid(pair), "not valid after merging");
	}
	tap_check(n_good > 100, "%ld pass", n_good);
	tap_end();
}

int
main(void)
{
	Rng rng = {71};

	test_families(&rng, &float4_type);
	test_families(&rng, &float8_type);
	test_powers();
	test_ints(&rng);
	test_int_ends();
	test_damage();
	test_range();
	test_random_records(&rng);
	return tap_done();
}
