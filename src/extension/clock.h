/*
 * clock.h
 *		The time for deadlines, which nobody sets back or forward.
 */
#ifndef GA_CLOCK_H
#define GA_CLOCK_H

#include <time.h>

/* Microseconds since some moment. */
static inline int64
ga_clock_us(void)
{
	struct timespec now;

	(void) clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

#endif							/* GA_CLOCK_H */
