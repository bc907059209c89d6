/*
 * test_int_scan.c
 *		Running totals of integers: each of them, and where one does not fit.
 *
 * A loop over 128-bit totals tells what they must be.
 */
#include <stdlib.h>
#include <string.h>

#include "guarded.h"
#include "exact/int_sum.h"
#include "random_floats.h"
#include "tap.h"

#define MAX_LENGTH 3000
#define GARBAGE	   0xa5 /* where no total has been written */

typedef enum IntType
{
	INT2,
	INT4,
	INT8
} IntType;

static const char *const names[] = {"int2", "int4", "int8"};
static const int sizes[] = {2, 4, 8};

static int64_t x[MAX_LENGTH];
static Guarded in;
static Guarded out;

/* Narrow totals are of 64 bits, those of int8 of 128. */
static size_t
total_size(IntType type)
{
	return type == INT8 ? sizeof(GaInt128) : sizeof(int64_t);
}

static size_t
scan(IntType type, GaIntSum *sum, const void *from, size_t n, void *to)
{
	return type == INT2 ? ga_int_scan_int2(sum, from, n, to) :
		   type == INT4 ? ga_int_scan_int4(sum, from, n, to) :
						  ga_int_scan_int8(sum, from, n, to);
}

static GaInt128
total_at(IntType type, const char *from, size_t i)
{
	int64_t narrow;
	GaInt128 result;

	if (type == INT8)
	{
		memcpy(&result, from + i * sizeof(result), sizeof(result));
		return result;
	}
	memcpy(&narrow, from + i * sizeof(narrow), sizeof(narrow));
	return narrow;
}

/* n of x in the type's own format, next to a guard page. */
static const void *
elements(Rng *rng, IntType type, size_t n)
{
	char *data = malloc(n * 8 + 1);
	size_t offset = rng_below(rng, 9);
	const void *placed;
	size_t i;

	for (i = 0; i < n; i++)
	{
		int16_t x2 = (int16_t) x[i];
		int32_t x4 = (int32_t) x[i];

		memcpy(data + i * sizes[type],
			   type == INT2 ? (const void *) &x2 :
			   type == INT4 ? (const void *) &x4 :
							  &x[i],
			   sizes[type]);
	}
	placed = rng_chance(rng, 2) ?
				 guarded_at_start(&in, offset, data, n * sizes[type]) :
				 guarded_at_end(&in, offset, data, n * sizes[type]);
	free(data);
	return placed;
}

/*
 * Scan n of x from a carried total on, and check all totals up to the first
 * that does not fit, and the sum, which has the elements of these only.
 */
static void
check(Rng *rng, IntType type, GaInt128 carried, size_t n)
{
	const char *from = elements(rng, type, n);
	size_t n_bytes = n * total_size(type);
	char *to = rng_chance(rng, 2) ? guarded_at_start(&out, 0, x, 0) :
									guarded_at_end(&out, 0, x, 0);
	size_t cut = rng_below(rng, n + 1);
	GaIntSum sum = {0};
	GaInt128 total = carried;
	size_t done, i;

	if (to == out.end)
		to -= n_bytes;
	memset(to, GARBAGE, n_bytes);
	ga_int_sum_add(&sum, carried, 5);
	done = scan(type, &sum, from, cut, to);
	if (done == cut)
		done += scan(type, &sum, from + cut * sizes[type], n - cut,
					 to + cut * total_size(type));
	for (i = 0; i < n; i++)
	{
		GaInt128 next = total + x[i];

		if (type != INT8 && next != (int64_t) next)
			break;
		total = next;
		tap_check(i >= done || total_at(type, to, i) == total,
				  "%s: total %zu of %zu", names[type], i, n);
	}
	tap_check(done == i, "%s: %zu totals, must be %zu of %zu", names[type],
			  done, i, n);
	tap_check(ga_int_sum_total(&sum) == total && sum.n == 5 + (int64_t) i,
			  "%s: the sum after %zu of %zu", names[type], i, n);
	for (i = (done + 1) * total_size(type); i < n_bytes; i++)
		tap_check((unsigned char) to[i] == GARBAGE,
				  "%s: written behind the "
				  "total that does not fit",
				  names[type]);
}

