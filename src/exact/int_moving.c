/*
 * int_moving.c
 *		Moving sums of integers.
 */
#include <string.h>

#include "int_moving.h"

#define DEFINE_MOVING(name, ctype, total_type)                                \
	void ga_int_moving_##name(total_type *total, const void *entering,        \
							  const void *leaving, size_t n, total_type *out) \
	{                                                                         \
		const char *in = entering;                                            \
		const char *gone = leaving;                                           \
		total_type sum = *total;                                              \
		size_t i;                                                             \
                                                                              \
		for (i = 0; i < n; i++)                                               \
		{                                                                     \
			ctype x;                                                          \
			ctype y = 0;                                                      \
                                                                              \
			memcpy(&x, in + i * sizeof(x), sizeof(x));                        \
			if (gone != NULL)                                                 \
				memcpy(&y, gone + i * sizeof(y), sizeof(y));                  \
			sum += (total_type) x - (total_type) y;                           \
			out[i] = sum;                                                     \
		}                                                                     \
		*total = sum;                                                         \
	}

DEFINE_MOVING(int2, int16_t, int64_t)
DEFINE_MOVING(int4, int32_t, int64_t)
DEFINE_MOVING(int8, int64_t, GaInt128)
