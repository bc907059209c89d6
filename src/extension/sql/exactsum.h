/*
 * exactsum.h
 *		The SQL type exactsum: a sum before it is rounded, as a value.
 *
 * A value has the bytes of exact_sum_io.h.
 */
#ifndef GA_EXACTSUM_H
#define GA_EXACTSUM_H

#include "fmgr.h"

#include "exact/exact_sum.h"
#include "exact_value.h"

extern const GaExactType ga_exactsum_type;

extern GaExactSum *ga_exactsum_read(Datum value, GaFullSum *full);
extern Datum ga_exactsum_of_float(double x);
extern Datum ga_exactsum_datum(const GaExactSum *sum);
extern void ga_exactsum_add(GaExactSum *sum, const GaExactSum *other);

#endif /* GA_EXACTSUM_H */
