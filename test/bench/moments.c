/*
 * moments.c
 *		How fast the CPU engine makes moments and products in memory.
 *
 * Each is timed beside the plain loop that rounds: the sum of x and of x * x
 * for a variance, and the sum of x * y.  Its order no compiler may change.  One
 * line per figure, as in memory.c:
 *
 *		name <tab> ns per element <tab> lowest <tab> highest
 *
 * usage: moments [ELEMENTS [ROUNDS]]
 */
#include "memory.h"

/* The second array of products. */
static void *other;

static void
variance_loop(const void *data, size_t n)
{
	const double *x = data;
	double sum = 0;
	double squares = 0;
	size_t i;

	for (i = 0; i < n; i++)
	{
		sum += x[i];
		squares += x[i] * x[i];
	}
	sink = (squares - sum * sum / (double) n) / (double) (n - 1);
}

static void
dot_loop(const void *data, size_t n)
{
	const double *x = data;
	const double *y = other;
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += x[i] * y[i];
	sink = sum;
}

static void
variance_loop_float4(const void *data, size_t n)
{
	const float *x = data;
	double sum = 0;
	double squares = 0;
	size_t i;

	for (i = 0; i < n; i++)
	{
		sum += x[i];
		squares += (double) x[i] * x[i];
	}
	sink = (squares - sum * sum / (double) n) / (double) (n - 1);
}

static void
dot_loop_float4(const void *data, size_t n)
{
	const float *x = data;
	const float *y = other;
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += (double) x[i] * y[i];
	sink = sum;
}

static void
variance_float8(const void *data, size_t n)
{
	GaFullSumPair full;
	GaMoments *moments = ga_full_sum_pair_init(&full);
	double result = 0;

	engine->moments_float8(moments, data, n);
	(void) ga_moments_var_samp(moments, &result);
	sink = result;
}

static void
variance_float4(const void *data, size_t n)
{
	GaFullSumPair full;
	GaMoments *moments = ga_full_sum_pair_init(&full);
	double result = 0;

	engine->moments_float4(moments, data, n);
	(void) ga_moments_var_samp(moments, &result);
	sink = result;
}

static void
dot_float8(const void *data, size_t n)
{
	GaFullProductSum full;
	GaExactSum *sum = ga_full_product_sum_init(&full);
	double result = 0;

	engine->dot_float8(sum, data, other, n);
	(void) ga_product_sum_float8(sum, &result);
	sink = result;
}

static void
dot_float4(const void *data, size_t n)
{
	GaFullProductSum full;
	GaExactSum *sum = ga_full_product_sum_init(&full);
	float result = 0;

	engine->dot_float4(sum, data, other, n);
	(void) ga_product_sum_float4(sum, &result);
	sink = result;
}

/* Time a plain loop and every engine. */
static void
compare_with_loop(const char *title, Job loop, Job exact, const void *x,
				  size_t n, int rounds)
{
	static Candidate candidates[16];
	int n_candidates = add_loop(candidates, 0, "plain loop", loop);

	n_candidates = add_engines(candidates, n_candidates, exact);
	compare(title, candidates, n_candidates, x, n, rounds);
}

int
main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : (size_t) 1 << 24;
	int rounds = argc > 2 ? atoi(argv[2]) : 21;
	double *x;
	double *y;
	size_t i;

	if (n < 2 || rounds < 1 || rounds > MAX_ROUNDS)
	{
		fprintf(stderr, "usage: moments [ELEMENTS [ROUNDS]], rounds <= %d\n",
				MAX_ROUNDS);
		return 2;
	}
	x = malloc(n * sizeof(*x));
	y = malloc(n * sizeof(*y));
	if (x == NULL || y == NULL)
		return 1;
	other = y;

	fill(x, n, 0);
	fill(y, n, 0);
	compare_with_loop("variance", variance_loop, variance_float8, x, n, rounds);
	compare_with_loop("dot", dot_loop, dot_float8, x, n, rounds);
	if (n >= 960)
	{
		compare_with_loop("variance, 960", variance_loop, variance_float8, x,
						  960, rounds);
		compare_with_loop("dot, 960", dot_loop, dot_float8, x, 960, rounds);
	}
	fill(x, n, 40);
	fill(y, n, 40);
	compare_with_loop("variance, exponents +-40", variance_loop,
					  variance_float8, x, n, rounds < 5 ? rounds : 5);
	compare_with_loop("dot, exponents +-40", dot_loop, dot_float8, x, n,
					  rounds < 5 ? rounds : 5);
	fill(x, n, 400);
	fill(y, n, 400);
	compare_with_loop("variance, exponents +-400", variance_loop,
					  variance_float8, x, n, rounds < 3 ? rounds : 3);
	compare_with_loop("dot, exponents +-400", dot_loop, dot_float8, x, n,
					  rounds < 3 ? rounds : 3);

	fill(x, n, 0);
	fill(y, n, 0);
	for (i = 0; i < n; i++)
	{
		((float *) x)[i] = (float) x[i];
		((float *) y)[i] = (float) y[i];
	}
	compare_with_loop("variance, float4", variance_loop_float4, variance_float4,
					  x, n, rounds);
	compare_with_loop("dot, float4", dot_loop_float4, dot_float4, x, n, rounds);
	free(x);
	free(y);
	return 0;
}
