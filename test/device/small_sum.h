/*
 * small_sum.h
 *		The sum of a few integers, 1 to n, as a request of its own.
 */
#ifndef SMALL_SUM_H
#define SMALL_SUM_H

#include "fixture.h"

/* A sum of a few integers, 1 to n. */
typedef struct Small
{
	GaDeviceArray array;
	GaPartialSum result;
	GaSumRequest request;
	GaDeviceQueue *queue;
	int64_t n;
} Small;

#define SMALL_MAX 2000

/* Copy the integers 1 to SMALL_MAX to the device. */
extern GaDeviceAddress small_put(Fixture *fixture);
/* Make the request for the sum of the first n of them. */
extern void small_init(Small *small, GaDeviceAddress at, int64_t n);
/* Check its result. */
extern void small_check(const Small *small);

#endif /* SMALL_SUM_H */
