/*
 * test_cpu_scan.c
 *		Running totals of floats by the CPU engines.
 *
 * Output i must be the sum of all up to i, rounded once.  Sums that grow one
 * by XX
 */
#include <math.h>

#include "scan_case.h"
#include "tap.h"

#define MAX_LENGTH 20000

static const FloatType *const types[] = {&float8_type, &float4_type};

static double x[MAX_LENGTH];
static Guarded in;
static Guarded out;

/* Check all engines on the first n of x, between guard pages. */
static void
check(Rng *rng, const FloatType *type, const char *name, size_t n)
{
	size_t n_before = rng_chance(rng, 3) ? rng_below(rng, n + 1) : 0;
	size_t n_first = rng_chance(rng, 3) ? rng_below(rng, n - n_before + 1) : 0;
	size_t n_bytes = (n - n_before) * type->size;
	size_t offset = rng_below(rng, 10);
	FloatCase fc;
	ScanCase sc;
	int i;

	float_case_new(&fc, type, name, x, n);
	scan_case_new(&sc, &fc, n_before);
	for (i = 0; i < 5 && sc.n_totals > 0; i++)
		scan_case_check_total(&sc, rng_below(rng, sc.n_totals));
	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		const char *data = (char *) fc.data + n_before * type->size;

		if (!ga_cpu_engines[i]->is_supported())
			continue;
		scan_case_check(&sc, ga_cpu_engines[i],
						guarded_at_end(&in, 0, data, n_bytes),
						guarded_at_end(&out, 0, data, n_bytes), n_first);
		scan_case_check(&sc, ga_cpu_engines[i],
						guarded_at_start(&in, offset, data, n_bytes),
						guarded_at_start(&out, 0, data, n_bytes), n_first);
	}
	scan_case_free(&sc);
	float_case_free(&fc);
}

static void
test_family(Rng *rng, const FloatType *type, const Family *family)
{
	static const int blocks[] = {512, 1024, 2048, 4096};
	int step = (int) (200 / tap_cases(200));
	size_t n;
	long i;

	tap_begin("%s, running totals, %s", type->name, family->name);
	for (n = 0; n <= 200; n += rng_between(rng, 1, 2 * step - 1))
	{
		family_fill(family, rng, type, x, n);
		check(rng, type, family->name, n);
	}
	for (i = tap_cases(60); i > 0; i--)
	{
		n = blocks[rng_below(rng, 4)] + rng_between(rng, -9, 9);
		if (rng_chance(rng, 6))
			n = rng_below(rng, MAX_LENGTH);
		family_fill(family, rng, type, x, n);
		if (rng_chance(rng, 4))
			sprinkle_neg_zeros(rng, rng_between(rng, 1, 20), x, n);
		if (rng_chance(rng, 8))
			sprinkle_specials(rng, rng_between(rng, 10, 5000), x, n);
		check(rng, type, family->name, n);
	}
	tap_end();
}

/* From block to block of another family. */
static void
test_mixed(Rng *rng, const FloatType *type)
{
	long i;

	tap_begin("%s, running totals, mixed families", type->name);
	for (i = tap_cases(200); i > 0; i--)
	{
		size_t n = rng_below(rng, MAX_LENGTH);
		size_t done = 0;

		while (done < n)
		{
			size_t piece = rng_below(rng, 4000) + 1;

			piece = piece < n - done ? piece : n - done;
			family_fill(&families[rng_below(rng, n_families)], rng, type,
						x + done, piece);
			done += piece;
		}
		check(rng, type, "mixed families", n);
	}
	tap_end();
}

/* -0 stays -0 until something else comes, at any place. */
static void
test_minus_zeros(Rng *rng, const FloatType *type)
{
	const double others[] = {0.0, 1.0, NAN, INFINITY};
	size_t n, i;

	tap_begin("%s, running totals, -0 first", type->name);
	for (n = 1; n <= (size_t) tap_cases(70) + 1; n++)
	{
		for (i = 0; i <= n; i++)
		{
			family_fill(family_find("minus zeros"), rng, type, x, n);
			if (i < n)
				x[i] = others[rng_below(rng, 4)];
			check(rng, type, "minus zeros", n);
		}
	}
	tap_end();
}

/* The first total that overflows, at any place; after it nothing is done. */
static void
test_overflow(Rng *rng, const FloatType *type)
{
	long i;

	tap_begin("%s, running totals that overflow", type->name);
	for (i = tap_cases(2000); i > 0; i--)
	{
		size_t n = rng_below(rng, rng_chance(rng, 10) ? 5000 : 100) + 2;
		double max = float_largest(type, type->max);
		size_t at = rng_below(rng, n - 1);

		family_fill(&families[rng_below(rng, n_families)], rng, type, x, n);
		x[at] = rng_chance(rng, 2) ? max : max / 2;
		x[rng_below(rng, n)] = x[at];
		if (rng_chance(rng, 2))
			x[at + 1] = -max;
		check(rng, type, "numbers that overflow", n);
	}
	tap_end();
}

