/*
 * product_oracle.h
 *		What sums of products, variances and deviations must be, by MPFR.
 */
#ifndef PRODUCT_ORACLE_H
#define PRODUCT_ORACLE_H

#include <mpfr.h>

#include "oracle.h"

/*
 * Bring x, which was rounded in the direction `ternary` without a bound to its
 * exponent, into the range of the type, as if rounded once.
 */
extern void oracle_fit(mpfr_t x, int ternary, const FloatType *type);

/* A sum of products, rounded once to the type, and its square root. */
extern GaStatus oracle_product_sum(const Exact *sum, const FloatType *type,
								   double *result);
extern GaStatus oracle_root(const Exact *sum, double *result);

/* A sum of products divided by a sum of numbers, rounded once. */
extern GaStatus oracle_quotient(const Exact *sum, const Exact *divisor,
								double *result);

/* The variance, of the sum and the sum of squares, or its square root. */
extern GaStatus oracle_variance(const Exact *sum, const Exact *squares,
								bool is_sample, bool is_root, double *result);

#endif /* PRODUCT_ORACLE_H */
