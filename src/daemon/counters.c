/*
 * counters.c
 *		What gpuaggd did, in numbers.
 */
#include <time.h>

#include "counters.h"

GaStatRow	ga_counters;

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
ga_counters_reset(void)
{
	ga_counters = (GaStatRow) {.since_us = ga_time_us()};
}
