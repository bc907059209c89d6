/*
 * cpu_reduce.h
 *		Reductions of arrays by the CPU.
 *
 * A reduction makes one result of elements in any order.  It is a state and a
 * function that adds elements to it; how arrays are opened, read in runs,
 * limited to a part and counted is the same for all.
 */
#ifndef GA_CPU_REDUCE_H
#define GA_CPU_REDUCE_H

#include "exact/element.h"
#include "extension/input/array.h"
#include "reason.h"

/* Elements that are added between two looks for a cancellation, at most. */
#define GA_REDUCE_ELEMENTS (1 << 22)

/*
 * Add n elements of the type, maybe unaligned, to a state.  Returns the state,
 * which has moved if it had to grow.
 */
typedef void *(*GaReduceAdd)(void *state, GaElementType type, const void *data,
							 size_t n);

extern void *ga_cpu_reduce(GaReduceAdd add, void *state, GaElementType type,
						   const void *data, size_t n);
extern void *ga_cpu_reduce_array(GaReduceAdd add, void *state,
								 GaElementType type, Datum array, GaPart part,
								 GaReason reason);

#endif /* GA_CPU_REDUCE_H */
