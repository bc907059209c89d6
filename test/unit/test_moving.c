/*
 * test_moving.c
 *		Moving sums and means by the CPU engines.
 *
 * All outputs are compared with GMP's integers, bit by bit: what enters is
 * added, what leaves is removed, and the result is rounded anew.
 */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"
#include "running_case.h"
#include "running_families.h"
#include "tap.h"

#define MAX_LENGTH 6000

static const FloatType *const types[] = {&float8_type, &float4_type};

static double x[MAX_LENGTH];
static float singles[MAX_LENGTH];
static double counts[MAX_LENGTH];
static double must[MAX_LENGTH];
static GaStatus status[MAX_LENGTH];

/* What the window over each element must give. */
static void
expect(const FloatType *type, size_t n, size_t window, bool is_mean)
{
	Exact exact;
	size_t i;

	exact_init(&exact);
	for (i = 0; i < n; i++)
	{
		int64_t n_items;

		exact_add(&exact, x[i], 1);
		if (i >= window)
			exact_add(&exact, x[i - window], -1);
		n_items = exact.n;

		/* a mean's count is the caller's; -0 follows the elements */
		if (is_mean && exact.n_neg_zero != exact.n)
			exact.n = (int64_t) counts[i];
		status[i] = is_mean ? oracle_mean(&exact, &must[i]) :
							  exact_result(&exact, type, &must[i]);
		exact.n = n_items;
	}
	exact_clear(&exact);
}

/* Move the window over a part of the elements, of which it has `window`. */
static size_t
move(const GaCpuEngine *engine, const FloatType *type, GaMoving *moving,
	 size_t from, size_t n, size_t window, bool is_mean, void *out)
{
	const double *divisors = is_mean ? counts + from : NULL;
	const bool grows = from < window;

	if (type->size == 4)
		return engine->moving_float4(moving, singles + from,
									 grows ? NULL : singles + from - window, n,
									 divisors, out);
	return engine->moving_float8(
		moving, x + from, grows ? NULL : x + from - window, n, divisors, out);
}

static double
output(const FloatType *type, bool is_mean, const void *out, size_t i)
{
	return type->size == 4 && !is_mean ? (double) ((const float *) out)[i] :
										 ((const double *) out)[i];
}

/* Move a window over all elements in parts, and check each output. */
static void
check_engine(const GaCpuEngine *engine, const FloatType *type, const char *name,
			 size_t n, size_t window, bool is_mean, Rng *rng)
{
	GaMoving moving;
	size_t done, part, n_out, i;

	ga_moving_init(&moving);
	for (done = 0; done < n; done += part)
	{
		double *out;

		part = 1 + rng_below(rng, rng_chance(rng, 3) ? n - done : 40);
		part = part < n - done ? part : n - done;
		if (done < window && part > window - done)
			part = window - done;

		/* a buffer of its own, so that tools see what is beyond it */
		out = malloc(part * sizeof(double));
		n_out = move(engine, type, &moving, done, part, window, is_mean, out);
		for (i = 0; i < n_out; i++)
		{
			double is = output(type, is_mean, out, i);

			tap_check(same_result(status[done + i], must[done + i], GA_OK, is),
					  "%s, %s: output %zu of window %zu is %a, not %a",
					  engine->name, name, done + i, window, is, must[done + i]);
		}
		free(out);
		if (n_out < part)
		{
			tap_check(status[done + n_out] == GA_OVERFLOW,
					  "%s, %s: output %zu does not overflow", engine->name,
					  name, done + n_out);
			return;
		}
	}
}

/* Check all engines with the first n of x, sums and means. */
static void
check_all(const FloatType *type, const char *name, size_t n, size_t window,
		  Rng *rng)
{
	int is_mean, k;
	size_t i;

	for (i = 0; i < n; i++)
	{
		singles[i] = type->size == 4 ? (float) x[i] : 0;
		counts[i] = rng_chance(rng, 4) ? 1 + (double) rng_below(rng, 1 << 20) :
					i < window		   ? (double) (i + 1) :
										 (double) window;
	}
	for (is_mean = 0; is_mean < 2; is_mean++)
	{
		expect(type, n, window, is_mean);
		for (k = 0; k < ga_cpu_n_engines; k++)
		{
			if (ga_cpu_engines[k]->is_supported())
				check_engine(ga_cpu_engines[k], type, name, n, window, is_mean,
							 rng);
		}
	}
}

static size_t
random_window(Rng *rng, size_t n)
{
	return 1 + rng_below(rng, rng_chance(rng, 2) ? 12 : n + 3);
}

static void
test_families(Rng *rng, const FloatType *type)
{
	int i;
	long k;

	for (i = 0; i < n_running_families(); i++)
	{
		const Family *family = running_family(i);

		tap_begin("%s, moving sums and means, %s", type->name, family->name);
		for (k = tap_cases(300) + 1; k > 0; k--)
		{
			size_t n = 1 + rng_below(rng, rng_chance(rng, 8) ? 5000 : 300);

			family_fill(family, rng, type, x, n);
			check_all(type, family->name, n, random_window(rng, n), rng);
		}
		tap_end();
	}
}

