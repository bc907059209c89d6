/*
 * test_exact_sum.c
 *		The exact sum: adding, removing, and capacity.
 *
 * Each step of the random walks is compared with GMP's integers, in all bytes
 * of the state and in the rounded results.
 */
#include <math.h>

#include "float_families.h"
#include "oracle.h"
#include "tap.h"

#define MAX_LIVE 300 /* numbers in a random walk */

static const FloatType *const types[] = {&float8_type, &float4_type};

static void
test_empty(void)
{
	int capacity;

	tap_begin("an empty sum");
	for (capacity = 0; capacity <= GA_MAX_CELLS; capacity++)
	{
		GaExactSum *sum = sum_new(capacity);
		double result = -1;

		tap_check(sum->capacity == capacity && sum->n == 0 && sum->n_cells == 0,
				  "not empty");
		tap_check(sum_result(sum, &float8_type, &result) == GA_OK &&
					  result == 0 && !signbit(result),
				  "float8 %a", result);
		tap_check(sum_result(sum, &float4_type, &result) == GA_OK &&
					  result == 0 && !signbit(result),
				  "float4 %a", result);
		sum_free(sum);
	}
	tap_end();
}

static void
test_larger(void)
{
	int capacity;

	tap_begin("larger capacities");
	for (capacity = 0; capacity <= GA_MAX_CELLS; capacity++)
	{
		GaExactSum *sum = sum_new(capacity);

		tap_check(ga_exact_sum_larger(sum) == (capacity < 10 ? 10 :
											   capacity < 26 ? 26 :
															   68),
				  "%d after %d", ga_exact_sum_larger(sum), capacity);
		sum_free(sum);
	}
	tap_end();
}

/* A sum of terms, some of them removed again, and what it must round to. */
typedef struct Rule
{
	const char *name;
	double add[5];
	int n_add;
	double remove[4];
	int n_remove;
	double result;
} Rule;

static const Rule rules[] = {
	{"-0", {-0.0}, 1, {0}, 0, -0.0},
	{"-0 -0", {-0.0, -0.0}, 2, {0}, 0, -0.0},
	{"-0 +0", {-0.0, 0.0}, 2, {0}, 0, 0.0},
	{"+0 -0", {0.0, -0.0}, 2, {0}, 0, 0.0},
	{"-0 +0, out +0", {-0.0, 0.0}, 2, {0.0}, 1, -0.0},
	{"-0 +0, out -0", {-0.0, 0.0}, 2, {-0.0}, 1, 0.0},
	{"-0, out -0", {-0.0}, 1, {-0.0}, 1, 0.0},
	{"x -x", {1.5, -1.5}, 2, {0}, 0, 0.0},
	{"x -x -0", {1.5, -1.5, -0.0}, 3, {0}, 0, 0.0},
	{"-0 x, out x", {-0.0, 1.5}, 2, {1.5}, 1, -0.0},
	{"-0 -x, out -x", {-0.0, -1.5}, 2, {-1.5}, 1, -0.0},
	{"-0 NaN, out NaN", {-0.0, NAN}, 2, {NAN}, 1, -0.0},
	{"-0 inf, out inf", {-0.0, INFINITY}, 2, {INFINITY}, 1, -0.0},
	{"NaN", {NAN}, 1, {0}, 0, NAN},
	{"NaN 1", {NAN, 1}, 2, {0}, 0, NAN},
	{"NaN inf", {NAN, INFINITY}, 2, {0}, 0, NAN},
	{"NaN inf, out NaN", {NAN, INFINITY}, 2, {NAN}, 1, INFINITY},
	{"NaN NaN 1, out NaN", {NAN, NAN, 1}, 3, {NAN}, 1, NAN},
	{"NaN NaN 1, out both", {NAN, NAN, 1}, 3, {NAN, NAN}, 2, 1},
	{"inf", {INFINITY}, 1, {0}, 0, INFINITY},
	{"-inf", {-INFINITY}, 1, {0}, 0, -INFINITY},
	{"inf inf", {INFINITY, INFINITY}, 2, {0}, 0, INFINITY},
	{"inf -inf", {INFINITY, -INFINITY}, 2, {0}, 0, NAN},
	{"inf -inf 1, out inf",
	 {INFINITY, -INFINITY, 1},
	 3,
	 {INFINITY},
	 1,
	 -INFINITY},
	{"inf -inf 1, out -inf",
	 {INFINITY, -INFINITY, 1},
	 3,
	 {-INFINITY},
	 1,
	 INFINITY},
	{"inf inf 1, out inf", {INFINITY, INFINITY, 1}, 3, {INFINITY}, 1, INFINITY},
	{"inf 1, out inf", {INFINITY, 1}, 2, {INFINITY}, 1, 1},
	{"inf, and too large", {INFINITY, 1e308, 1e308}, 3, {0}, 0, INFINITY},
	{"-inf, and too large", {-INFINITY, 1e308, 1e308}, 3, {0}, 0, -INFINITY},
	{"1e308 1e308 -1e308", {1e308, 1e308, -1e308}, 3, {0}, 0, 1e308},
	{"1e308 1e308, out 1e308", {1e308, 1e308}, 2, {1e308}, 1, 1e308},
	{"1e308 1 1e-308, out 1e308 1",
	 {1e308, 1, 1e-308},
	 3,
	 {1e308, 1},
	 2,
	 1e-308},
};

