/*
 * test_partial_sum.c
 *		The records in which a device hands sums over: to a record and back
 *		changes nothing, and the order of merging does not matter.
 */
#include <math.h>

#include "oracle.h"
#include "exact/partial_sum.h"
#include "running_families.h"
#include "tap.h"

#define MAX_LENGTH	400
#define MAX_RECORDS 30

static double x[MAX_LENGTH];

/* A sum as a device would hand it over. */
typedef struct Record
{
	int64_t n;
	GaPartialSum partial;
	GaFullRecord full;
} Record;

/* True if the sum needs a full record. */
static bool
put(Record *record, const GaExactSum *sum)
{
	record->n = sum->n;
	if (ga_partial_from_sum(&record->partial, sum))
	{
		tap_check(record->partial.kind == GA_PARTIAL_COMPACT &&
					  record->partial.first < GA_MAX_CELLS,
				  "kind %d, first %d", record->partial.kind,
				  record->partial.first);
		return false;
	}
	tap_check(record->partial.n_neg_zero == sum->n_neg_zero,
			  "%u times -0, must be %lld", record->partial.n_neg_zero,
			  (long long) sum->n_neg_zero);
	record->partial.kind = GA_PARTIAL_FULL;
	record->partial.limb[0] = 0;
	ga_full_record_from_sum(&record->full, sum);
	return true;
}

/* Merge into a sum that grows; GA_NO_CAPACITY must leave it as it was. */
static void
merge(GaExactSum **sum, const Record *record)
{
	for (;;)
	{
		GaFullSum full;
		GaExactSum *before = ga_full_sum(&full);
		GaStatus status;

		ga_exact_sum_copy(before, GA_MAX_CELLS, *sum);
		status =
			ga_partial_merge(*sum, record->n, &record->partial, &record->full);
		sum_check(*sum);
		if (status != GA_NO_CAPACITY || (*sum)->capacity == GA_MAX_CELLS)
		{
			tap_check(status == GA_OK, "status %d", status);
			return;
		}
		tap_check(same_sums(*sum, before), "GA_NO_CAPACITY changed the sum");
		sum_grow(sum);
	}
}

/* Convert a sum to a record and back; true if that is a full record. */
static bool
check_back(const GaExactSum *sum, const char *name)
{
	GaExactSum *back = sum_new(GA_MIN_CELLS);
	Record record;
	bool is_full = put(&record, sum);

	merge(&back, &record);
	tap_check(same_sums(back, sum), "%s: %lld inputs, the bytes differ", name,
			  (long long) sum->n);
	sum_free(back);

	/* a full record will do for any sum */
	record.partial.kind = GA_PARTIAL_FULL;
	record.partial.limb[0] = 0;
	ga_full_record_from_sum(&record.full, sum);
	back = sum_new(GA_MIN_CELLS);
	merge(&back, &record);
	tap_check(same_sums(back, sum),
			  "%s: %lld inputs, the bytes of the full "
			  "record differ",
			  name, (long long) sum->n);
	sum_free(back);
	return is_full;
}

/* A sum of elements that had so many cells at first. */
static GaExactSum *
new_sum(const double *elements, size_t n, int capacity)
{
	GaExactSum *sum = sum_new(capacity);

	sum_add_all(&sum, elements, n);
	return sum;
}

static void
test_families(Rng *rng, const FloatType *type)
{
	long i;
	int family;
	int n_full = 0;

	tap_begin("%s: to a record and back, all families", type->name);
	for (i = tap_cases(400); i > 0; i--)
	{
		for (family = 0; family < n_running_families(); family++)
		{
			size_t n = rng_below(rng, rng_below(rng, MAX_LENGTH) + 1);
			GaExactSum *sum;

			family_fill(running_family(family), rng, type, x, n);
			if (rng_chance(rng, 6))
				sprinkle_neg_zeros(rng, rng_between(rng, 1, 9), x, n);
			if (rng_chance(rng, 10))
				sprinkle_specials(rng, 20, x, n);
			sum =
				new_sum(x, n, rng_chance(rng, 2) ? GA_MIN_CELLS : GA_MAX_CELLS);
			n_full += check_back(sum, running_family(family)->name);
			if (rng_chance(rng, 2))
				(void) ga_exact_sum_carry(sum);
			check_back(sum, running_family(family)->name);
			sum_free(sum);
		}
	}
	tap_check(n_full > 0, "no full sum among them");
	tap_end();
}

