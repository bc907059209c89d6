/*
 * cpu_pairs.h
 *		Reductions of pairs of arrays by the CPU, position by position.
 */
#ifndef GA_CPU_PAIRS_H
#define GA_CPU_PAIRS_H

#include "counters.h"
#include "exact/element.h"
#include "reason.h"

/*
 * Add n pairs x[i], y[i] of elements of the type, maybe unaligned, to a state.
 * Returns the state, which has moved if it had to grow.
 */
typedef void *(*GaPairReduction)(void *state, GaElementType type, const void *x,
								 const void *y, size_t n);

extern void *ga_cpu_reduce_pairs(GaPairReduction add, void *state,
								 GaElementType type, Datum x, Datum y,
								 GaReason reason, GaCounters *counters);
extern GaReason ga_pairs_reason(Datum x, Datum y, GaElementType type);

#endif /* GA_CPU_PAIRS_H */
