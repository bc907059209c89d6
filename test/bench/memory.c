/*
 * memory.c
 *		How fast the CPU engine sums what is in memory.
 *
 * Each exact sum is timed beside two inexact ones of the same compiler: the
 * sequential loop, whose order no compiler may change, and the fastest of
 * three vector loops.  All take turns in one run; what is printed are medians
 * and ratios of medians, one line per figure:
 *
 *		name <tab> ns per element <tab> lowest <tab> highest
 *
 * for bench.pl to read.  usage: memory [ELEMENTS [ROUNDS]]
 */
#include "memory.h"

/* Where integer results go. */
static volatile uint64_t int_sink;

static void
sequential_loop(const void *data, size_t n)
{
	const double *x = data;
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += x[i];
	sink = sum;
}

/* A vector loop of 8 accumulators; n is a multiple of 64. */
#define VECTOR_LOOP(name, lanes, isa)                                          \
	typedef double name##_vector __attribute__((vector_size(8 * (lanes))));    \
	isa static void name(const void *data, size_t n)                           \
	{                                                                          \
		const char *from = data;                                               \
		name##_vector a[8] = {{0}};                                            \
		double sum = 0;                                                        \
		size_t i;                                                              \
		int j;                                                                 \
                                                                               \
		for (i = 0; i < n; i += 8 * (lanes))                                   \
		{                                                                      \
			_Pragma("GCC unroll 8") for (j = 0; j < 8; j++)                    \
			{                                                                  \
				name##_vector v;                                               \
                                                                               \
				__builtin_memcpy(&v, from + (i + j * (lanes)) * 8, sizeof(v)); \
				a[j] += v;                                                     \
			}                                                                  \
		}                                                                      \
		for (j = 1; j < 8; j++)                                                \
			a[0] += a[j];                                                      \
		for (j = 0; j < (lanes); j++)                                          \
			sum += a[0][j];                                                    \
		sink = sum;                                                            \
	}

VECTOR_LOOP(vector_loop_128, 2, )
#ifdef __x86_64__
VECTOR_LOOP(vector_loop_256, 4, __attribute__((target("avx2"))))
VECTOR_LOOP(vector_loop_512, 8, __attribute__((target("avx512f"))))
#endif

/* Where running totals go. */
static double *totals;

static void
total_loop(const void *data, size_t n)
{
	const double *x = data;
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
	{
		sum += x[i];
		totals[i] = sum;
	}
}

/* The exact sums, by the engine that is being measured. */
static void
exact_float8(const void *data, size_t n)
{
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	double result = 0;

	engine->sum_float8(sum, data, n);
	(void) ga_exact_sum_float8(sum, &result);
	sink = result;
}

static void
exact_float4(const void *data, size_t n)
{
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	float result = 0;

	engine->sum_float4(sum, data, n);
	(void) ga_exact_sum_float4(sum, &result);
	sink = result;
}

static void
exact_totals(const void *data, size_t n)
{
	GaFullSum full;

	sink =
		(double) engine->scan_float8(ga_full_sum_init(&full), data, n, totals);
}

#define INT_JOB(name)                                    \
	static void exact_##name(const void *data, size_t n) \
	{                                                    \
		GaIntSum sum = {0};                              \
                                                         \
		engine->sum_##name(&sum, data, n);               \
		int_sink = sum.low;                              \
	}

INT_JOB(int2)
INT_JOB(int4)
INT_JOB(int8)

static int
add_float8(Candidate *candidates)
{
	int n = add_loop(candidates, 0, "sequential loop", sequential_loop);

	n = add_loop(candidates, n, "vector loop 128", vector_loop_128);
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		n = add_loop(candidates, n, "vector loop 256", vector_loop_256);
	if (__builtin_cpu_supports("avx512f"))
		n = add_loop(candidates, n, "vector loop 512", vector_loop_512);
#endif
	return add_engines(candidates, n, exact_float8);
}

static int
add_totals(Candidate *candidates)
{
	return add_engines(candidates,
					   add_loop(candidates, 0, "naive loop", total_loop),
					   exact_totals);
}

/* Sums of 12 uniform numbers, which are nearly normal. */
static void
fill_normal(double *x, size_t n)
{
	size_t i;
	int j;

	for (i = 0; i < n; i++)
	{
		x[i] = -6;
		for (j = 0; j < 12; j++)
			x[i] += (double) (random_bits() >> 11) * 0x1p-53;
	}
}

int
main(int argc, char **argv)
{
	static Candidate candidates[16];
	size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : (size_t) 1 << 24;
	int rounds = argc > 2 ? atoi(argv[2]) : 21;
	double *x;
	size_t i;

	n -= n % 64;
	if (n == 0 || rounds < 1 || rounds > MAX_ROUNDS)
	{
		fprintf(stderr, "usage: memory [ELEMENTS [ROUNDS]], rounds <= %d\n",
				MAX_ROUNDS);
		return 2;
	}
	x = malloc(n * sizeof(*x));
	totals = malloc(n * sizeof(*totals));
	if (x == NULL || totals == NULL)
		return 1;
	memset(totals, 0, n * sizeof(*totals));

	fill(x, n, 0);
	compare("float8", candidates, add_float8(candidates), x, n, rounds);
	compare("1000 float8", candidates, add_float8(candidates), x, 960, rounds);
	compare("100 float8", candidates, add_float8(candidates), x, 64, rounds);
	fill(x, n, 100);
	compare("float8, exponents +-100", candidates, add_float8(candidates), x, n,
			rounds);
	fill(x, n, 1000);
	compare("float8, exponents +-1000", candidates, add_float8(candidates), x,
			n, rounds);

	fill(x, n, 0);
	compare("running total", candidates, add_totals(candidates), x, n, rounds);
	compare("running total, 1024", candidates, add_totals(candidates), x, 1024,
			rounds);
	fill_normal(x, n);
	compare("running total, normal", candidates, add_totals(candidates), x, n,
			rounds);
	fill(x, n, 100);
	compare("running total, exponents +-100", candidates,
			add_totals(candidates), x, n, rounds < 5 ? rounds : 5);

	fill(x, n, 0);
	for (i = 0; i < n; i++)
	{
		((float *) x)[2 * i + 1] = (float) x[i];
		((float *) x)[2 * i] = 0.1f;
	}
	compare("float4", candidates, add_engines(candidates, 0, exact_float4), x,
			2 * n, rounds);

	/* integers from the same bytes, whatever they are */
	compare("int2", candidates, add_engines(candidates, 0, exact_int2), x,
			4 * n, rounds);
	compare("int4", candidates, add_engines(candidates, 0, exact_int4), x,
			2 * n, rounds);
	compare("int8", candidates, add_engines(candidates, 0, exact_int8), x, n,
			rounds);
	free(totals);
	free(x);
	return 0;
}
