/*
 * stats.c
 *		What gpuaggd did, in numbers.
 */
#include <time.h>

#include "stats.h"

GaStatRow ga_stats;

/* The time of day, in microseconds since 1970. */
int64_t
ga_time_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

/* Begin to count; the first time at the start. */
void
ga_stats_reset(void)
{
	ga_stats = (GaStatRow){.since_us = ga_time_us()};
}
