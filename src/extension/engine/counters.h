/*
 * counters.h
 *		Counters of what was computed, and by which engine.
 *
 * A session has them, the server, and in EXPLAIN (GPUAGG) an aggregate node.
 * They are nothing but words of 64 bits, so that they can be added up and
 * shared without knowledge of what each means.
 */
#ifndef GA_COUNTERS_H
#define GA_COUNTERS_H

#include "reason.h"

typedef struct GaEngineCounters
{
	int64 arrays;
	int64 elements; /* that were not NULL */
	int64 bytes;	/* of these elements */
} GaEngineCounters;

typedef struct GaCounters
{
	/* of the CPU by the reason; of the device under GA_NO_REASON */
	GaEngineCounters engines[GA_N_REASONS];
	int64 hits;		  /* stored arrays that were resident */
	int64 misses;	  /* stored arrays that were not */
	int64 device_us;  /* from submission to completion */
	int64 waiting_us; /* for the device, or for gpuaggd */
	int64 helpers;	  /* processes that were started to read stored arrays */
} GaCounters;

#define GA_COUNTER_WORDS (sizeof(GaCounters) / sizeof(int64))

/* Return word i of counters. */
static inline int64 *
ga_counters_word(GaCounters *counters, size_t i)
{
	return (int64 *) counters + i;
}

/* Add counters to others, which other processes may change meanwhile. */
static inline void
ga_counters_add(GaCounters *to, const GaCounters *from)
{
	size_t i;

	for (i = 0; i < GA_COUNTER_WORDS; i++)
	{
		const int64 n =
			__atomic_load_n((const int64 *) from + i, __ATOMIC_RELAXED);

		if (n != 0)
			(void) __atomic_fetch_add(ga_counters_word(to, i), n,
									  __ATOMIC_RELAXED);
	}
}

/* Set counters to zero, which other processes may change meanwhile. */
static inline void
ga_counters_reset(GaCounters *counters)
{
	size_t i;

	for (i = 0; i < GA_COUNTER_WORDS; i++)
		__atomic_store_n(ga_counters_word(counters, i), 0, __ATOMIC_RELAXED);
}

#endif /* GA_COUNTERS_H */