/* An integer of the type, of any size. */
static int64_t
random_int(Rng *rng, IntType type)
{
	int bits = 8 * sizes[type];
	int64_t least = INT64_MIN >> (64 - bits);

	if (rng_chance(rng, 10))
		return rng_chance(rng, 2) ? least : -(least + 1);
	return (int64_t) rng_next(rng) >> (64 - rng_between(rng, 1, bits));
}

/* Fill x; mostly of one sign if there is a direction. */
static void
fill(Rng *rng, IntType type, size_t n, int direction)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		x[i] = random_int(rng, type);
		if (direction * (x[i] >> 63 | 1) < 0 && !rng_chance(rng, 10) &&
			x[i] != INT64_MIN >> (64 - 8 * sizes[type]))
			x[i] = -x[i];
	}
}

static void
test_totals(Rng *rng, IntType type)
{
	size_t n;

	tap_begin("%s, running totals", names[type]);
	for (n = 0; n < MAX_LENGTH; n += n < 300 ? 1 : 97)
	{
		GaInt128 carried = random_int(rng, INT8) >> 2;

		fill(rng, type, n, rng_between(rng, -1, 1));
		check(rng, type, 0, n);
		check(rng, type, carried, n);
		if (type == INT8)
			check(rng, type, carried * (INT64_C(1) << rng_below(rng, 60)), n);
	}
	tap_end();
}

/* Carried sums so near to the end of bigint that totals pass it, or do not. */
static void
test_overflow(Rng *rng, IntType type)
{
	long i;

	tap_begin("%s, totals around the ends of bigint", names[type]);
	for (i = tap_cases(20000); i > 0; i--)
	{
		size_t n = rng_below(rng, rng_chance(rng, 20) ? 1000 : 40);
		int direction = rng_chance(rng, 2) ? 1 : -1;
		int64_t off = (int64_t) (rng_next(rng) >>
								 rng_between(rng, 65 - 8 * sizes[type], 63));

		fill(rng, type, n, rng_chance(rng, 2) ? direction : 0);
		check(rng, type, direction > 0 ? INT64_MAX - off : INT64_MIN + off, n);
	}
	tap_end();
}

/* The ends themselves are totals; one more is not. */
static void
test_ends(Rng *rng, IntType type)
{
	int sign;

	tap_begin("%s, the ends of bigint", names[type]);
	for (sign = -1; sign <= 1; sign += 2)
	{
		GaInt128 end = sign > 0 ? INT64_MAX : INT64_MIN;
		size_t n;

		for (n = 0; n <= 8; n++)
		{
			memset(x, 0, sizeof(x));
			check(rng, type, end, 9);
			x[n] = sign;
			check(rng, type, end, 9);
			check(rng, type, end - sign, 9);
			check(rng, type, end - 2 * sign, 9);
			x[n] = -sign;
			check(rng, type, end, 9);
			x[n + 1] = 2 * sign;
			check(rng, type, end, 9);
		}
	}
	tap_end();
}

/* From a total that fits no bigint nothing can go on. */
static void
test_carried_overflow(Rng *rng)
{
	const GaInt128 carried[] = {(GaInt128) INT64_MAX + 1,
								(GaInt128) INT64_MIN - 1,
								(GaInt128) INT64_MAX << 20};
	int type, c;

	tap_begin("carried totals that do not fit");
	for (type = INT2; type <= INT4; type++)
	{
		for (c = 0; c < 3; c++)
		{
			GaIntSum sum = {0};
			int64_t totals[9];

			fill(rng, type, 9, 0);
			ga_int_sum_add(&sum, carried[c], 3);
			tap_check(scan(type, &sum, elements(rng, type, 9), 9, totals) == 0,
					  "%s: there are totals", names[type]);
			tap_check(ga_int_sum_total(&sum) == carried[c] && sum.n == 3,
					  "%s: the sum has changed", names[type]);
		}
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {28};
	int type;

	guarded_new(&in, MAX_LENGTH * sizeof(int64_t));
	guarded_new(&out, MAX_LENGTH * sizeof(GaInt128));
	for (type = INT2; type <= INT8; type++)
	{
		test_totals(&rng, type);
		test_overflow(&rng, type);
		test_ends(&rng, type);
	}
	test_carried_overflow(&rng);
	guarded_free(&in);
	guarded_free(&out);
	return tap_done();
}
