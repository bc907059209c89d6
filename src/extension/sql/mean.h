/*
 * mean.h
 *		Means and totals of integers as numeric.
 */
#ifndef GA_MEAN_H
#define GA_MEAN_H

#include "catalog/pg_type_d.h"

#include "exact/element.h"
#include "exact/int_sum.h"

/* A numeric in memory of the caller, of 20 digits in base 10000 at most. */
typedef struct GaIntNumeric
{
	int32 length;  /* as that of a varlena of 4 bytes */
	uint16 header; /* sign, scale and weight */
	int16 digits[20];
} GaIntNumeric;

/* Return the OID of the type that means have, as those of AVG. */
static inline Oid
ga_mean_oid(GaElementType type)
{
	return ga_element_is_float(type) ? FLOAT8OID : NUMERICOID;
}

extern struct varlena *ga_total_numeric(GaInt128 total, GaIntNumeric *to);
extern struct varlena *ga_mean_numeric(GaInt128 total, int64 n,
									   GaIntNumeric *to);
extern Datum ga_mean_get_numeric(GaInt128 total, int64 n);
extern Datum ga_int128_get_numeric(GaInt128 total);

#endif /* GA_MEAN_H */
