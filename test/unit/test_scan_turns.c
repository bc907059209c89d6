/*
 * test_scan_turns.c
 *		Sums and running totals by turns, on one and the same exact sum.
 *
 * An engine leaves a hint in the sum for its next call, whatever that will
 * be: of another kind, type, size or engine.  None may mislead.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "running.h"
#include "running_case.h"
#include "running_families.h"
#include "tap.h"

#define MAX_LENGTH 5000

static const FloatType *const types[] = {&float8_type, &float4_type};

static double x[MAX_LENGTH];

/* The state: the sum under test, and what must be in it. */
typedef struct Turns
{
	GaExactSum *sum;
	GaExactSum *expected;
	Running running;
} Turns;

static void
turns_begin(Turns *turns)
{
	turns->sum = sum_new(GA_MAX_CELLS);
	turns->expected = sum_new(GA_MAX_CELLS);
	running_init(&turns->running);
}

/* The finite value of the sum must be that of its elements. */
static void
check_value(Turns *turns, const char *what)
{
	int64_t n_neg_zero = turns->sum->n_neg_zero;

	turns->sum->n_neg_zero = turns->expected->n_neg_zero;
	tap_check(same_sums(turns->sum, turns->expected), "after %s", what);
	turns->sum->n_neg_zero = n_neg_zero;
}

static void
turns_end(Turns *turns)
{
	sum_free(turns->sum);
	sum_free(turns->expected);
	running_clear(&turns->running);
}

/* Sum n of x by an engine. */
static void
sum_turn(Turns *turns, const GaCpuEngine *engine, const FloatType *type,
		 const char *name, size_t n)
{
	FloatCase fc;
	size_t i;

	float_case_new(&fc, type, name, x, n);
	sum_add_run(&turns->sum, engine, type, fc.data, n);
	sum_add_all(&turns->expected, x, n);
	for (i = 0; i < n; i++)
		running_add(&turns->running, x[i]);
	check_value(turns, name);
	float_case_free(&fc);
}

/* Scan n of x by an engine, and go on behind totals that overflow. */
static void
scan_turn(Turns *turns, const GaCpuEngine *engine, const FloatType *type,
		  const char *name, size_t n)
{
	double *doubles = malloc(n * sizeof(double) + 1);
	float *floats = malloc(n * sizeof(float) + 1);
	FloatCase fc;
	size_t done = 0;
	size_t i;

	float_case_new(&fc, type, name, x, n);
	while (done < n)
	{
		const char *in = (char *) fc.data + done * type->size;
		size_t some =
			type->size == 8 ?
				engine->scan_float8(turns->sum, in, n - done, doubles) :
				engine->scan_float4(turns->sum, in, n - done, floats);

		sum_check(turns->sum);
		for (i = 0; i <= some && done < n; i++, done++)
		{
			double must = 0;
			GaStatus status;

			running_add(&turns->running, x[done]);
			status = running_total(&turns->running, type, &must);
			tap_check(same_result(i < some ? GA_OK : GA_OVERFLOW,
								  type->size == 8 ? doubles[i] : floats[i],
								  status, must),
					  "%s: %s, total %zu of %zu of %s: must be %d %a",
					  engine->name, type->name, done, n, name, status, must);
		}
	}
	sum_add_all(&turns->expected, x, n);
	check_value(turns, name);
	float_case_free(&fc);
	free(doubles);
	free(floats);
}

static void
random_turn(Turns *turns, Rng *rng)
{
	const FloatType *type = types[rng_below(rng, 2)];
	const Family *family = random_running_family(rng);
	size_t n = rng_below(rng, rng_chance(rng, 10) ? MAX_LENGTH : 100);

	family_fill(family, rng, type, x, n);
	if (rng_chance(rng, 4))
		sum_turn(turns, random_engine(rng), type, family->name, n);
	else
		scan_turn(turns, random_engine(rng), type, family->name, n);
}

static void
test_random_turns(Rng *rng)
{
	long i;

	tap_begin("sums and running totals by turns");
	for (i = tap_cases(1500); i > 0; i--)
	{
		Turns turns;
		int turn;

		turns_begin(&turns);
		for (turn = rng_between(rng, 1, 12); turn > 0; turn--)
			random_turn(&turns, rng);
		turns_end(&turns);
	}
	tap_end();
}

/* What a sum had before and was removed of it leaves no trace. */
static void
test_removals(Rng *rng)
{
	long i;

	tap_begin("running totals after removals");
	for (i = tap_cases(2000); i > 0; i--)
	{
		const FloatType *type = types[rng_below(rng, 2)];
		size_t n = rng_below(rng, 300);
		double gone[300];
		Turns turns;
		size_t j;

		turns_begin(&turns);
		family_fill(random_running_family(rng), rng, type, gone, n);
		sum_add_all(&turns.sum, gone, n);
		family_fill(random_running_family(rng), rng, type, x, n);
		sum_add_all(&turns.sum, x, n);
		sum_add_all(&turns.expected, x, n);
		for (j = 0; j < n; j++)
		{
			running_add(&turns.running, x[j]);
			sum_remove(&turns.sum, gone[j]);
		}
		family_fill(random_running_family(rng), rng, type, x, n);
		scan_turn(&turns, random_engine(rng), type, "scan", n);
		turns_end(&turns);
	}
	tap_end();
}

