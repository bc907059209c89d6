/*
 * minmax.h
 *		The state of gpu_min and gpu_max over arrays.
 */
#ifndef GA_MINMAX_H
#define GA_MINMAX_H

#include "fmgr.h"

#include "extension/engine/cpu_extremum.h"

extern GaExtremum *ga_extremum_create(MemoryContext context, GaElementType type,
									  bool is_max);
extern Datum ga_extremum_datum(const GaExtremum *extremum);
extern Datum ga_extremum_result(FunctionCallInfo fcinfo,
								const GaExtremum *extremum);

#endif /* GA_MINMAX_H */
