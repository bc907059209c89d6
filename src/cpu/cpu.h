/*
 * cpu.h
 *		The CPU engine: sums over runs of plain elements in memory.
 *
 * There is one implementation for each vector width that the compiler can
 * make, all from the same text (cpu_lanes.h).  They differ in speed, never in
 * a bit of the result.  Elements need not be aligned.  Any thread may call
 * them; they neither allocate nor keep anything.
 */
#ifndef GA_CPU_H
#define GA_CPU_H

#include "exact/exact_sum.h"
#include "exact/int_sum.h"

typedef struct GaCpuEngine
{
	const char *name;
	bool (*is_supported)(void);

	/*
	 * Add n elements to a sum.  Returns how many were added: all, or fewer if
	 * the sum must move to more room first.
	 */
	size_t (*sum_float4)(GaExactSum *sum, const void *data, size_t n);
	size_t (*sum_float8)(GaExactSum *sum, const void *data, size_t n);

	/* Add n elements to a sum of integers. */
	void (*sum_int2)(GaIntSum *sum, const void *data, size_t n);
	void (*sum_int4)(GaIntSum *sum, const void *data, size_t n);
	void (*sum_int8)(GaIntSum *sum, const void *data, size_t n);

	/*
	 * Running totals: out[i] is the sum, which must have all the room there
	 * is, with the first i + 1 elements added.  Returns the number of outputs:
	 * n, or the index of the element whose total overflows, which is in the
	 * sum.  Negative zeros are counted only while there is nothing else: the
	 * sum is right in value, and in bytes but for that count.
	 */
	size_t (*scan_float4)(GaExactSum *sum, const void *in, size_t n,
						  float *out);
	size_t (*scan_float8)(GaExactSum *sum, const void *in, size_t n,
						  double *out);
} GaCpuEngine;

extern const GaCpuEngine ga_cpu_baseline;
#ifdef __x86_64__
extern const GaCpuEngine ga_cpu_avx2;
extern const GaCpuEngine ga_cpu_avx512;
#endif

/* All of them, the fastest first; the last one is supported everywhere. */
extern const GaCpuEngine *const ga_cpu_engines[];
extern const int ga_cpu_n_engines;

extern const GaCpuEngine *ga_cpu_best(void);
extern const GaCpuEngine *ga_cpu_find(const char *name);

#endif /* GA_CPU_H */
