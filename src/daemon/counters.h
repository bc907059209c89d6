/*
 * counters.h
 *		What gpuaggd did, in numbers.
 */
#ifndef GA_COUNTERS_H
#define GA_COUNTERS_H

#include "protocol.h"

/* Whoever does something counts it here. */
extern GaStatRow ga_counters;

extern void ga_counters_reset(void);
extern int64_t ga_time_us(void);

#endif							/* GA_COUNTERS_H */
