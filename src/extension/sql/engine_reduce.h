/*
 * engine_reduce.h
 *		Reductions of arrays, by the engine that the settings choose.
 */
#ifndef GA_ENGINE_REDUCE_H
#define GA_ENGINE_REDUCE_H

#include "fmgr.h"

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
extern void *ga_engine_reduce_argument(FunctionCallInfo fcinfo,
									   GaElementType type,
									   GaReduction reduction,
									   GaAnyState *memory);

/*
 * Define a function of one array of a type, or of a part of it: the result of
 * fcinfo, the state of a reduction, and further arguments.
 */
#define GA_ARRAY_FUNCTION(function, name, reduction, result, ...)            \
	PG_FUNCTION_INFO_V1(function);                                           \
	Datum function(PG_FUNCTION_ARGS)                                         \
	{                                                                        \
		GaAnyState state;                                                    \
                                                                             \
		return result(                                                       \
			fcinfo,                                                          \
			ga_engine_reduce_argument(fcinfo, GA_##name, reduction, &state), \
			##__VA_ARGS__);                                                  \
	}

#endif /* GA_ENGINE_REDUCE_H */
