/*
 * cpu_extremum.h
 *		The least or the largest element of arrays, by the CPU, of any element
 *		type.
 *
 * Integers are widened to int64, and floats to double: both keep the order of
 * exact/extremum.h, and the value.
 */
#ifndef GA_CPU_EXTREMUM_H
#define GA_CPU_EXTREMUM_H

#include "exact/element.h"
#include "exact/partial_sum.h"

typedef struct GaExtremum
{
	GaElementType type;
	bool is_max;
	bool is_set; /* is there an element? */
	union
	{
		int64 as_int;
		double as_float;
	} value;
} GaExtremum;

extern void ga_extremum_init(GaExtremum *extremum, GaElementType type,
							 bool is_max);
extern void ga_extremum_merge(GaExtremum *extremum, const GaExtremum *other);
extern bool ga_extremum_merge_record(GaExtremum *extremum, uint32 n,
									 const GaPartialSum *record);
extern bool ga_extremum_is_valid(const GaExtremum *extremum);
extern void *ga_cpu_add_extremum(void *extremum, GaElementType type,
								 const void *data, size_t n);

#endif /* GA_CPU_EXTREMUM_H */
