/*
 * exact_limbs.h
 *		What serialized sums have in common: counts, limbs and first bytes.
 *
 * Limbs are the total as one two's-complement number of 64-bit integers, the
 * lowest first; limb i counts in 2^(64 * (first + i)) units of the sum.  Their
 * form is canonical: no limb at either end could be omitted.
 *
 * For exact_sum_io.c, moments_io.c, weighted_sum.c and partial_*.c.  Bytes
 * may come from anywhere, so reading them checks all of them.
 */
#ifndef GA_EXACT_LIMBS_H
#define GA_EXACT_LIMBS_H

#include "exact_sum.h"

#define GA_MAX_LIMBS		  (GA_WIDE_CELLS / 2)
#define GA_LIMBS_COUNTS_BYTES 40
#define GA_LIMBS_HEAD_BYTES	  2 /* of a total: first and n_limbs */

typedef struct GaLimbs
{
	bool is_wide; /* of a product sum */
	int64_t n;	  /* counts, as in GaExactSum */
	int64_t n_nan;
	int64_t n_pos_inf;
	int64_t n_neg_inf;
	int64_t n_neg_zero;
	int first;	 /* index of the lowest limb */
	int n_limbs; /* the total in two's complement: */
	int64_t limbs[GA_MAX_LIMBS];
} GaLimbs;

/* Bytes that are read from, up to their end. */
typedef struct GaBytesIn
{
	const uint8_t *next;
	const uint8_t *end;
} GaBytesIn;

extern void ga_limbs_from_sum(GaLimbs *to, const GaExactSum *sum);
extern void ga_limbs_to_sum(GaExactSum *to, const GaLimbs *limbs);
extern void ga_limbs_make_canonical(GaLimbs *limbs);
extern void ga_limbs_add(GaLimbs *result, const GaLimbs *a, const GaLimbs *b,
						 int by);
extern bool ga_limbs_have_counts(const GaLimbs *limbs);
extern bool ga_limbs_are_in_range(const GaLimbs *limbs, int64_t n);
extern int64_t ga_limbs_n_finite(const GaLimbs *limbs);

extern uint8_t *ga_limbs_put_counts(uint8_t *to, const GaLimbs *limbs);
extern uint8_t *ga_limbs_put_total(uint8_t *to, const GaLimbs *limbs);
extern GaStatus ga_limbs_check_kind(GaBytesIn *in, const uint8_t kind[3]);
extern bool ga_limbs_get_counts(GaLimbs *limbs, GaBytesIn *in);
extern bool ga_limbs_get_total(GaLimbs *limbs, GaBytesIn *in);

#endif /* GA_EXACT_LIMBS_H */
