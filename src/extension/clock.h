/*
 * clock.h
 *		The monotonic clock, for deadlines, and timestamps of gpuaggd.
 */
#ifndef GA_CLOCK_H
#define GA_CLOCK_H

#include <time.h>

#include "datatype/timestamp.h"

/* Return microseconds since some moment. */
static inline int64
ga_clock_us(void)
{
	struct timespec now;

	(void) clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Convert a time of gpuaggd, in microseconds since 1970. */
static inline TimestampTz
ga_timestamp_of_us(int64 us)
{
	return us - (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
}

/* Return milliseconds since some moment. */
static inline int64
ga_clock_ms(void)
{
	return ga_clock_us() / 1000;
}

#endif /* GA_CLOCK_H */