/* Powers of two, each alone and with one below it, of both signs. */
static void
test_powers(void)
{
	int low;
	int high;
	int step = (int) (tap_is_long() ? 7 : 37);

	tap_begin("sums of two powers of two over the whole range");
	for (low = -1074; low <= 1023; low += step)
	{
		for (high = low; high <= 1023; high += high < low + 200 ? 1 : step)
		{
			int signs;

			for (signs = 0; signs < 4; signs++)
			{
				double pair[2] = {ldexp(signs & 1 ? -1 : 1, high),
								  ldexp(signs & 2 ? -1 : 1, low)};
				GaExactSum *sum = sum_of(pair, 2);
				bool is_full = check_back(sum, "a pair");

				/* 160 bits and a sign always fit, 192 seldom */
				tap_check(!is_full || high - low > 64, "full, %d to %d", low,
						  high);
				tap_check(is_full || high - low < 192, "compact, %d to %d", low,
						  high);
				sum_free(sum);
			}
		}
	}
	tap_end();
}

/* So many times the same at an end of the range, as 2^62 inputs would be. */
static void
test_ends(void)
{
	static const double ends[] = {0x1p-1074,
								  -0x1p-1074,
								  0x1.fffffffffffffp-1022,
								  -0x1p-1022,
								  0x1.fffffffffffffp1023,
								  -0x1.fffffffffffffp1023,
								  0x1p1023,
								  -0x1p1023};
	size_t i;
	int doublings;

	tap_begin("sums at both ends of the range");
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
	{
		GaExactSum *sum = sum_of(&ends[i], 1);

		for (doublings = 0; doublings < 62; doublings++)
		{
			GaExactSum *same = sum_new(GA_MAX_CELLS);

			tap_check(!check_back(sum, "an end"), "%a, doubled %d times: full",
					  ends[i], doublings);
			ga_exact_sum_copy(same, GA_MAX_CELLS, sum);
			sum_merge(&sum, same);
			sum_free(same);
		}
		check_back(sum, "an end");
		sum_free(sum);
	}
	tap_end();
}

static void
test_specials(void)
{
	static const double few[][4] = {
		{NAN, 1, 2, 3},
		{INFINITY, 1, 2, 3},
		{-INFINITY, -INFINITY, 0, -0.0},
		{INFINITY, -INFINITY, 1, 1},
		{-0.0, -0.0, -0.0, -0.0},
		{-0.0, 0.0, -0.0, -0.0},
		{0.0, 0.0, 0.0, 0.0},
		{1, -1, -0.0, -0.0},
		{0x1p1000, -0x1p1000, 0x1p-1000, -0x1p-1000},
		{-1, -1, -1, -1}};
	size_t i;
	size_t n;

	tap_begin("specials, and zeros of both signs");
	for (i = 0; i < sizeof(few) / sizeof(few[0]); i++)
	{
		for (n = 0; n <= 4; n++)
		{
			GaExactSum *sum = sum_of(few[i], n);

			tap_check(check_back(sum, "specials") ==
						  (sum->n_nan + sum->n_pos_inf + sum->n_neg_inf > 0),
					  "row %zu, %zu of it: compact or full", i, n);
			sum_free(sum);
		}
	}
	tap_end();
}

/* The records of parts, in any order, make the sum of the whole. */
static void
try_order(Rng *rng, const FloatType *type, const Family *family)
{
	Record records[MAX_RECORDS];
	GaExactSum *whole = sum_new(GA_MIN_CELLS);
	GaExactSum *merged = sum_new(GA_MIN_CELLS);
	int n = rng_between(rng, 1, MAX_RECORDS);
	Exact exact;
	int i;
	size_t k;

	exact_init(&exact);
	for (i = 0; i < n; i++)
	{
		size_t length = rng_below(rng, 30);
		GaExactSum *part;

		family_fill(family, rng, type, x, length);
		sprinkle_neg_zeros(rng, 20, x, length);
		if (rng_chance(rng, 100))
			sprinkle_specials(rng, 10, x, length);
		part = sum_of(x, length);
		(void) put(&records[i], part);
		sum_merge(&whole, part);
		for (k = 0; k < length; k++)
			exact_add(&exact, x[k], 1);
		sum_free(part);
	}
	for (; n > 0; n--)
	{
		i = (int) rng_below(rng, n);
		merge(&merged, &records[i]);
		records[i] = records[n - 1];
	}
	tap_check(same_sums(merged, whole),
			  "%s: in another order the bytes "
			  "differ",
			  family->name);
	tap_check(exact_equals(&exact, merged), "%s: not the exact sum",
			  family->name);
	exact_clear(&exact);
	sum_free(whole);
	sum_free(merged);
}

static void
test_order(Rng *rng)
{
	long i;
	int family;

	tap_begin("the order of merging does not matter");
	for (i = tap_cases(100); i > 0; i--)
	{
		for (family = 0; family < n_running_families(); family++)
		{
			try_order(rng, &float8_type, running_family(family));
			try_order(rng, &float4_type, running_family(family));
		}
	}
	tap_end();
}

