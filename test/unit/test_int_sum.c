/*
 * test_int_sum.c
 *		The sum of integers in 128 bits: results, and its serialized form.
 */
#include <string.h>

#include "exact/int_sum.h"
#include "random_floats.h"
#include "tap.h"

static GaIntSum
int_sum(GaInt128 total, int64_t n)
{
	GaIntSum sum = {0};

	ga_int_sum_add(&sum, total, n);
	return sum;
}

static bool
is_same(const GaIntSum *a, const GaIntSum *b)
{
	return a->n == b->n && a->low == b->low && a->high == b->high;
}

static GaInt128
random_total(Rng *rng)
{
	unsigned __int128 bits =
		(unsigned __int128) rng_next(rng) << 64 | rng_next(rng);

	return (GaInt128) bits >> rng_below(rng, 128);
}

static void
test_adding(Rng *rng)
{
	long i;

	tap_begin("adding and removing");
	for (i = tap_cases(100000); i > 0; i--)
	{
		GaInt128 a = random_total(rng) >> 2;
		GaInt128 b = random_total(rng) >> 2;
		GaIntSum sum = int_sum(a, 5);
		GaIntSum only = int_sum(a, 5);

		tap_check(ga_int_sum_total(&sum) == a, "a");
		ga_int_sum_add(&sum, b, 9);
		tap_check(ga_int_sum_total(&sum) == a + b && sum.n == 14, "a + b");
		ga_int_sum_add(&sum, -b, -9);
		tap_check(is_same(&sum, &only), "a + b - b");
	}
	tap_end();
}

static void
check_result(GaInt128 total, GaStatus status)
{
	GaIntSum sum = int_sum(total, INT64_MAX);
	int64_t result;

	tap_check(ga_int_sum_int8(&sum, &result) == status, "status");
	if (status == GA_OK)
		tap_check(result == total, "result");
}

static void
test_results(void)
{
	tap_begin("results of 64 bits");
	check_result(0, GA_OK);
	check_result(-1, GA_OK);
	check_result(INT64_MAX, GA_OK);
	check_result(INT64_MIN, GA_OK);
	check_result((GaInt128) INT64_MAX + 1, GA_OVERFLOW);
	check_result((GaInt128) INT64_MIN - 1, GA_OVERFLOW);
	check_result((GaInt128) 1 << 64, GA_OVERFLOW);
	check_result(-((GaInt128) 1 << 64), GA_OVERFLOW);
	check_result((GaInt128) 1 << 120, GA_OVERFLOW);
	tap_end();
}

static void
check_round_trip(GaInt128 total, int64_t n)
{
	GaIntSum sum = int_sum(total, n);
	GaIntSum again;
	uint8_t bytes[GA_INT_SUM_BYTES];
	size_t n_bytes = ga_int_sum_serialize(&sum, bytes);

	tap_check(n_bytes == GA_INT_SUM_BYTES, "%zu bytes", n_bytes);
	tap_check(ga_int_sum_deserialize(&again, bytes, n_bytes) == GA_OK &&
				  is_same(&sum, &again),
			  "another sum");
}

static void
test_bytes(Rng *rng)
{
	static const uint8_t golden[GA_INT_SUM_BYTES] = {
		1,	  0,	0,	  0,	0,	  0, 0, 1, 2, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0x80, 0, 0, 0, 0, 0,	0,	  3};
	GaIntSum sum = int_sum((GaInt128) INT64_MIN + 3, 0x102);
	uint8_t bytes[GA_INT_SUM_BYTES];
	long i;

	tap_begin("bytes");
	(void) ga_int_sum_serialize(&sum, bytes);
	tap_check(memcmp(bytes, golden, sizeof(golden)) == 0,
			  "the format has changed");
	check_round_trip(0, 0);
	check_round_trip(INT64_MIN, 1);
	check_round_trip(INT64_MAX, 1);
	check_round_trip((GaInt128) INT64_MIN * GA_INT_SUM_MAX_N, GA_INT_SUM_MAX_N);
	check_round_trip((GaInt128) INT64_MAX * GA_INT_SUM_MAX_N, GA_INT_SUM_MAX_N);
	for (i = tap_cases(100000); i > 0; i--)
		check_round_trip(random_total(rng) >> 9, GA_INT_SUM_MAX_N);
	tap_end();
}

static void
check_damage(const uint8_t *bytes, size_t n_bytes, GaStatus expected)
{
	GaIntSum sum;
	uint8_t copy[GA_INT_SUM_BYTES + 1];
	GaStatus status;

	memcpy(copy, bytes, n_bytes);
	status = ga_int_sum_deserialize(&sum, copy, n_bytes);
	tap_check(status == expected, "status %d, not %d", status, expected);
}

