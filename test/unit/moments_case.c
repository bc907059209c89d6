/*
 * moments_case.c
 *		Arrays of floats, their moments by an oracle, and by the engines.
 */
#include <math.h>
#include <stdlib.h>

#include "moments_case.h"
#include "tap.h"

GaSumPair *
pair_new(int size)
{
	GaSumPair *pair = malloc(ga_sum_pair_bytes(size));

	memset((void *) pair, 0xa5, ga_sum_pair_bytes(size));
	ga_sum_pair_init(pair, size);
	return pair;
}

void
pair_grow(GaSumPair **pair)
{
	const int size = ga_sum_pair_size(*pair) + 1;
	GaSumPair *larger;

	tap_check(size < GA_SUM_PAIR_SIZES, "no capacity in the largest size");
	if (size == GA_SUM_PAIR_SIZES)
		abort();
	larger = malloc(ga_sum_pair_bytes(size));
	memset((void *) larger, 0xa5, ga_sum_pair_bytes(size));
	ga_sum_pair_move(larger, size, *pair);
	tap_check(ga_sum_pair_size(larger) == size, "a pair of size %d has size %d",
			  size, ga_sum_pair_size(larger));
	free(*pair);
	*pair = larger;
}

void
moments_bytes(const GaMoments *moments, MomentsBytes *to)
{
	to->n = ga_moments_serialize(moments, to->bytes);
}

bool
same_moments(const MomentsBytes *a, const MomentsBytes *b)
{
	return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

void
moments_apply_all(GaMoments **moments, const double *x, size_t n, int by)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		while (ga_moments_apply(*moments, x[i], by) != GA_OK)
			pair_grow(moments);
	}
	tap_check(ga_moments_is_valid(*moments), "the moments are not valid");
}

void
moments_add_run(GaMoments **moments, const GaCpuEngine *engine,
				const FloatType *type, const void *data, size_t n)
{
	size_t done = 0;

	for (;;)
	{
		const char *from = (const char *) data + done * type->size;
		size_t added = type->size == 4 ?
						   engine->moments_float4(*moments, from, n - done) :
						   engine->moments_float8(*moments, from, n - done);

		tap_check(ga_moments_is_valid(*moments), "the moments are not valid");
		tap_check(added <= n - done, "%zu of %zu added", added, n - done);
		done += added;
		if (done >= n)
			break;
		pair_grow(moments);
	}
}

typedef GaStatus (*Result)(const GaMoments *moments, double *result);

static const Result results[2][2] = {
	{ga_moments_var_pop, ga_moments_stddev_pop},
	{ga_moments_var_samp, ga_moments_stddev_samp},
};

/* Compare all four results with MPFR's. */
static void
check_results(const char *family, const GaMoments *moments, const Exact *sum,
			  const Exact *squares)
{
	int i;

	for (i = 0; i < 4; i++)
	{
		const bool is_sample = i & 2;
		const bool is_root = i & 1;
		double x = 0, y = 0;
		GaStatus status, must;

		if (sum->n <= is_sample)
			continue;
		status = results[is_sample][is_root](moments, &x);
		must = oracle_variance(sum, squares, is_sample, is_root, &y);
		tap_check(same_result(status, x, must, y),
				  "%s of %lld of %s (%s): %d %a, must be %d %a",
				  is_root ? "deviation" : "variance", (long long) sum->n,
				  family, is_sample ? "samp" : "pop", status, x, must, y);
	}
}

GaMoments *
moments_of(const char *family, const double *x, size_t n)
{
	GaMoments *moments = pair_new(GA_SUM_PAIR_FULL);
	MomentsBytes is, must;
	Exact sum, squares;
	uint8_t *at = must.bytes;
	size_t i;

	exact_init(&sum);
	exact_init(&squares);
	for (i = 0; i < n; i++)
	{
		exact_add(&sum, x[i], 1);
		if (isfinite(x[i]))
			exact_add_product(&squares, x[i], x[i], 1);
	}
	moments_apply_all(&moments, x, n, 1);
	check_results(family, moments, &sum, &squares);
	*at++ = 0xe5;
	*at++ = 3;
	*at++ = 1;
	at = exact_put_counts(at, &sum);
	at = exact_put_total(at, &sum);
	at = exact_put_total(at, &squares);
	must.n = (size_t) (at - must.bytes);
	moments_bytes(moments, &is);
	tap_check(same_moments(&is, &must), "%zu of %s: the bytes differ", n,
			  family);
	exact_clear(&sum);
	exact_clear(&squares);
	return moments;
}

void
moments_try(const FloatType *type, const char *family, const double *x,
			size_t n)
{
	GaMoments *moments = moments_of(family, x, n);
	char *unaligned = malloc(n * type->size + 1);
	FloatCase fc;
	MomentsBytes must, is;
	int i, size;

	moments_bytes(moments, &must);
	free(moments);
	float_case_new(&fc, type, family, x, n);
	memcpy(unaligned + 1, fc.data, n * type->size);
	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		if (!ga_cpu_engines[i]->is_supported())
			continue;
		for (size = 0; size <= GA_SUM_PAIR_FULL; size += GA_SUM_PAIR_FULL)
		{
			const size_t half = n > 100 ? n / 2 - 3 : 0;

			moments = pair_new(size);
			moments_add_run(&moments, ga_cpu_engines[i], type, fc.data, half);
			moments_add_run(&moments, ga_cpu_engines[i], type,
							unaligned + 1 + half * type->size, n - half);
			moments_bytes(moments, &is);
			tap_check(same_moments(&is, &must),
					  "%s: %s, %zu of %s: the bytes differ",
					  ga_cpu_engines[i]->name, type->name, n, family);
			free(moments);
		}
	}
	float_case_free(&fc);
	free(unaligned);
}