/* As many records as can come, all of one sign: no cell runs over. */
static void
test_many(void)
{
	static const double most[] = {-0x1.fffffffffffffp1023, 0x1.fffffep127,
								  -0x1p-1074, NAN};
	size_t i;

	tap_begin("many records of the same");
	for (i = 0; i < 4; i++)
	{
		double pair[2] = {most[i], i % 2 ? 0x1p-900 : most[i]};
		GaExactSum *part = sum_of(pair, 2);
		GaExactSum *merged = sum_new(GA_MIN_CELLS);
		Exact exact;
		Record record;
		long k;
		long n = tap_cases(5000);

		(void) put(&record, part);
		for (k = 0; k < n; k++)
			merge(&merged, &record);
		exact_init(&exact);
		exact_add(&exact, pair[0], n);
		exact_add(&exact, pair[1], n);
		tap_check(exact_equals(&exact, merged), "%ld times %a", n, most[i]);
		exact_clear(&exact);
		sum_free(merged);
		sum_free(part);
	}
	tap_end();
}

/*
 * A device may begin at any cell: the same value in units of a lower cell is
 * the same sum.
 */
static void
test_lower_cells(Rng *rng)
{
	long i;

	tap_begin("records that begin at a lower cell");
	for (i = tap_cases(100000); i > 0; i--)
	{
		int first = rng_between(rng, 2, GA_MAX_CELLS - 8);
		int64_t m = (int64_t) rng_next(rng) >> rng_below(rng, 64);
		int lower = rng_between(rng, 0, 2);
		GaPartialSum partial = {.first = (uint8_t) (first - lower)};
		GaFullSum full;
		GaFullSum full_expected;
		GaExactSum *sum = ga_full_sum_init(&full);
		GaExactSum *expected = ga_full_sum_init(&full_expected);
		GaInt128 shifted = m * ((GaInt128) 1 << lower % 2 * GA_CELL_BITS);
		int at = lower / 2;

		partial.limb[at] = (uint64_t) shifted;
		partial.limb[at + 1] = (uint64_t) (shifted >> 64);
		if (at == 0)
			partial.limb[2] = m < 0 ? UINT64_MAX : 0;
		tap_check(ga_partial_merge(sum, 1, &partial, NULL) == GA_OK, "merging");
		(void) ga_exact_sum_add_scaled(expected, m,
									   GA_CELL_BITS * first - 1074);
		expected->n = 1;
		tap_check(same_sums(sum, expected), "%lld at cell %d, record from %d",
				  (long long) m, first, partial.first);
	}
	tap_end();
}

static void
test_bad_records(void)
{
	GaPartialSum partial = {.kind = GA_PARTIAL_NO_CAPACITY};
	GaExactSum *sum = sum_of((const double[]){1, 2}, 2);
	GaExactSum *before = sum_of((const double[]){1, 2}, 2);

	tap_begin("records that no device made");
	tap_check(ga_partial_merge(sum, 1, &partial, NULL) == GA_BAD_STATE,
			  "one without capacity");
	partial.kind = GA_PARTIAL_NO_CAPACITY + 1;
	tap_check(ga_partial_merge(sum, 1, &partial, NULL) == GA_BAD_STATE,
			  "of no kind");
	partial.kind = GA_PARTIAL_COMPACT;
	partial.first = GA_MAX_CELLS;
	tap_check(ga_partial_merge(sum, 1, &partial, NULL) == GA_BAD_STATE,
			  "beyond the range");
	tap_check(same_sums(sum, before), "the sum has changed");
	sum_free(sum);
	sum_free(before);
	tap_end();
}

static void
test_ints(Rng *rng)
{
	long i;

	tap_begin("records of integers");
	for (i = tap_cases(100000); i > 0; i--)
	{
		GaInt128 a = (GaInt128) (int64_t) rng_next(rng) *
					 (int64_t) (rng_next(rng) >> rng_below(rng, 64));
		GaInt128 b = ((GaInt128) 1 << rng_below(rng, 120)) *
					 (rng_chance(rng, 2) ? 1 : -1);
		GaPartialSum record = {.limb = {(uint64_t) a, (uint64_t) (a >> 64),
										a < 0 ? UINT64_MAX : 0}};
		GaIntSum sum = {0};

		ga_int_sum_add(&sum, b, 3);
		ga_partial_merge_int(&sum, 4, &record);
		tap_check(ga_int_sum_total(&sum) == a + b && sum.n == 7,
				  "the total of %lld inputs", (long long) sum.n);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {71};

	test_families(&rng, &float8_type);
	test_families(&rng, &float4_type);
	test_powers();
	test_ends();
	test_specials();
	test_order(&rng);
	test_many();
	test_lower_cells(&rng);
	test_bad_records();
	test_ints(&rng);
	return tap_done();
}