static void
test_rules(void)
{
	int r, i;

	tap_begin("zeros, NaN and infinities");
	for (r = 0; r < (int) (sizeof(rules) / sizeof(rules[0])); r++)
	{
		const Rule *rule = &rules[r];
		GaExactSum *sum = sum_new(GA_MIN_CELLS);
		double result = 0;
		GaStatus status;

		for (i = 0; i < rule->n_add; i++)
			sum_add(&sum, rule->add[i]);
		for (i = 0; i < rule->n_remove; i++)
			sum_remove(&sum, rule->remove[i]);
		status = sum_result(sum, &float8_type, &result);
		tap_check(same_result(status, result, GA_OK, rule->result), "%s: %d %a",
				  rule->name, status, result);
		tap_check(!isnan(result) ||
					  ga_float8_bits(result) == UINT64_C(0x7ff8000000000000),
				  "%s: not the usual NaN", rule->name);
		if (fabs(rule->result) <= 1e-308 || fabs(rule->result) >= 1e308 ||
			isnan(rule->result))
		{
			sum_free(sum);
			continue;
		}
		status = sum_result(sum, &float4_type, &result);
		tap_check(same_result(status, result, GA_OK, rule->result),
				  "%s as float4: %d %a", rule->name, status, result);
		sum_free(sum);
	}
	tap_end();
}

/*
 * Add, and take out in any order, what a family has: at first more is added,
 * then more is removed, until nothing is left.
 */
static void
walk(Rng *rng, const FloatType *type, const Family *family, int capacity)
{
	GaExactSum *sum = sum_new(capacity);
	double x[MAX_LIVE];
	size_t n = 0, i;
	bool is_growing = true;
	Exact exact;

	exact_init(&exact);
	family_fill(family, rng, type, x, MAX_LIVE);
	if (rng_chance(rng, 2))
		sprinkle_neg_zeros(rng, 3, x, MAX_LIVE);
	if (rng_chance(rng, 4))
		sprinkle_specials(rng, 30, x, MAX_LIVE);
	do
	{
		if (n < MAX_LIVE && rng_chance(rng, 4) != is_growing)
		{
			sum_add(&sum, x[n]);
			exact_add(&exact, x[n++], 1);
		}
		else if (n > 0)
		{
			double out;

			i = rng_below(rng, n);
			out = x[i];
			x[i] = x[--n];
			x[n] = out;
			sum_remove(&sum, out);
			exact_add(&exact, out, -1);
		}
		tap_check(exact_equals(&exact, sum), "%zu of %s, %s", n, family->name,
				  type->name);
		if (n == MAX_LIVE)
			is_growing = false;
	} while (n > 0 || is_growing);
	exact_clear(&exact);
	sum_free(sum);
}

