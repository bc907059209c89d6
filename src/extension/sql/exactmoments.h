/*
 * exactmoments.h
 *		The SQL type exactmoments: n, sum and sum of squares, as a value.
 *
 * A value has the bytes of moments.h.
 */
#ifndef GA_EXACTMOMENTS_H
#define GA_EXACTMOMENTS_H

#include "fmgr.h"

#include "exact/moments.h"

extern GaMoments *ga_exactmoments_read(Datum value, GaFullSumPair *full);
extern Datum ga_exactmoments_of_float(double x);
extern Datum ga_exactmoments_datum(const GaMoments *moments);

#endif /* GA_EXACTMOMENTS_H */
