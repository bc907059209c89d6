/*
 * test_partial_moments.c
 *		The records in which a device hands moments over: to records and back
 *		changes nothing, and what no device can have made is found.
 */
#include <math.h>
#include <stdlib.h>

#include "exact/partial_moments.h"
#include "moments_case.h"
#include "running_families.h"
#include "tap.h"

#define MAX_LENGTH 300

static double x[MAX_LENGTH];

/* Moments with the inputs of a record besides those that they have. */
static bool
merges(GaMoments *moments, int64_t n, const GaPartialSum *records)
{
	const GaStatus status = ga_partial_merge_moments(moments, n, records);

	tap_check(ga_moments_is_valid(moments), "not valid after merging");
	return status == GA_OK;
}

static bool
same(const GaMoments *a, const GaMoments *b)
{
	MomentsBytes left, right;

	moments_bytes(a, &left);
	moments_bytes(b, &right);
	return same_moments(&left, &right);
}

/* Set the squares in units of a lower bit, if they fit. */
static bool
lower_unit(GaPartialSum *record, int by)
{
	if (by == 0 || by > 63 || record->unit < by ||
		record->limb[2] >> (64 - by) != 0)
		return false;
	record->limb[2] = record->limb[2] << by | record->limb[1] >> (64 - by);
	record->limb[1] = record->limb[1] << by | record->limb[0] >> (64 - by);
	record->limb[0] <<= by;
	record->unit = (uint16_t) (record->unit - by);
	return true;
}

/*
 * Convert n inputs from x[] to records, and add these to moments of the inputs
 * before them.  False if the records are refused.
 */
static bool
check_back(GaElementType type, const char *name, size_t n_before, size_t n,
		   int lower)
{
	GaMoments *all = pair_new(GA_SUM_PAIR_FULL);
	GaMoments *before = pair_new(GA_SUM_PAIR_FULL);
	GaMoments *part = pair_new(0);
	GaPartialSum records[2];
	bool fits;

	memset(records, 0xa5, sizeof(records));
	moments_apply_all(&all, x, n_before + n, 1);
	moments_apply_all(&before, x, n_before, 1);
	moments_apply_all(&part, x + n_before, n, 1);
	fits = ga_partial_moments_from_floats(records, part);
	tap_check(fits == !ga_partial_are_refused(records), "refused or not");
	tap_check(ga_partial_are_moments(type, (int64_t) n, records),
			  "%s: the records of %zu inputs are bad", name, n);
	if (fits)
	{
		tap_check(records[1].limb[0] % 2 == 1 || records[1].limb[0] == 0,
				  "%s: not in units of the lowest bit", name);
		if (lower_unit(&records[1], lower))
			tap_check(ga_partial_are_moments(type, (int64_t) n, records),
					  "%s: bad in a lower unit", name);
		tap_check(merges(before, (int64_t) n, records) && same(before, all),
				  "%s: %zu inputs, the bytes differ", name, n);
	}
	else
		tap_check(!merges(before, (int64_t) n, records),
				  "%s: refused records were merged", name);
	free(all);
	free(before);
	free(part);
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
			const size_t n_before = rng_below(rng, n + 1);

			family_fill(running_family(family), rng, type, x, n);
			if (rng_chance(rng, 6))
				sprinkle_neg_zeros(rng, rng_between(rng, 1, 9), x, n);
			if (rng_chance(rng, 10))
				sprinkle_specials(rng, 20, x, n);
			if (check_back(element, running_family(family)->name, n_before,
						   n - n_before, rng_between(rng, 0, 63)))
				n_fit++;
			else
				n_refused++;
		}
	}
	tap_check(n_fit > 0 && n_refused > 0, "%ld fit, %ld are refused", n_fit,
			  n_refused);
	tap_end();
}

/*
 * Two powers of two: their squares are twice as far apart, and fit if they have
 * 192 bits.
 */
static void
test_powers(void)
{
	const int step = tap_is_long() ? 1 : 13;
	int low;
	int high;

	tap_begin("two powers of two fit exactly if their squares have 192 bits");
	for (low = -1074; low <= 1023; low += step)
	{
		for (high = low + 1; high <= 1023; high += high < low + 130 ? 1 : 61)
		{
			x[0] = ldexp(high % 2 ? -1 : 1, high);
			x[1] = ldexp(1, low);
			tap_check(check_back(GA_float8, "two powers", 0, 2, 0) ==
						  (2 * (high - low) < 192),
					  "%d and %d", high, low);
		}
	}
	tap_end();
}

/* A number of all bits, and the least one that fits beside it. */
static void
test_wide_squares(void)
{
	tap_begin("squares of 192 bits, all of them set at the top");
	/* (2^53 - 1)^2 has 106 bits */
	x[0] = 0x1.fffffffffffffp52;
	x[1] = 0x1p-43;
	tap_check(check_back(GA_float8, "192 bits", 0, 2, 0), "they are refused");
	x[1] = 0x1p-44;
	tap_check(!check_back(GA_float8, "194 bits", 0, 2, 0), "they fit");
	tap_end();
}

