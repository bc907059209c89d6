/*
 * moments_case.h
 *		Arrays of floats, their moments by an oracle, and by the engines.
 */
#ifndef MOMENTS_CASE_H
#define MOMENTS_CASE_H

#include "float_case.h"
#include "exact/moments.h"
#include "product_oracle.h"

typedef struct MomentsBytes
{
	size_t n;
	uint8_t bytes[GA_MOMENTS_MAX_BYTES];
} MomentsBytes;

/* A pair on the heap, with no more memory than its size asks for. */
extern GaSumPair *pair_new(int size);
extern void pair_grow(GaSumPair **pair);

extern void moments_bytes(const GaMoments *moments, MomentsBytes *to);
extern bool same_moments(const MomentsBytes *a, const MomentsBytes *b);

/* Add or remove all of x one by one, in moments that grow. */
extern void moments_apply_all(GaMoments **moments, const double *x, size_t n,
							  int by);

/* Add data with an engine, as callers do. */
extern void moments_add_run(GaMoments **moments, const GaCpuEngine *engine,
							const FloatType *type, const void *data, size_t n);

/* Moments of full size, compared in bytes and results with MPFR and GMP. */
extern GaMoments *moments_of(const char *family, const double *x, size_t n);

/*
 * Check an array: moments one by one, and by every engine on data, n elements
 * of the type's own format.
 */
extern void moments_try(const FloatType *type, const char *family,
						const double *x, size_t n);

#endif /* MOMENTS_CASE_H */
