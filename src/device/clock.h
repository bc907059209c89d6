/*
 * clock.h
 *		The monotonic clock, for waiting, timeouts and measuring.
 */
#ifndef GA_CLOCK_H
#define GA_CLOCK_H

#include <stdint.h>
#include <time.h>

#define GA_NS_PER_US INT64_C(1000)
#define GA_NS_PER_MS INT64_C(1000000)

/* Return nanoseconds since an arbitrary moment in the past. */
static inline int64_t
ga_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Return milliseconds since a result of ga_now_ns(). */
static inline double
ga_ms_since(int64_t start_ns)
{
	return (double) (ga_now_ns() - start_ns) / GA_NS_PER_MS;
}

#endif /* GA_CLOCK_H */
