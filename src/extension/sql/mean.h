/*
 * mean.h
 *		Means and totals of integers as numeric, in arrays of results.
 */
#ifndef GA_MEAN_H
#define GA_MEAN_H

#include "catalog/pg_type_d.h"

#include "exact/element.h"
#include "exact/int_sum.h"

/* Return the OID of the type that means have, as those of AVG. */
static inline Oid
ga_mean_oid(GaElementType type)
{
	return ga_element_is_float(type) ? FLOAT8OID : NUMERICOID;
}

extern struct varlena *ga_total_numeric(GaInt128 total);
extern struct varlena *ga_mean_numeric(GaInt128 total, int64 n);

#endif /* GA_MEAN_H */
