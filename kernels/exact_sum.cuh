/*
 * exact_sum.cuh
 *		The exact sum of src/exact, compiled for the device.
 *
 * The device compiles the host's text, so that the exact fallback has the same
 * bits.  A .cu file may include this before any other header: in that file the
 * functions of exact_sum.h exist for the device only.
 */
#ifndef GA_EXACT_SUM_CUH
#define GA_EXACT_SUM_CUH

#define GA_HOST_DEVICE __device__
#define _Alignas alignas
#define __builtin_clz(x) __clz(int(x))

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "exact/status.h"

/* CUDA has no memmove() on the device. */
static __device__ void *
device_memmove(void *to, const void *from, size_t n)
{
	char *t = (char *) to;
	const char *f = (const char *) from;

	if (t < f)
	{
		for (size_t i = 0; i < n; i++)
			t[i] = f[i];
	}
	else
	{
		while (n-- > 0)
			t[n] = f[n];
	}
	return to;
}

#define memmove device_memmove

/* The host's functions have the same names with external linkage. */
namespace
{
#include "exact/exact_sum.c"
#include "exact/exact_sum_result.c"
} // namespace

#undef __builtin_clz
#undef memmove

#endif /* GA_EXACT_SUM_CUH */
