/*
 * exact_sum.cuh
 *		The exact sum of src/common, compiled for the device.
 *
 * The same text as on the host, so that what no fast path can answer gets the
 * same bits.  Only one .cu file may include it, and none of what it includes
 * before it: there these functions exist on the device alone.
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

/* CUDA has memcpy() and memset(), but not this. */
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

/* The names are the host's, too: here they are this file's own. */
namespace
{
#include "exact/exact_sum.c"
#include "exact/exact_sum_result.c"
} // namespace

#undef __builtin_clz
#undef memmove

#endif /* GA_EXACT_SUM_CUH */