/*
 * A scan of numbers near 2^e, which may leave a hint beyond what sums can take,
 * and then a sum and another scan of numbers of another size.
 */
static void
try_sizes(Rng *rng, int e, int low)
{
	int i, k;

	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		const GaCpuEngine *engine = ga_cpu_engines[i];
		Turns turns;
		size_t n = 0;

		if (!engine->is_supported())
			continue;
		turns_begin(&turns);
		for (; n < 64; n++)
			x[n] = ldexp(n % 2 == 0 ? 1 : -1, e);
		x[n++] = ldexp(1, e - low > -1074 ? e - low : -1074);
		scan_turn(&turns, engine, &float8_type, "large ones", n);
		family_fill(family_find("small integers"), rng, &float8_type, x, 64);
		sum_turn(&turns, engine, &float8_type, "small integers", 64);
		for (k = 0; k < 2; k++)
		{
			family_fill(family_find("small integers"), rng, types[k], x, 70);
			scan_turn(&turns, engine, types[k], "small integers", 70);
		}
		turns_end(&turns);
	}
}

static void
test_sizes(Rng *rng)
{
	static const int lows[] = {10, 80, 90, 120};
	int step = (int) (15 / tap_cases(15));
	int e, k;

	tap_begin("a scan of numbers of any size, and then a sum");
	for (e = -1074; e <= 1023; e += e < 980 && e > -1000 ? 31 * step : 1)
	{
		for (k = 0; k < 4; k++)
			try_sizes(rng, e, lows[k]);
	}
	tap_end();
}

/*
 * A sum of float4 that needs three levels, and a scan of float4 on the same
 * state, which may not take three: its totals would be rounded twice.
 */
static void
test_deep_sums(Rng *rng)
{
	long i;

	tap_begin("a sum of three levels, and then a scan of float4");
	for (i = tap_cases(3000); i > 0; i--)
	{
		const GaCpuEngine *engine = random_engine(rng);
		double bit = ldexp(1, -24 - rng_between(rng, 1, 70));
		size_t n = rng_below(rng, 60) + 30;
		Turns turns;
		size_t j;

		turns_begin(&turns);
		for (j = 0; j < n; j++)
			x[j] = ldexp(rng_chance(rng, 2) ? 1 : -1,
						 rng_chance(rng, 2) ? rng_between(rng, 30, 60) :
											  rng_between(rng, -70, -30));
		sum_turn(&turns, engine, &float4_type, "deep ones", n);
		for (j = 0; j < n; j++)
			x[j] = -x[j];
		sum_turn(&turns, engine, &float4_type, "deep ones", n);
		x[0] = rng_chance(rng, 2) ? 1 : 0x1.000002p0;
		x[1] = 0x1p-24;
		x[2] = bit;
		x[3] = -2 * bit;
		x[4] = -2;
		x[5] = 2 * bit;
		scan_turn(&turns, engine, &float4_type, "half ways", 6);
		turns_end(&turns);
	}
	tap_end();
}

/*
 * A float4 total next to a tie that only bits far below decide, after an array
 * of float8 that needed as many bits: rounded to float8 first, it were wrong.
 */
static void
test_double_rounding(const GaCpuEngine *engine, int depth, bool is_scan)
{
	const double tiny = ldexp(1, -depth);
	Turns turns;

	memset(x, 0, 16 * sizeof(double));
	memcpy(x, (double[]){1, tiny, -1, -tiny}, 4 * sizeof(double));
	turns_begin(&turns);
	if (is_scan)
		scan_turn(&turns, engine, &float8_type, "as many bits", 16);
	else
		sum_turn(&turns, engine, &float8_type, "as many bits", 16);
	memset(x, 0, 16 * sizeof(double));
	memcpy(x, (double[]){1, 0x1p-24, tiny}, 3 * sizeof(double));
	scan_turn(&turns, engine, &float4_type, "a tie", 16);
	turns_end(&turns);
}

static void
test_double_roundings(void)
{
	int i, depth;

	tap_begin("float4, no double rounding after float8");
	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		for (depth = 30; depth <= 149 && ga_cpu_engines[i]->is_supported();
			 depth++)
		{
			test_double_rounding(ga_cpu_engines[i], depth, false);
			test_double_rounding(ga_cpu_engines[i], depth, true);
		}
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {26};

	skip_unsupported_engines();
	test_random_turns(&rng);
	test_removals(&rng);
	test_sizes(&rng);
	test_deep_sums(&rng);
	test_double_roundings();
	return tap_done();
}
