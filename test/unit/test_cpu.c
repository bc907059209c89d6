/*
 * test_cpu.c
 *		The CPU engines as their callers use them: the choice of one, and sums
 *		that grow while a run is added.
 */
#include <math.h>
#include <stdlib.h>

#include "float_case.h"
#include "tap.h"

#define MAX_LENGTH 20000

static const FloatType *const types[] = {&float8_type, &float4_type};

static double x[MAX_LENGTH];

static void
test_choice(void)
{
	const GaCpuEngine *best = ga_cpu_best();
	const GaCpuEngine *last = ga_cpu_engines[ga_cpu_n_engines - 1];
	int i;

	tap_begin("the choice of an engine");
	tap_check(last == &ga_cpu_baseline, "the last one is %s", last->name);
	tap_check(last->is_supported(), "baseline is not supported");
	tap_check(best->is_supported(), "the best one, %s, is not supported",
			  best->name);
	for (i = 0; ga_cpu_engines[i] != best; i++)
		tap_check(!ga_cpu_engines[i]->is_supported(),
				  "%s is supported and is before %s", ga_cpu_engines[i]->name,
				  best->name);
	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		const GaCpuEngine *engine = ga_cpu_engines[i];

		tap_check(ga_cpu_find(engine->name) ==
					  (engine->is_supported() ? engine : NULL),
				  "%s is not found by its name", engine->name);
	}
	tap_check(ga_cpu_find("baseline") == &ga_cpu_baseline, "baseline");
	tap_check(ga_cpu_find("base") == NULL, "base");
	tap_check(ga_cpu_find("") == NULL, "no name");
	tap_end();
}

static size_t
add_some(const GaCpuEngine *engine, const FloatType *type, GaExactSum *sum,
		 const void *data, size_t n)
{
	return type->size == 8 ? engine->sum_float8(sum, data, n) :
							 engine->sum_float4(sum, data, n);
}

/*
 * Whenever an engine needs more capacity, it has added the elements that it
 * says it has, all of them and no others.
 */
static void
check_growth(const FloatCase *fc, const GaCpuEngine *engine, int capacity)
{
	GaExactSum *sum = sum_new(capacity);
	size_t done = 0;
	int turn;

	for (turn = 0; turn < 4; turn++)
	{
		const char *from = (const char *) fc->data + done * fc->type->size;
		GaExactSum *prefix;

		done += add_some(engine, fc->type, sum, from, fc->n - done);
		prefix = sum_of(fc->x, done);
		tap_check(same_sums(sum, prefix), "%s: %s, %zu of %zu of %s in %d",
				  engine->name, fc->type->name, done, fc->n, fc->family,
				  sum->capacity);
		sum_free(prefix);
		if (done == fc->n)
			break;
		sum_grow(&sum);
	}
	tap_check(done == fc->n, "%zu of %zu added", done, fc->n);
	sum_free(sum);
}

static void
test_growth(Rng *rng, const FloatType *type, const GaCpuEngine *engine)
{
	long i;

	if (!engine->is_supported())
		return;
	tap_begin("%s, %s: every capacity, growing when asked", engine->name,
			  type->name);
	for (i = tap_cases(4000); i > 0; i--)
	{
		const Family *family = &families[rng_below(rng, n_families)];
		int capacity = rng_chance(rng, 2) ? GA_MIN_CELLS :
											rng_between(rng, 0, GA_MAX_CELLS);
		size_t n = rng_below(rng, rng_chance(rng, 4) ? MAX_LENGTH : 600);
		size_t small = rng_below(rng, n + 1);
		FloatCase fc;

		/* the first elements may need few cells */
		family_fill(family, rng, type, x, n);
		if (rng_chance(rng, 2))
			family_fill(family_find("uniform"), rng, type, x, small);
		float_case_new(&fc, type, family->name, x, n);
		check_growth(&fc, engine, capacity);
		float_case_free(&fc);
	}
	tap_end();
}

/* A sum that has a past: pending additions, and removals. */
static void
test_used_sums(Rng *rng, const FloatType *type, const GaCpuEngine *engine)
{
	long i;

	if (!engine->is_supported())
		return;
	tap_begin("%s, %s: sums that were used before", engine->name, type->name);
	for (i = tap_cases(2000); i > 0; i--)
	{
		const Family *family = &families[rng_below(rng, n_families)];
		size_t n = rng_below(rng, 3000);
		size_t n_before = rng_below(rng, n + 1);
		FloatCase fc;

		family_fill(family, rng, type, x, n);
		float_case_new(&fc, type, family->name, x, n);
		float_case_check(&fc, engine, fc.data, GA_MIN_CELLS, n_before,
						 rng_below(rng, n - n_before + 1));
		float_case_free(&fc);
	}
	tap_end();
}

/*
 * Arrays of any kind and type, one after the other, by any engine: what one
 * leaves in the sum for the next must not mislead.
 */
static void
test_many_arrays(Rng *rng)
{
	long i;

	tap_begin("many arrays into one sum");
	for (i = tap_cases(4000); i > 0; i--)
	{
		GaExactSum *sum = sum_new(GA_MIN_CELLS);
		GaExactSum *expected = sum_new(GA_MAX_CELLS);
		int turn;

		for (turn = rng_between(rng, 1, 20); turn > 0; turn--)
		{
			const GaCpuEngine *engine =
				ga_cpu_engines[rng_below(rng, ga_cpu_n_engines)];
			const FloatType *type = types[rng_below(rng, 2)];
			const Family *family = &families[rng_below(rng, n_families)];
			size_t n = rng_below(rng, rng_chance(rng, 10) ? 9000 : 100);
			FloatCase fc;

			if (!engine->is_supported())
				continue;
			family_fill(family, rng, type, x, n);
			float_case_new(&fc, type, family->name, x, n);
			sum_add_run(&sum, engine, type, fc.data, n);
			sum_add_all(&expected, x, n);
			tap_check(same_sums(sum, expected), "%s: %s, %zu of %s",
					  engine->name, type->name, n, family->name);
			float_case_free(&fc);
		}
		sum_free(sum);
		sum_free(expected);
	}
	tap_end();
}

/* Nothing to add leaves a sum as it is, wherever that nothing is. */
static void
test_nothing(const GaCpuEngine *engine)
{
	GaExactSum *sum = sum_new(0);
	GaIntSum ints = {0};

	if (engine->is_supported())
	{
		tap_begin("%s: nothing", engine->name);
		tap_check(engine->sum_float8(sum, NULL, 0) == 0, "float8");
		tap_check(engine->sum_float4(sum, NULL, 0) == 0, "float4");
		tap_check(sum->n == 0 && sum->n_cells == 0, "the sum has changed");
		engine->sum_int2(&ints, NULL, 0);
		engine->sum_int4(&ints, NULL, 0);
		engine->sum_int8(&ints, NULL, 0);
		tap_check(ints.n == 0 && ints.low == 0 && ints.high == 0, "integers");
		tap_end();
	}
	sum_free(sum);
}

int
main(void)
{
	Rng rng = {4};
	int i, t;

	skip_unsupported_engines();
	test_choice();
	test_many_arrays(&rng);
	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		test_nothing(ga_cpu_engines[i]);
		for (t = 0; t < 2; t++)
		{
			test_growth(&rng, types[t], ga_cpu_engines[i]);
			test_used_sums(&rng, types[t], ga_cpu_engines[i]);
		}
	}
	return tap_done();
}
