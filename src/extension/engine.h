/*
 * engine.h
 *		The sum of an array argument, by the engine that is in charge of it.
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

#endif							/* GA_ENGINE_H */
