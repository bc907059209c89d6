/*
 * delta.c
 *		Differences of elements, as the operator - of their type.
 */
#include <math.h>
#include <string.h>

#include "delta.h"

/* Set *result to a - b; true if that overflows. */
#define DEFINE_INT_MINUS(name, family, ctype)                        \
	static inline bool minus_##name(ctype a, ctype b, ctype *result) \
	{                                                                \
		return __builtin_sub_overflow(a, b, result);                 \
	}
#define DEFINE_FLOAT_MINUS(name, family, ctype)                      \
	static inline bool minus_##name(ctype a, ctype b, ctype *result) \
	{                                                                \
		*result = a - b;                                             \
		return isinf(*result) && !isinf(a) && !isinf(b);             \
	}
GA_INT_TYPES(DEFINE_INT_MINUS)
GA_FLOAT_TYPES(DEFINE_FLOAT_MINUS)

#define DEFINE_DELTA(name, family, ctype)                                    \
	static size_t delta_##name(const char *in, const char *before, size_t n, \
							   char *out)                                    \
	{                                                                        \
		size_t i;                                                            \
                                                                             \
		for (i = 0; i < n; i++)                                              \
		{                                                                    \
			ctype a, b, result;                                              \
                                                                             \
			memcpy(&a, in + i * sizeof(a), sizeof(a));                       \
			memcpy(&b, before + i * sizeof(b), sizeof(b));                   \
			if (minus_##name(a, b, &result))                                 \
				break;                                                       \
			memcpy(out + i * sizeof(result), &result, sizeof(result));       \
		}                                                                    \
		return i;                                                            \
	}
GA_ELEMENT_TYPES(DEFINE_DELTA)

size_t
ga_delta(GaElementType type, const void *in, const void *before, size_t n,
		 void *out)
{
	switch (type)
	{
#define CASE(name, family, ctype) \
	case GA_##name:               \
		return delta_##name(in, before, n, out);
		GA_ELEMENT_TYPES(CASE)
#undef CASE
		case GA_N_ELEMENT_TYPES:
			break;
	}
	return 0;
}
