/*
 * sums.h
 * 		Exact sums on the heap that grow as a caller would let them grow.
 *
 * Each operation checks that the sum is valid afterwards, that nothing was
 * written beyond its capacity, and that GA_NO_CAPACITY left it as it was.
 * Failures belong to the test that is under way.
 */
#ifndef SUMS_H
#define SUMS_H

#include "cpu/cpu.h"
#include "exact/exact_sum_io.h"
#include "random_floats.h"

extern GaExactSum *sum_new(int capacity);
extern void sum_free(GaExactSum *sum);
extern void sum_grow(GaExactSum **sum);
extern void sum_check(const GaExactSum *sum);

extern void sum_add(GaExactSum **sum, double x);
extern void sum_remove(GaExactSum **sum, double x);
extern void sum_merge(GaExactSum **sum, const GaExactSum *other);
extern void sum_unmerge(GaExactSum **sum, const GaExactSum *other);
extern void sum_add_all(GaExactSum **sum, const double *x, size_t n);
extern void sum_add_run(GaExactSum **sum, const GaCpuEngine *engine,
						const FloatType *type, const void *data, size_t n);

/* A sum of full capacity, after adding all of x one by one. */
extern GaExactSum *sum_of(const double *x, size_t n);

/* The serialized form of a sum: equal sums, and they only, have equal bytes. */
typedef struct SumBytes
{
	size_t n;
	uint8_t bytes[GA_EXACT_SUM_MAX_BYTES];
} SumBytes;

extern void sum_bytes(const GaExactSum *sum, SumBytes *to);
extern bool same_bytes(const SumBytes *a, const SumBytes *b);
extern bool same_sums(const GaExactSum *a, const GaExactSum *b);

/* A sum rounded to the type, as a double. */
extern GaStatus sum_result(const GaExactSum *sum, const FloatType *type,
						   double *result);
extern bool same_result(GaStatus status_a, double a, GaStatus status_b,
						double b);

#endif /* SUMS_H */
