/*
 * test_cpu_int.c
 *		Sums and moments of integers by the CPU engines.
 *
 * The answer to compare with adds one by one.
 */
#include <stdlib.h>

#include "cpu/cpu.h"
#include "float_case.h"
#include "tap.h"

#define MAX_LENGTH (1 << 21)

typedef struct IntType
{
	const char *name;
	size_t size;
	int64_t min;
	int64_t max;
	void (*sum)(const GaCpuEngine *engine, GaIntSum *sum, const void *data,
				size_t n);
	void (*moments)(const GaCpuEngine *engine, GaIntMoments *moments,
					const void *data, size_t n);
} IntType;

#define DEFINE_CALLS(name)                                              \
	static void sum_##name(const GaCpuEngine *engine, GaIntSum *sum,    \
						   const void *data, size_t n)                  \
	{                                                                   \
		engine->sum_##name(sum, data, n);                               \
	}                                                                   \
	static void moments_##name(const GaCpuEngine *engine,               \
							   GaIntMoments *moments, const void *data, \
							   size_t n)                                \
	{                                                                   \
		engine->moments_##name(moments, data, n);                       \
	}
DEFINE_CALLS(int2)
DEFINE_CALLS(int4)
DEFINE_CALLS(int8)

static const IntType types[] = {
	{"int2", 2, INT16_MIN, INT16_MAX, sum_int2, moments_int2},
	{"int4", 4, INT32_MIN, INT32_MAX, sum_int4, moments_int4},
	{"int8", 8, INT64_MIN, INT64_MAX, sum_int8, moments_int8},
};

static int64_t x[MAX_LENGTH + 9];
static char data[(MAX_LENGTH + 9) * 8];
static Guarded guarded;

/* How a value is chosen. */
typedef enum Kind
{
	ALL_MIN,
	ALL_MAX,
	MIN_AND_MAX,
	MINUS_ONE,
	SMALL,
	ANY,
	N_KINDS
} Kind;

static const char *const names[] = {"all the least",	 "all the largest",
									"least and largest", "all -1",
									"small ones",		 "any"};

static int64_t
random_int(Rng *rng, const IntType *type, Kind kind)
{
	int64_t any = (int64_t) rng_next(rng) >> (64 - 8 * type->size);

	switch (kind)
	{
		case ALL_MIN:
			return type->min;
		case ALL_MAX:
			return type->max;
		case MIN_AND_MAX:
			return any < 0 ? type->min : type->max;
		case MINUS_ONE:
			return -1;
		case SMALL:
			return any % 100;
		default:
			return any;
	}
}

static void
fill(Rng *rng, const IntType *type, Kind kind, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		int16_t x2;
		int32_t x4;
		char *to = data + i * type->size;

		x[i] = random_int(rng, type, kind);
		x2 = (int16_t) x[i];
		x4 = (int32_t) x[i];
		if (type->size == 2)
			memcpy(to, &x2, 2);
		else if (type->size == 4)
			memcpy(to, &x4, 4);
		else
			memcpy(to, &x[i], 8);
	}
}

/* Check all engines on n elements there, which are those of x from `from`. */
static void
check(const IntType *type, Kind kind, const void *there, size_t from, size_t n)
{
	GaIntMoments expected = {0};
	size_t i;
	int j;

	for (i = from; i < from + n; i++)
		ga_int_moments_apply(&expected, x[i], 1);
	ga_int_moments_apply(&expected, -7, 1);
	for (j = 0; j < ga_cpu_n_engines; j++)
	{
		GaIntMoments moments = {0};
		GaIntSum sum = {0};

		if (!ga_cpu_engines[j]->is_supported())
			continue;
		ga_int_sum_add(&sum, -7, 1);
		type->sum(ga_cpu_engines[j], &sum, there, n);
		tap_check(memcmp(&sum, &expected.sum, sizeof(sum)) == 0,
				  "%s: %s, sum of %zu of %s", ga_cpu_engines[j]->name,
				  type->name, n, names[kind]);
		ga_int_moments_apply(&moments, -7, 1);
		type->moments(ga_cpu_engines[j], &moments, there, n);
		tap_check(memcmp(&moments, &expected, sizeof(moments)) == 0,
				  "%s: %s, moments of %zu of %s", ga_cpu_engines[j]->name,
				  type->name, n, names[kind]);
	}
}

static void
test_lengths(Rng *rng, const IntType *type, Kind kind)
{
	int step = (int) (600 / tap_cases(600));
	size_t n;
	int k;

	tap_begin("%s, %s, lengths from 0 to 600 and around powers of two",
			  type->name, names[kind]);
	fill(rng, type, kind, 600);
	for (n = 0; n <= 600; n += step)
	{
		size_t n_bytes = n * type->size;

		check(type, kind, guarded_at_end(&guarded, n % 10, data, n_bytes), 0,
			  n);
		check(type, kind, guarded_at_end(&guarded, 0, data, n_bytes), 0, n);
		check(type, kind, guarded_at_start(&guarded, n % 10, data, n_bytes), 0,
			  n);
	}
	fill(rng, type, kind, (1 << 18) + 1);
	for (k = 10; k <= 18; k++)
	{
		int off;

		for (off = -1; off <= 1; off++)
			check(type, kind, data, 0, (1 << k) + off);
	}
	tap_end();
}

/* Lengths at which the lanes of an inner tile are as full as they get. */
static void
test_full_lanes(Rng *rng, const IntType *type, Kind kind)
{
	int lanes, off;

	tap_begin("%s, %s, lengths around full lanes", type->name, names[kind]);
	fill(rng, type, kind, MAX_LENGTH + 9);
	for (lanes = 4; lanes <= 32; lanes *= 2)
	{
		for (off = -9; off <= 9; off += (int) (9 / tap_cases(9)))
			check(type, kind, data, 0, ((size_t) lanes << 15) + off);
	}
	check(type, kind, data + type->size, 1, 1200001);
	check(type, kind, data, 0, MAX_LENGTH);
	check(type, kind, data, 0, MAX_LENGTH + 9);
	tap_end();
}

int
main(void)
{
	Rng rng = {5};
	int t, kind;

	skip_unsupported_engines();
	guarded_new(&guarded, 600 * 8);
	for (t = 0; t < 3; t++)
	{
		for (kind = 0; kind < N_KINDS; kind++)
		{
			test_lengths(&rng, &types[t], (Kind) kind);
			test_full_lanes(&rng, &types[t], (Kind) kind);
		}
	}
	guarded_free(&guarded);
	return tap_done();
}
