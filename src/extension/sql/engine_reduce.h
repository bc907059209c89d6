/*
 * engine_reduce.h
 *		Reductions of arrays, by the engine that the settings choose.
 */
#ifndef GA_ENGINE_REDUCE_H
#define GA_ENGINE_REDUCE_H

#include "extension/engine/reduction_state.h"
#include "extension/input/array.h"

/*
 * A state has its full capacity; that of an aggregate may be smaller, in a
 * chunk of memory of its own.
 */
extern void *ga_engine_add_array(GaState state, Datum array, GaPart part,
								 MemoryContext context, bool is_partial);
extern void *ga_engine_add_element(void *sum, GaElementType type,
								   const void *element, MemoryContext context);
extern void ga_engine_reduce_array(FmgrInfo *function, GaState state,
								   Datum array, GaPart part);

#endif /* GA_ENGINE_REDUCE_H */
