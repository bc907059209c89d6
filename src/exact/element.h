/*
 * element.h
 *		The element types: the list from which all per-type code is expanded.
 *
 * X(name, family, ctype): the SQL type; the family of its sums, int or float;
 * the C type of an element in memory.
 */
#ifndef GA_ELEMENT_H
#define GA_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host_device.h"

#define GA_INT_TYPES(X)   \
	X(int2, int, int16_t) \
	X(int4, int, int32_t) \
	X(int8, int, int64_t)

#define GA_FLOAT_TYPES(X)   \
	X(float4, float, float) \
	X(float8, float, double)

#define GA_ELEMENT_TYPES(X) \
	GA_INT_TYPES(X)         \
	GA_FLOAT_TYPES(X)

typedef enum GaElementType
{
#define X(name, family, ctype) GA_##name,
	GA_ELEMENT_TYPES(X)
#undef X
	GA_N_ELEMENT_TYPES
} GaElementType;

/* Return the bytes of an element. */
static inline size_t
ga_element_size(GaElementType type)
{
	static const unsigned char sizes[] = {
#define X(name, family, ctype) sizeof(ctype),
		GA_ELEMENT_TYPES(X)
#undef X
	};

	return sizes[type];
}

/* Return the SQL name of a type, such as "float8". */
static inline const char *
ga_element_name(GaElementType type)
{
	static const char *const names[] = {
#define X(name, family, ctype) #name,
		GA_ELEMENT_TYPES(X)
#undef X
	};

	return names[type];
}

static inline GA_HOST_DEVICE bool
ga_element_is_float(GaElementType type)
{
	return type == GA_float4 || type == GA_float8;
}

#endif /* GA_ELEMENT_H */