static void
test_specials(void)
{
	static const double few[][4] = {
		{NAN, 1, 2, 3},
		{INFINITY, 1, 2, 3},
		{-INFINITY, -INFINITY, 0, -0.0},
		{-0.0, -0.0, -0.0, -0.0},
		{-0.0, 0.0, -0.0, -0.0},
		{0.0, 0.0, 0.0, 0.0},
		{1, -1, -0.0, -0.0},
		{0x1p-1074, -0x1p-1074, 0x1p-1074, 0x1p-1022},
		{-1, -1, -1, -1}};
	size_t i;
	size_t n;

	tap_begin("specials, zeros of both signs, subnormals");
	for (i = 0; i < sizeof(few) / sizeof(few[0]); i++)
	{
		for (n = 0; n <= 4; n++)
		{
			memcpy(x, few[i], sizeof(few[i]));
			tap_check(check_back(GA_float8, "specials", 0, n, 3) ==
						  (n == 0 || i > 2),
					  "row %zu, %zu of it: fits or not", i, n);
		}
	}
	tap_end();
}

/* So many times the same at an end of the range, more than a device can add. */
static void
test_ends(void)
{
	static const double ends[] = {
		0x1p-1074, -0x1p-1074, 0x1.fffffffffffffp-1022, 0x1.fffffffffffffp1023,
		-0x1.fffffffffffffp1023};
	size_t i;
	int doublings;

	tap_begin("moments at both ends of the range");
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
	{
		GaMoments *moments = pair_new(GA_SUM_PAIR_FULL);

		moments_apply_all(&moments, &ends[i], 1, 1);
		for (doublings = 0; doublings < 46; doublings++)
		{
			const int64_t n = INT64_C(1) << doublings;
			GaMoments *back = pair_new(GA_SUM_PAIR_FULL);
			GaPartialSum records[2];

			tap_check(ga_partial_moments_from_floats(records, moments) &&
						  ga_partial_are_moments(GA_float8, n, records) &&
						  merges(back, n, records) && same(back, moments),
					  "%a, doubled %d times", ends[i], doublings);
			tap_check(merges(moments, n, records), "doubling");
			free(back);
		}
		free(moments);
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
		const int n_before = (int) rng_below(rng, (uint64_t) n + 1);
		const bool is_end = rng_chance(rng, 4);
		GaIntMoments all = {0}, before = {0}, part = {0};
		GaPartialSum records[2];
		int k;

		for (k = 0; k < n; k++)
		{
			const int64_t value =
				is_end ? INT64_MIN >> (64 - 8 * ga_element_size(type)) :
						 random_int(rng, type);

			ga_int_moments_apply(&all, value, 1);
			ga_int_moments_apply(k < n_before ? &before : &part, value, 1);
		}
		ga_partial_moments_from_ints(records, &part);
		tap_check(!ga_partial_are_refused(records), "refused");
		tap_check(ga_partial_are_moments(type, n - n_before, records),
				  "%s: the records of %d inputs are bad", ga_element_name(type),
				  n - n_before);
		tap_check(!is_end || n == n_before ||
					  !ga_partial_are_moments(type, n - n_before - 1, records),
				  "%s: records of %d inputs pass for those of one fewer",
				  ga_element_name(type), n - n_before);
		ga_partial_merge_int_moments(&before, n - n_before, records);
		tap_check(memcmp(&before, &all, sizeof(all)) == 0,
				  "%s: %d inputs, the moments differ", ga_element_name(type),
				  n - n_before);
	}
	tap_end();
}

/* The records of 1 and -2. */
static void
good_floats(GaPartialSum *records)
{
	GaMoments *moments = pair_new(0);

	x[0] = 1;
	x[1] = -2;
	moments_apply_all(&moments, x, 2, 1);
	(void) ga_partial_moments_from_floats(records, moments);
	free(moments);
}

/* Are the records bad, and does merging leave the moments as they are? */
static bool
is_found(int64_t n, const GaPartialSum *records)
{
	GaMoments *moments = pair_new(GA_SUM_PAIR_FULL);
	GaMoments *before = pair_new(GA_SUM_PAIR_FULL);
	bool result;

	x[0] = 3;
	moments_apply_all(&moments, x, 1, 1);
	moments_apply_all(&before, x, 1, 1);
	result = !ga_partial_are_moments(GA_float8, n, records) &&
			 ga_partial_merge_moments(moments, n, records) == GA_BAD_STATE &&
			 same(moments, before);
	free(moments);
	free(before);
	return result;
}

