/*
 * engine_sum.h
 *		Sums of arrays, by the engine that the settings choose.
 */
#ifndef GA_ENGINE_SUM_H
#define GA_ENGINE_SUM_H

#include "extension/input/array.h"

/*
 * A sum is a GaIntSum, or a GaExactSum of floats that has a chunk of memory of
 * its own or its full capacity.
 */
extern void *ga_engine_add_array(void *sum, GaElementType type, Datum array,
								 GaPart part, MemoryContext context,
								 bool is_partial);
extern void *ga_engine_add_element(void *sum, GaElementType type,
								   const void *element, MemoryContext context);
extern void ga_engine_sum_array(void *sum, GaElementType type, Datum array,
								GaPart part);

#endif /* GA_ENGINE_SUM_H */
