/*
 * elem_values.h
 *		Results of aggregates by position that the device makes.
 */
#ifndef GA_ELEM_VALUES_H
#define GA_ELEM_VALUES_H

#include "engine_elem.h"

extern void ga_elem_narrow(Oid type, const char *values, char *to, int n);
extern bool ga_elem_make_values(GaElemNoted *noted, GaElemForm form,
								const GaArrayShape *shape, Oid type,
								Datum *result);

#endif /* GA_ELEM_VALUES_H */