static void
test_damage(void)
{
	GaPartialSum records[2];

	tap_begin("records of floats that no device made");
	good_floats(records);
	tap_check(ga_partial_are_moments(GA_float8, 2, records), "good ones");
	tap_check(is_found(-1, records), "of -1 inputs");
	tap_check(is_found(0, records), "squares of no inputs");
	records[0].n_neg_zero = 2;
	tap_check(is_found(2, records), "squares of -0 alone");
	records[0].n_neg_zero = 3;
	tap_check(is_found(2, records), "more -0 than inputs");
	good_floats(records);
	records[0].kind = GA_PARTIAL_REFUSED;
	tap_check(is_found(2, records), "a refused sum alone");
	records[1].kind = GA_PARTIAL_REFUSED;
	tap_check(ga_partial_are_moments(GA_float8, 2, records), "both refused");
	tap_check(ga_partial_are_moments(GA_int4, 2, records), "both, of int4");
	records[0].kind = GA_PARTIAL_COMPACT;
	tap_check(is_found(2, records), "refused squares alone");
	for (records[1].kind = GA_PARTIAL_FULL; records[1].kind < 9;
		 records[1].kind++)
		tap_check(is_found(2, records), "squares of kind %d", records[1].kind);
	good_floats(records);
	records[0].kind = GA_PARTIAL_FULL;
	tap_check(is_found(2, records), "a full sum");
	records[0].kind = GA_PARTIAL_NO_CAPACITY;
	tap_check(is_found(2, records), "a sum without capacity");
	good_floats(records);
	records[0].first = GA_MAX_CELLS;
	tap_check(is_found(2, records), "a sum beyond the cells");
	records[0].first = GA_MAX_CELLS - 1;
	records[0].limb[1] = 1;
	tap_check(is_found(2, records), "a limb beyond the cells");
	tap_end();
}

/* Squares just within what n inputs can have, and just beyond it. */
static void
test_range(void)
{
	GaPartialSum records[2];
	int unit;

	tap_begin("squares at the end of what is possible");
	good_floats(records);
	for (unit = 0; unit <= UINT16_MAX; unit++)
	{
		/* two inputs: below 2^2 times the largest square */
		const int spare = 2048 + 2148 + 2 - unit;

		records[1].unit = (uint16_t) unit;
		memset(records[1].limb, 0xff, sizeof(records[1].limb));
		if (spare < 192)
			tap_check(is_found(2, records), "192 bits of unit %d", unit);
		else
			tap_check(ga_partial_are_moments(GA_float8, 2, records),
					  "192 bits of unit %d are bad", unit);
		memset(records[1].limb, 0, sizeof(records[1].limb));
		records[1].limb[0] = 1;
		tap_check(ga_partial_are_moments(GA_float8, 2, records) == (spare > 0),
				  "a bit of unit %d", unit);
		tap_check(ga_partial_are_moments(GA_float4, 2, records) ==
					  (256 + 2148 + 2 > unit),
				  "float4: a bit of unit %d", unit);
		records[1].limb[0] = 0;
		tap_check(ga_partial_are_moments(GA_float8, 0, records),
				  "no squares of unit %d are bad", unit);
	}
	tap_end();
}

/* What passes can be merged, in any number, whatever its bits are. */
static void
test_random_records(Rng *rng)
{
	GaMoments *moments = pair_new(GA_SUM_PAIR_FULL);
	long n_good = 0;
	long i;

	tap_begin("records of random bits");
	for (i = tap_cases(200000); i > 0; i--)
	{
		const int64_t n = (int64_t) (rng_next(rng) >> rng_between(rng, 34, 63));
		GaPartialSum records[2];
		int r, k;

		for (r = 0; r < 2; r++)
		{
			for (k = 0; k < GA_PARTIAL_LIMBS; k++)
				records[r].limb[k] = rng_chance(rng, 3) ? 0 : rng_next(rng);
			records[r].n_neg_zero =
				(uint32_t) (rng_next(rng) >> rng_between(rng, 32, 63));
			records[r].first = (uint8_t) rng_next(rng);
			records[r].kind = (uint8_t) rng_below(rng, 50) / 49;
			records[r].unit =
				(uint16_t) (rng_next(rng) >> rng_between(rng, 48, 60));
		}
		if (ga_partial_are_moments(GA_float8, n, records))
			n_good += merges(moments, n, records);
		else
			tap_check(!merges(moments, n, records), "bad ones were merged");
	}
	tap_check(n_good > 0, "all were bad");
	free(moments);
	tap_end();
}

int
main(void)
{
	Rng rng = {73};

	test_families(&rng, &float8_type);
	test_families(&rng, &float4_type);
	test_powers();
	test_wide_squares();
	test_specials();
	test_ends();
	test_ints(&rng);
	test_damage();
	test_range();
	test_random_records(&rng);
	return tap_done();
}
