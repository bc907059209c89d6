/*
 * engine.h
 *		Sums and running totals, by the engine that is in charge of them.
 */
#ifndef GA_ENGINE_H
#define GA_ENGINE_H

#include "element.h"
#include "exact_sum.h"
#include "int_sum.h"

/* The work that this session's engine did; gpuagg_session_stat shows it. */
typedef struct GaEngineStat
{
	int64		requests;		/* arrays */
	int64		elements;		/* their elements that were not NULL */
} GaEngineStat;

extern GaEngineStat ga_cpu_stat;

extern GaExactSum *ga_engine_sum_floats(GaExactSum *sum, Datum array,
										GaElementType type);
extern void ga_engine_sum_ints(GaIntSum *sum, Datum array, GaElementType type);

extern size_t ga_engine_scan_floats(GaExactSum *sum, GaElementType type,
									const void *in, size_t n, void *out);
extern size_t ga_engine_scan_ints(GaIntSum *sum, GaElementType type,
								  const void *in, size_t n, void *out);
extern void ga_engine_count(int64 requests, int64 elements);

#endif							/* GA_ENGINE_H */