/* Parts of families one behind the other, with specials and -0 among them. */
static void
test_mixed(Rng *rng, const FloatType *type)
{
	long i;

	tap_begin("%s, moving sums and means of mixed families", type->name);
	for (i = tap_cases(6000); i > 0; i--)
	{
		size_t n = 1 + rng_below(rng, rng_chance(rng, 8) ? 5000 : 300);
		size_t done = 0;

		while (done < n)
		{
			size_t part = 1 + rng_below(rng, rng_chance(rng, 2) ? 2500 : 60);

			part = part < n - done ? part : n - done;
			family_fill(random_running_family(rng), rng, type, x + done, part);
			done += part;
		}
		if (rng_chance(rng, 3))
			sprinkle_neg_zeros(rng, rng_between(rng, 1, 100), x, n);
		if (rng_chance(rng, 3))
			sprinkle_specials(rng, rng_between(rng, 100, 9000), x, n);
		check_all(type, "mixed families", n, random_window(rng, n), rng);
	}
	tap_end();
}

/* Runs of -0 as long as the window, one more and one less. */
static void
test_minus_zeros(Rng *rng, const FloatType *type)
{
	long i;

	tap_begin("%s, windows of nothing but -0", type->name);
	for (i = tap_cases(4000); i > 0; i--)
	{
		size_t n = 1 + rng_below(rng, rng_chance(rng, 8) ? 3000 : 100);
		size_t window = random_window(rng, n);
		size_t done = 0;

		while (done < n)
		{
			size_t run = window + rng_below(rng, 3);

			for (; run > 1 && done < n; run--)
				x[done++] = -0.0;
			if (done < n)
				x[done++] = rng_chance(rng, 2) ? 0.0 : 1.5;
		}
		check_all(type, "runs of -0", n, window, rng);
	}
	tap_end();
}

/* Large elements that cancel as they enter and leave, and hide small ones. */
static void
test_hidden(Rng *rng, const FloatType *type)
{
	int last = type->size == 8 ? 900 : 90;
	long k;

	tap_begin("%s, large elements that leave as others enter", type->name);
	for (k = tap_cases(3000); k > 0; k--)
	{
		size_t n = 2 + rng_below(rng, rng_chance(rng, 4) ? 3000 : 200);
		size_t period = 1 + rng_below(rng, 5);
		double large = ldexp(1, rng_between(rng, 20, last));
		size_t i;

		/* a first tile of small ones leaves a hint for a small scale */
		for (i = 0; i < n; i++)
		{
			double small = rng_between(rng, -9, 9) / 4.0;

			x[i] = i < n / 2		   ? small :
				   i / period % 2 == 0 ? large :
				   i % 3 == 0		   ? -large :
										 small;
		}
		check_all(type, "large and small", n, period * rng_between(rng, 1, 3),
				  rng);
	}
	tap_end();
}

/*
 * Large elements that differ little from those that leave as they enter, so
 * that the sum is small, and the scale that of a tile without them.
 */
static void
test_replaced(Rng *rng, const FloatType *type)
{
	const int bits = type->precision;
	long k;

	tap_begin("%s, large elements that replace others", type->name);
	for (k = tap_cases(600); k > 0; k--)
	{
		size_t window = (size_t) rng_between(rng, 1300, 2400);
		size_t slot = rng_below(rng, 60);
		size_t apart = 1 + rng_below(rng, 60);
		double large = ldexp(1, rng_between(rng, 10, bits == 53 ? 60 : 30));
		size_t i;

		for (i = 0; i < MAX_LENGTH; i++)
		{
			size_t at = i % window;

			x[i] = ldexp(rng_between(rng, -(1 << 23), 1 << 23),
						 -23 - rng_between(rng, 0, 30));
			if (at == slot || at == slot + apart)
				x[i] = (at == slot ? large : -large) *
					   (1 - ldexp(rng_between(rng, 0, 9),
								  -bits + rng_between(rng, 0, 5)));
		}
		check_all(type, "replaced", MAX_LENGTH, window, rng);
	}
	tap_end();
}

/* Quotients that lie halfway between two doubles, or nearly. */
static void
test_ties(Rng *rng)
{
	long k;

	tap_begin("means that are ties, or nearly");
	for (k = tap_cases(4000); k > 0; k--)
	{
		size_t n = 1 + rng_below(rng, 400);
		size_t window = 1 + rng_below(rng, 9);
		size_t i;

		for (i = 0; i < n; i++)
		{
			double unit = ldexp(1, rng_between(rng, -3, 3));

			x[i] = (ldexp(1, 52) + (double) rng_below(rng, 1000)) * unit;
			if (rng_chance(rng, 5))
				x[i] = ldexp(rng_between(rng, -3, 3), -rng_between(rng, 0, 99));
		}
		check_all(&float8_type, "ties", n, window, rng);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {77};
	int t;

	skip_unsupported_engines();
	for (t = 0; t < 2; t++)
	{
		test_families(&rng, types[t]);
		test_mixed(&rng, types[t]);
		test_minus_zeros(&rng, types[t]);
		test_hidden(&rng, types[t]);
		test_replaced(&rng, types[t]);
	}
	test_ties(&rng);
	return tap_done();
}
