/*
 * partial_wide.h
 *		The sum of products of a device's record.
 *
 * It is a number of 192 bits, with a sign or without: for floats in units of
 * 2^(unit - 2148), its lowest bit, for integers of 1.  For partial_moments.c
 * and partial_products.c alone.
 */
#ifndef GA_PARTIAL_WIDE_H
#define GA_PARTIAL_WIDE_H

#include "element.h"
#include "exact_limbs.h"
#include "partial_sum.h"

extern bool ga_partial_wide_from_sum(GaPartialSum *record,
									 const GaExactSum *sum, bool is_signed);
extern void ga_partial_wide_limbs(GaLimbs *limbs, const GaPartialSum *record,
								  bool is_signed);
extern bool ga_partial_wide_is_int(GaElementType type, int64_t n,
								   const GaPartialSum *record, bool is_signed);
extern bool ga_partial_wide_is_float(GaElementType type, int64_t n,
									 const GaLimbs *limbs);

#endif /* GA_PARTIAL_WIDE_H */
