/*
 * cpu.h
 * 		The CPU engine: sums of arrays of elements in memory, without NULLs,
 * 		and what else comes of one pass over them.
 *
 * There is one implementation for each vector width, all from the same text
 * (cpu_lanes.h). They differ in speed, never in a bit of the result.
 * Elements need not be aligned.  Called by backends, by the emulated device
 * and by tests, in any thread.  The functions keep no state and must not
 * allocate; the rounding mode must be to nearest, and subnormals must not be
 * flushed.
 */
#ifndef GA_CPU_H
#define GA_CPU_H

#include "exact/element.h"
#include "cpu_elem.h"
#include "exact/exact_sum.h"
#include "exact/int_moments.h"
#include "exact/moments.h"

/*
 * A window of elements that moves over an array of floats: their exact sum, in
 * which each -0 is a 0, and what tells of -0.  ga_moving_init() begins it.
 */
typedef struct GaMoving
{
	GaFullSum sum;
	int64_t n_items;	 /* elements in the window */
	int64_t n_neg_zeros; /* so many of the last elements are -0 */
} GaMoving;

static inline void
ga_moving_init(GaMoving *moving)
{
	ga_full_sum_init(&moving->sum);
	moving->n_items = 0;
	moving->n_neg_zeros = 0;
}

typedef struct GaCpuEngine
{
	const char *name;
	bool (*is_supported)(void);

	/*
	 * Add n elements to a sum.  Returns how many were added: n, or fewer if the
	 * sum's capacity does not suffice for the next one.
	 */
	size_t (*sum_float4)(GaExactSum *sum, const void *data, size_t n);
	size_t (*sum_float8)(GaExactSum *sum, const void *data, size_t n);

	/* Add n elements to a sum of integers. */
	void (*sum_int2)(GaIntSum *sum, const void *data, size_t n);
	void (*sum_int4)(GaIntSum *sum, const void *data, size_t n);
	void (*sum_int8)(GaIntSum *sum, const void *data, size_t n);

	/* Add n elements to the moments of integers. */
	void (*moments_int2)(GaIntMoments *moments, const void *data, size_t n);
	void (*moments_int4)(GaIntMoments *moments, const void *data, size_t n);
	void (*moments_int8)(GaIntMoments *moments, const void *data, size_t n);

	/*
	 * Running totals: add n elements to a sum of capacity GA_MAX_CELLS, and set
	 * out[i] to the sum after element i.  Returns the number of outputs: n, or
	 * the index of the element whose total overflows, which is in the sum.
	 * Negative zeros are counted only as long as there is nothing else, so the
	 * sum is exact except for that count.
	 */
	size_t (*scan_float4)(GaExactSum *sum, const void *in, size_t n,
						  float *out);
	size_t (*scan_float8)(GaExactSum *sum, const void *in, size_t n,
						  double *out);

	/*
	 * Add n elements to moments, or the products x[i] * y[i] to a product sum.
	 * They return how many were added, as sum_float8() does.
	 */
	size_t (*moments_float4)(GaMoments *moments, const void *data, size_t n);
	size_t (*moments_float8)(GaMoments *moments, const void *data, size_t n);
	size_t (*dot_float4)(GaExactSum *sum, const void *x, const void *y,
						 size_t n);
	size_t (*dot_float8)(GaExactSum *sum, const void *x, const void *y,
						 size_t n);

	/*
	 * Return the least or the largest of n > 0 elements, in the order of
	 * extremum.h: min_int2, max_int2, and so on.
	 */
#define X(name, family, ctype)                       \
	ctype (*min_##name)(const void *data, size_t n); \
	ctype (*max_##name)(const void *data, size_t n);
	GA_ELEMENT_TYPES(X)
#undef X
	/* Of arrays, position by position. */
	GaCpuElem elem;

	/*
	 * Move a window over n elements: element i enters, leaving[i] leaves, and
	 * out[i] is set to the sum of the window.  Nothing leaves if `leaving` is
	 * NULL.  With counts, out[i] is the sum divided by counts[i], an integer
	 * from 1 to 2^31, rounded once to double.  Returns the number of outputs:
	 * n, or the index of the first that overflows; then the window is unusable.
	 */
	size_t (*moving_float4)(GaMoving *moving, const void *entering,
							const void *leaving, size_t n, const double *counts,
							void *out);
	size_t (*moving_float8)(GaMoving *moving, const void *entering,
							const void *leaving, size_t n, const double *counts,
							void *out);
} GaCpuEngine;

extern const GaCpuEngine ga_cpu_baseline;
#ifdef __x86_64__
extern const GaCpuEngine ga_cpu_avx2;
extern const GaCpuEngine ga_cpu_avx512;
#endif

/* All engines, the fastest first; the last one is supported everywhere. */
extern const GaCpuEngine *const ga_cpu_engines[];
extern const int ga_cpu_n_engines;

extern const GaCpuEngine *ga_cpu_best(void);
extern const GaCpuEngine *ga_cpu_find(const char *name);

#endif /* GA_CPU_H */
