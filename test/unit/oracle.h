/*
 * oracle.h
 *		What a sum must be, by MPFR and by GMP.
 *
 * MPFR's mpfr_sum() rounds the sum of an array correctly.  GMP's integers
 * make a second, wholly different answer: the total in units of 2^-1074, and
 * from it the rounded result and the serialized form.  Neither shares a line
 * with the code under test.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <gmp.h>

#include "sums.h"

/* The sum of x, rounded once to the type; GA_OVERFLOW if beyond it. */
extern GaStatus oracle_sum(const FloatType *type, const double *x, size_t n,
						   double *result);

/* The state of a sum as integers without bound. */
typedef struct Exact
{
	mpz_t value; /* in units of 2^-1074, or 2^-2148 of a sum of products */
	int64_t n;
	int64_t n_nan;
	int64_t n_pos_inf;
	int64_t n_neg_inf;
	int64_t n_neg_zero;
} Exact;

extern void exact_init(Exact *exact);
extern void exact_clear(Exact *exact);
extern void exact_add(Exact *exact, double x, int64_t times);
extern void exact_add_product(Exact *exact, double x, double y, int64_t times);
extern void exact_add_scaled(Exact *exact, int64_t m, int exponent);
extern void exact_bytes(const Exact *exact, SumBytes *to);
extern uint8_t *exact_put_counts(uint8_t *to, const Exact *exact);
extern uint8_t *exact_put_total(uint8_t *to, const Exact *exact);
extern GaStatus exact_result(const Exact *exact, const FloatType *type,
							 double *result);

/* The sum divided by the number of its inputs, rounded once to float8. */
extern GaStatus oracle_mean(const Exact *exact, double *result);

/* Is the sum what it must be, in bytes and rounded to both types? */
extern bool exact_equals(const Exact *exact, const GaExactSum *sum);

#endif /* ORACLE_H */
