/*
 * exact_ratio.h
 *		Quotients of long numbers, and their square roots, rounded once.
 *
 * A magnitude is a long natural number times a power of two.  These functions
 * find the leading bits of a result by integer division and an integer square
 * root, and whether anything is below them; both together decide the rounding.
 *
 * For the results of product sums and moments, on the host alone.
 */
#ifndef GA_EXACT_RATIO_H
#define GA_EXACT_RATIO_H

#include "exact_sum_digits.h"

/* Digits of any magnitude here: a product sum times a number of 64 bits. */
#define GA_RATIO_DIGITS (GA_WIDE_CELLS + 6)

/* The number digits * 2^exponent, of n digits of 32 bits, the lowest first. */
typedef struct GaMagnitude
{
	uint32_t *digits;
	int n; /* without leading zeros; 0 for zero */
	int exponent;
} GaMagnitude;

extern GaMagnitude ga_magnitude_of_int(unsigned __int128 value,
									   uint32_t digits[4]);
extern int ga_digits_multiply(uint32_t *to, const uint32_t *a, int n_a,
							  const uint32_t *b, int n_b);
extern GaStatus ga_ratio_round(const GaMagnitude *dividend,
							   const GaMagnitude *divisor, uint64_t *bits);
extern GaStatus ga_ratio_root(const GaMagnitude *dividend,
							  const GaMagnitude *divisor, uint64_t *bits);

#endif /* GA_EXACT_RATIO_H */
