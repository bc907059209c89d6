/*
 * values_result.h
 *		Result arrays without NULLs, whose values the device makes.
 */
#ifndef GA_VALUES_RESULT_H
#define GA_VALUES_RESULT_H

#include "extension/input/array_result.h"

typedef struct GaValuesResult
{
	GaArrayResult array;
	Oid type;	  /* of its elements */
	int n;		  /* how many */
	char *values; /* where the device's go, 8 bytes each */
} GaValuesResult;

extern void ga_values_narrow(Oid type, const char *values, char *to, int n);
extern void ga_values_begin(GaValuesResult *result, const GaArrayShape *shape,
							Oid type, const char *hint);
extern Datum ga_values_end(GaValuesResult *result);
extern void ga_values_discard(GaValuesResult *result);

#endif /* GA_VALUES_RESULT_H */
