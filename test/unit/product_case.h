/*
 * product_case.h
 *		Pairs of arrays, what their sum of products must be, and engines.
 */
#ifndef PRODUCT_CASE_H
#define PRODUCT_CASE_H

#include "float_case.h"
#include "exact/exact_limbs.h"
#include "exact/product_sum.h"
#include "product_oracle.h"

/* The counts and the total of a sum, as weighted_sum.h has them. */
typedef struct ProductBytes
{
	size_t n;
	uint8_t
		bytes[GA_LIMBS_COUNTS_BYTES + GA_LIMBS_HEAD_BYTES + 8 * GA_MAX_LIMBS];
} ProductBytes;

extern void product_bytes(const GaExactSum *sum, ProductBytes *to);
extern void product_exact_bytes(const Exact *sum, ProductBytes *to);
extern bool same_products(const ProductBytes *a, const ProductBytes *b);

/* A product sum on the heap, with no more memory than its capacity asks for. */
extern GaExactSum *product_new(int capacity);
extern void product_grow(GaExactSum **sum);
extern void product_apply_all(GaExactSum **sum, const double *x,
							  const double *y, size_t n, int by);

/*
 * Check the sum of x[i] * y[i]: one by one against GMP and MPFR in bytes and in
 * all results, and by every engine in bytes.
 */
extern void product_try(const FloatType *type, const char *family,
						const double *x, const double *y, size_t n);

#endif /* PRODUCT_CASE_H */