static void
test_damage(void)
{
	uint8_t bytes[GA_INT_SUM_BYTES + 1] = {1};
	GaIntSum sum = int_sum(INT64_MAX, 1);
	size_t n;

	tap_begin("damaged bytes");
	(void) ga_int_sum_serialize(&sum, bytes);
	check_damage(bytes, GA_INT_SUM_BYTES, GA_OK);
	for (n = 0; n < GA_INT_SUM_BYTES; n++)
		check_damage(bytes, n, GA_BAD_STATE);
	check_damage(bytes, GA_INT_SUM_BYTES + 1, GA_BAD_STATE);

	bytes[0] = 2;
	check_damage(bytes, GA_INT_SUM_BYTES, GA_BAD_VERSION);
	bytes[0] = 1;
	bytes[1] = 0x80; /* n < 0 */
	check_damage(bytes, GA_INT_SUM_BYTES, GA_BAD_STATE);
	bytes[1] = 0;

	/* one input too many */
	sum = int_sum(0, GA_INT_SUM_MAX_N + 1);
	(void) ga_int_sum_serialize(&sum, bytes);
	check_damage(bytes, GA_INT_SUM_BYTES, GA_BAD_STATE);

	/* more than so many inputs can have made, by one */
	sum = int_sum((GaInt128) INT64_MAX + 1, 1);
	(void) ga_int_sum_serialize(&sum, bytes);
	check_damage(bytes, GA_INT_SUM_BYTES, GA_BAD_STATE);
	sum = int_sum((GaInt128) INT64_MIN - 1, 1);
	(void) ga_int_sum_serialize(&sum, bytes);
	check_damage(bytes, GA_INT_SUM_BYTES, GA_BAD_STATE);
	sum = int_sum(1, 0);
	(void) ga_int_sum_serialize(&sum, bytes);
	check_damage(bytes, GA_INT_SUM_BYTES, GA_BAD_STATE);
	tap_end();
}

/* Elements of an integer type, at an odd address, and their totals. */
typedef struct ScanTest
{
	char data[1 + 100 * 8];
	int64_t x[100];
	size_t n;
	GaIntSum before;
} ScanTest;

static void
new_scan(Rng *rng, ScanTest *test, int size)
{
	size_t i;

	test->n = rng_below(rng, 101);
	test->before =
		int_sum(random_total(rng) >> (rng_chance(rng, 2) ? 2 : 64), 3);
	if (rng_chance(rng, 2))
		test->before = int_sum(
			rng_chance(rng, 2) ? INT64_MAX - 1000 : INT64_MIN + 1000, 3);
	for (i = 0; i < test->n; i++)
	{
		/* little-endian machines only: the lower bytes come first */
		test->x[i] = (int64_t) rng_next(rng) >> (64 - 8 * size) >>
					 rng_below(rng, 8 * size);
		memcpy(test->data + 1 + i * size, &test->x[i], size);
	}
}

/* Check what a scan of 64-bit totals did: it ends before the first overflow. */
static void
check_scan(const ScanTest *test, const GaIntSum *after, size_t n_out,
		   const int64_t *out)
{
	GaInt128 total = ga_int_sum_total(&test->before);
	GaIntSum expected = test->before;
	size_t i;

	for (i = 0; i < test->n; i++)
	{
		if (total != (int64_t) total ||
			total + test->x[i] != (int64_t) (total + test->x[i]))
			break;
		total += test->x[i];
		ga_int_sum_add(&expected, test->x[i], 1);
		if (i < n_out)
			tap_check(out[i] == total, "total %zu", i);
	}
	tap_check(n_out == i, "%zu totals, must be %zu", n_out, i);
	tap_check(is_same(&expected, after), "the sum after %zu totals", i);
}

static void
test_scans(Rng *rng)
{
	int64_t out[100];
	GaInt128 totals[100];
	ScanTest test;
	GaIntSum sum;
	size_t i;
	long j;

	tap_begin("running totals");
	for (j = tap_cases(20000); j > 0; j--)
	{
		GaInt128 total;

		new_scan(rng, &test, 2);
		sum = test.before;
		i = ga_int_scan_int2(&sum, test.data + 1, test.n, out);
		check_scan(&test, &sum, i, out);
		new_scan(rng, &test, 4);
		sum = test.before;
		i = ga_int_scan_int4(&sum, test.data + 1, test.n, out);
		check_scan(&test, &sum, i, out);

		new_scan(rng, &test, 8);
		sum = test.before;
		tap_check(ga_int_scan_int8(&sum, test.data + 1, test.n, totals) ==
					  test.n,
				  "int8 totals end early");
		total = ga_int_sum_total(&test.before);
		for (i = 0; i < test.n; i++)
		{
			total += test.x[i];
			tap_check(totals[i] == total, "int8 total %zu", i);
		}
		tap_check(ga_int_sum_total(&sum) == total &&
					  sum.n == (int64_t) test.n + 3,
				  "the sum after int8 totals");
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {6};

	test_adding(&rng);
	test_results();
	test_bytes(&rng);
	test_damage();
	test_scans(&rng);
	return tap_done();
}
