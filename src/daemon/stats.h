/*
 * stats.h
 *		The counters of gpuaggd.
 */
#ifndef GA_STATS_H
#define GA_STATS_H

#include "wire/protocol.h"

/* Each file counts what it does here. */
extern GaStatRow ga_stats;

extern void ga_stats_reset(void);
extern int64_t ga_time_us(void);

#endif /* GA_STATS_H */
