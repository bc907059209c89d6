/*
 * test_laws.c
 *		Laws of exact sums, for all engines: what neither order nor grouping,
 *		nor how a sum came about, can change.
 *
 * Equal means equal in all bytes of the state.
 */
#include <stdlib.h>

#include "float_case.h"
#include "tap.h"

#define MAX_LENGTH 10000
#define MAX_PIECES 64

static const FloatType *const types[] = {&float8_type, &float4_type};

static double x[MAX_LENGTH];

static const GaCpuEngine *
random_engine(Rng *rng)
{
	const GaCpuEngine *engine;

	do
		engine = ga_cpu_engines[rng_below(rng, ga_cpu_n_engines)];
	while (!engine->is_supported());
	return engine;
}

/* Fill x with a family and perhaps other things; returns the length. */
static size_t
fill(Rng *rng, const FloatType *type, const Family *family)
{
	size_t n = rng_below(rng, rng_chance(rng, 5) ? MAX_LENGTH : 200);

	family_fill(family, rng, type, x, n);
	if (rng_chance(rng, 3))
		sprinkle_neg_zeros(rng, rng_between(rng, 1, 20), x, n);
	if (rng_chance(rng, 3))
		sprinkle_specials(rng, rng_between(rng, 10, 1000), x, n);
	return n;
}

/* The sum of a part of a case, by any engine, from any capacity. */
static GaExactSum *
part_sum(Rng *rng, const FloatCase *fc, size_t from, size_t end)
{
	GaExactSum *sum = sum_new(rng_between(rng, 0, GA_MAX_CELLS));

	sum_add_run(&sum, random_engine(rng), fc->type,
				(char *) fc->data + from * fc->type->size, end - from);
	return sum;
}

static void
check_equal(const GaExactSum *sum, const FloatCase *fc, const char *law)
{
	SumBytes bytes;

	sum_bytes(sum, &bytes);
	tap_check(same_bytes(&bytes, &fc->bytes), "%s: %s, %zu of %s", law,
			  fc->type->name, fc->n, fc->family);
}

/* sum(a || b) = sum(a) + sum(b), and either part can be removed again. */
static void
check_parts(Rng *rng, const FloatCase *fc)
{
	size_t cut = rng_below(rng, fc->n + 1);
	GaExactSum *a = part_sum(rng, fc, 0, cut);
	GaExactSum *b = part_sum(rng, fc, cut, fc->n);
	GaExactSum *all = part_sum(rng, fc, 0, fc->n);
	size_t i;

	sum_unmerge(&all, a);
	tap_check(same_sums(all, b), "sum(a || b) - sum(a) = sum(b): %zu of %s",
			  fc->n, fc->family);
	for (i = cut; i < fc->n; i++)
		sum_add(&a, fc->x[i]);
	check_equal(a, fc, "sum(a) with b added");
	for (i = cut; i < fc->n; i++)
		sum_remove(&a, fc->x[i]);
	sum_merge(&b, a);
	check_equal(b, fc, "sum(b) + sum(a)");
	sum_free(a);
	sum_free(b);
	sum_free(all);
}

/* A permutation changes no byte. */
static void
check_permutation(Rng *rng, const FloatCase *fc)
{
	double *copy = malloc(fc->n * sizeof(double));
	FloatCase permuted;
	GaExactSum *sum;

	if (fc->n > 0)
		memcpy(copy, fc->x, fc->n * sizeof(double));
	float_shuffle(rng, copy, fc->n);
	float_case_new(&permuted, fc->type, fc->family, copy, fc->n);
	sum = part_sum(rng, &permuted, 0, fc->n);
	check_equal(sum, fc, "permutation");
	sum_free(sum);
	float_case_free(&permuted);
	free(copy);
}

/* Send a sum to another place as bytes. */
static GaExactSum *
sent(GaExactSum *sum)
{
	GaExactSum *arrived = sum_new(GA_MAX_CELLS);
	GaFullSum full;
	SumBytes bytes;

	sum_bytes(sum, &bytes);
	tap_check(ga_exact_sum_deserialize(&full, bytes.bytes, bytes.n) == GA_OK,
			  "not deserialized");
	ga_exact_sum_copy(arrived, GA_MAX_CELLS, ga_full_sum(&full));
	sum_free(sum);
	return arrived;
}

/* Any grouping: parts by any engine, merged in any order. */
static void
check_grouping(Rng *rng, const FloatCase *fc)
{
	GaExactSum *sums[MAX_PIECES];
	int n = rng_between(rng, 1, MAX_PIECES);
	size_t done = 0;
	int i;

	for (i = 0; i < n; i++)
	{
		size_t end =
			i == n - 1 ? fc->n : done + rng_below(rng, fc->n - done + 1) / 4;

		sums[i] = part_sum(rng, fc, done, end);
		done = end;
	}
	while (n > 1)
	{
		int from = (int) rng_below(rng, n);
		GaExactSum *other = sums[from];

		sums[from] = sums[--n];
		i = (int) rng_below(rng, n);
		if (rng_chance(rng, 3))
			other = sent(other);
		sum_merge(&sums[i], other);
		sum_free(other);
	}
	check_equal(sums[0], fc, "grouping");
	sum_free(sums[0]);
}

/* Every engine, and those that come later in a list of cpu.c. */
static void
check_engines(Rng *rng, const FloatCase *fc)
{
	(void) rng;
	float_case_check_all(fc, fc->data);
}

/* The sum of x and -x is zero, whatever else is taken in between. */
static void
check_opposite(Rng *rng, const FloatCase *fc)
{
	GaExactSum *sum = part_sum(rng, fc, 0, fc->n);
	double result = 1;
	size_t i;

	for (i = 0; i < fc->n; i++)
		sum_add(&sum, -fc->x[i]);
	if (sum->n_nan + sum->n_pos_inf + sum->n_neg_inf == 0)
	{
		tap_check(sum_result(sum, fc->type, &result) == GA_OK &&
					  ga_float8_bits(result) == 0,
				  "%zu of %s: x - x is %a", fc->n, fc->family, result);
	}
	sum_free(sum);
}

typedef struct Law
{
	const char *name;
	void (*check)(Rng *rng, const FloatCase *fc);
} Law;

static const Law laws[] = {
	{"sum(a || b) = sum(a) + sum(b), and back", check_parts},
	{"a permutation changes no byte", check_permutation},
	{"grouping changes no byte", check_grouping},
	{"all engines agree", check_engines},
	{"x - x is zero", check_opposite},
};

int
main(void)
{
	Rng rng = {12};
	int l, t, f;

	skip_unsupported_engines();
	for (l = 0; l < (int) (sizeof(laws) / sizeof(laws[0])); l++)
	{
		for (t = 0; t < 2; t++)
		{
			tap_begin("%s, %s", types[t]->name, laws[l].name);
			for (f = 0; f < n_families; f++)
			{
				long i;

				for (i = tap_cases(40); i > 0; i--)
				{
					size_t n = fill(&rng, types[t], &families[f]);
					FloatCase fc;

					float_case_new(&fc, types[t], families[f].name, x, n);
					laws[l].check(&rng, &fc);
					float_case_free(&fc);
				}
			}
			tap_end();
		}
	}
	return tap_done();
}
