/*
 * stats.h
 *		What gpuaggd did, in numbers.
 */
#ifndef GA_STATS_H
#define GA_STATS_H

#include "wire/protocol.h"

/* Whoever does something counts it here. */
extern GaStatRow ga_stats;

extern void ga_stats_reset(void);
extern int64_t ga_time_us(void);

#endif /* GA_STATS_H */
