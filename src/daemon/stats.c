/*
 * stats.c
 *		The counters of gpuaggd.
 *
 * Owns ga_stats, in which each file counts what it does; dispatch.c reads and
 * resets it.
 */
#include <time.h>

#include "stats.h"

GaStatRow ga_stats;

/* Return the time of day, in microseconds since 1970. */
int64_t
ga_time_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

/* Set the counters to zero; the first time at the start. */
void
ga_stats_reset(void)
{
	ga_stats = (GaStatRow){.since_us = ga_time_us()};
}