/* n numbers, up to 40 exponents below a middle one and up to 19 above it. */
static void
fill_around(Rng *rng, const FloatType *type, int middle, size_t n)
{
	int least = middle - rng_between(rng, 0, 40);
	int most = middle + rng_between(rng, 0, 19);
	int plus = rng_between(rng, 0, 1);

	if (least < type->least)
		least = type->least;
	for (; n > 0; n--)
	{
		x[n - 1] = float_random(rng, type, rng_between(rng, least, most));
		if (!plus && rng_chance(rng, 2))
			x[n - 1] = -x[n - 1];
	}
}

/* Scan x, and check the totals against those of a sum that grows along. */
static void
scan_along(const GaCpuEngine *engine, const FloatType *type, const void *data,
		   size_t n, GaExactSum *sum, GaExactSum *expected)
{
	static double totals[100];
	size_t done = type->size == 8 ?
					  engine->scan_float8(sum, data, n, totals) :
					  engine->scan_float4(sum, data, n, (float *) totals);
	size_t i;

	tap_check(done == n, "overflow");
	for (i = 0; i < n; i++)
	{
		double must = 0;
		double is = type->size == 8 ? totals[i] : ((float *) totals)[i];

		(void) ga_exact_sum_add(expected, x[i]);
		(void) sum_result(expected, type, &must);
		tap_check(same_result(GA_OK, is, GA_OK, must),
				  "%s: %s total %zu is %a, must be %a", engine->name,
				  type->name, i, is, must);
	}
}

/*
 * Scans and sums of arrays, one after the other, by any engine: what one
 * leaves in the sum for the next must not mislead.
 */
static void
test_with_sums(Rng *rng)
{
	long i;

	tap_begin("scans and sums in turn");
	for (i = tap_cases(20000); i > 0; i--)
	{
		GaExactSum *sum = sum_new(GA_MAX_CELLS);
		GaExactSum *expected = sum_new(GA_MAX_CELLS);
		bool is_wide = rng_chance(rng, 2);
		int middle =
			is_wide ? rng_between(rng, -1074, 990) : rng_between(rng, -149, 90);
		int turn;

		for (turn = rng_between(rng, 1, 6); turn > 0; turn--)
		{
			const GaCpuEngine *engine =
				ga_cpu_engines[rng_below(rng, ga_cpu_n_engines)];
			const FloatType *type = types[is_wide ? 0 : rng_below(rng, 2)];
			size_t n = rng_below(rng, 100);
			FloatCase fc;

			if (!engine->is_supported())
				continue;
			fill_around(rng, type, middle, n);
			float_case_new(&fc, type, "numbers of one size", x, n);
			if (rng_chance(rng, 2))
			{
				sum_add_run(&sum, engine, type, fc.data, n);
				sum_add_all(&expected, x, n);
			}
			else
				scan_along(engine, type, fc.data, n, sum, expected);
			tap_check(same_sums(sum, expected), "%s: %zu around 2^%d",
					  engine->name, n, middle);
			float_case_free(&fc);
		}
		sum_free(sum);
		sum_free(expected);
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
	const double wide[16] = {1.0, ldexp(1, -depth), -1.0, -ldexp(1, -depth)};
	const float narrow[16] = {1.0f, 0x1p-24f, (float) ldexp(1, -depth)};
	GaExactSum *sum = sum_new(GA_MAX_CELLS);
	GaExactSum *expected;
	double totals[16];
	int i;

	if (is_scan)
		(void) engine->scan_float8(sum, wide, 16, totals);
	else
		(void) engine->sum_float8(sum, wide, 16);
	expected = sum_of(wide, 16);
	for (i = 0; i < 16; i++)
		x[i] = narrow[i];
	scan_along(engine, &float4_type, narrow, 16, sum, expected);
	sum_free(sum);
	sum_free(expected);
}

static void
test_double_roundings(void)
{
	int i, depth;

	tap_begin("float4, no double rounding after float8");
	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		if (!ga_cpu_engines[i]->is_supported())
			continue;
		for (depth = 30; depth <= 149; depth++)
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
	Rng rng = {14};
	int t, f;

	skip_unsupported_engines();
	guarded_new(&in, MAX_LENGTH * sizeof(double));
	guarded_new(&out, MAX_LENGTH * sizeof(double));
	for (t = 0; t < 2; t++)
	{
		for (f = 0; f < n_families; f++)
			test_family(&rng, types[t], &families[f]);
		test_mixed(&rng, types[t]);
		test_minus_zeros(&rng, types[t]);
		test_overflow(&rng, types[t]);
	}
	test_with_sums(&rng);
	test_double_roundings();
	guarded_free(&in);
	guarded_free(&out);
	return tap_done();
}