static void
test_walks(Rng *rng)
{
	int f, capacity;

	for (f = 0; f < n_families; f++)
	{
		long i;

		tap_begin("adding and removing, %s", families[f].name);
		for (i = tap_cases(10); i > 0; i--)
			walk(rng, types[rng_below(rng, 2)], &families[f], GA_MIN_CELLS);
		tap_end();
	}
	tap_begin("any capacity at first");
	for (capacity = 0; capacity <= GA_MAX_CELLS; capacity++)
		walk(rng, &float8_type, family_find("all exponents"), capacity);
	tap_end();
}

/* All shifts within a cell, all pending additions, and all the time. */
static void
test_carries(void)
{
	long n = tap_cases(1000000);
	int e, signs;

	for (signs = 0; signs < 4; signs++)
	{
		static const char *const names[] = {"plus", "minus", "in turn",
											"minus in tiles of 1500"};

		tap_begin("1000000 additions of one magnitude, %s", names[signs]);
		for (e = 0; e < 33; e += n < 1000000 ? 4 : 1)
		{
			double x = float_largest(&float8_type, e == 32 ? 1023 : e - 40);
			GaExactSum *sum = sum_new(GA_MIN_CELLS);
			long sign_sum = 0;
			Exact exact;
			long i;

			for (i = 0; i < n; i++)
			{
				bool minus = signs == 1 || (signs == 2 && i % 2) ||
							 (signs == 3 && i / 1500 % 2);

				(void) ga_exact_sum_add(sum, minus ? -x : x);
				tap_check(ga_exact_sum_is_valid(sum), "after %ld", i + 1);
				sign_sum += minus ? -1 : 1;
			}
			exact_init(&exact);
			exact_add(&exact, x, sign_sum);
			exact.n = n;
			tap_check(exact_equals(&exact, sum), "%ld of %a", n, x);

			/* and back */
			for (i = 0; i < n; i++)
			{
				bool minus = signs == 1 || (signs == 2 && i % 2) ||
							 (signs == 3 && i / 1500 % 2);

				(void) ga_exact_sum_remove(sum, minus ? -x : x);
			}
			exact_add(&exact, x, -sign_sum);
			exact.n = 0;
			tap_check(exact_equals(&exact, sum), "%ld of %a and back", n, x);
			exact_clear(&exact);
			sum_free(sum);
		}
		tap_end();
	}
}

/* m * 2^exponent, as the engines add it, after reserving its cells. */
static void
test_scaled(Rng *rng)
{
	long i;

	tap_begin("scaled integers");
	for (i = tap_cases(20000); i > 0; i--)
	{
		GaExactSum *sum = sum_new(GA_MIN_CELLS);
		Exact exact;
		int j;

		exact_init(&exact);
		for (j = rng_between(rng, 1, 40); j > 0; j--)
		{
			int low = rng_between(rng, -1074, 1003);
			int high = low + rng_between(rng, 0, 100);
			int e;
			int64_t m = (int64_t) rng_next(rng) >> rng_below(rng, 64);

			high = high < 1003 ? high : 1003;
			e = rng_between(rng, low, high);
			m >>= e > 950 ? 25 : 0;
			while (ga_exact_sum_reserve_scaled(sum, low, high) != GA_OK)
				sum_grow(&sum);
			tap_check(ga_exact_sum_add_scaled(sum, m, e) == GA_OK,
					  "no capacity for 2^%d in 2^%d to 2^%d", e, low, high);
			sum_check(sum);
			exact_add_scaled(&exact, m, e);
		}
		tap_check(exact_equals(&exact, sum), "wrong");
		exact_clear(&exact);
		sum_free(sum);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {7};

	test_empty();
	test_larger();
	test_rules();
	test_walks(&rng);
	test_carries();
	test_scaled(&rng);
	return tap_done();
}
