/*
 * exact_sum_value.h
 *		The exact sum as a value: compared, negated, averaged, of an integer.
 *
 * Called by the functions of the SQL type exactsum, on the host alone.  Nothing
 * here keeps a state, allocates or locks.
 */
#ifndef GA_EXACT_SUM_VALUE_H
#define GA_EXACT_SUM_VALUE_H

#include "exact_sum.h"
#include "int_sum.h"

extern int ga_exact_sum_compare(const GaExactSum *a, const GaExactSum *b);
extern void ga_exact_sum_negate(GaExactSum *sum);
extern GaStatus ga_exact_sum_mean(const GaExactSum *sum, double *result);
extern void ga_exact_sum_from_int(GaFullSum *full, GaInt128 total, int64_t n);

#endif /* GA_EXACT_SUM_VALUE_H */
