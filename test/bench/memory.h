/*
 * memory.h
 *		Timing loops over elements in memory, for memory.c and moments.c.
 *
 * Candidates take turns, after one round that only warms up.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cpu/cpu.h"

#define MAX_ROUNDS 101

typedef void (*Job)(const void *data, size_t n);

/* Where results go, so that no loop is optimized away. */
static volatile double sink;

/* The engine that is being measured. */
static const GaCpuEngine *engine;

static uint64_t random_state = UINT64_C(88172645463325252);

/* xorshift64 (Marsaglia 2003) */
static uint64_t
random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Uniform in [0, 1), times a power of two up to spread in either direction. */
static void
fill(double *x, size_t n, int spread)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		x[i] = (double) (random_bits() >> 11) * 0x1p-53;
		if (spread > 0)
			x[i] = ldexp(x[i], (int) (random_bits() % (2 * spread)) - spread);
		if (random_bits() & 1)
			x[i] = -x[i];
	}
}

static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x > y) - (x < y);
}

typedef struct Candidate
{
	const char *name;
	Job job;
	const GaCpuEngine *engine; /* for exact sums */
	double times[MAX_ROUNDS];
} Candidate;

/* Time the candidates in turns, and print them under a title. */
static void
compare(const char *title, Candidate *candidates, int n_candidates,
		const void *data, size_t n, int rounds)
{
	int repeats = (int) (((size_t) 1 << 22) / n) + 1;
	int r, c, i;

	for (r = -1; r < rounds; r++)
	{
		for (c = 0; c < n_candidates; c++)
		{
			double start;

			engine = candidates[c].engine;
			start = now_ns();
			for (i = 0; i < repeats; i++)
				candidates[c].job(data, n);
			if (r >= 0) /* the first round only warms up */
				candidates[c].times[r] = (now_ns() - start) / repeats / n;
		}
	}
	for (c = 0; c < n_candidates; c++)
	{
		double *times = candidates[c].times;

		qsort(times, rounds, sizeof(times[0]), by_value);
		printf("%s, %s\t%.4f\t%.4f\t%.4f\n", title, candidates[c].name,
			   times[rounds / 2], times[0], times[rounds - 1]);
	}
}

/* Every engine that can run here, with one job, behind those that are there. */
static int
add_engines(Candidate *candidates, int n, Job job)
{
	int i;

	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		if (!ga_cpu_engines[i]->is_supported())
			continue;
		candidates[n].name = ga_cpu_engines[i]->name;
		candidates[n].job = job;
		candidates[n].engine = ga_cpu_engines[i];
		n++;
	}
	return n;
}

static int
add_loop(Candidate *candidates, int n, const char *name, Job job)
{
	candidates[n].name = name;
	candidates[n].job = job;
	return n + 1;
}

#endif /* MEMORY_H */
