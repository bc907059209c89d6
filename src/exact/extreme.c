/*
 * extreme.c
 *		The least or greatest element of a moving window.
 */
#include <string.h>

#include "extreme.h"
#include "extremum.h"

#define FLOAT4_INF INT32_C(0x7f800000)
#define FLOAT8_INF INT64_C(0x7ff0000000000000)

#define always_inline inline __attribute__((always_inline))

/* Keys of the bits of an element, and back. */
#define DEFINE_KEY(name, key_type, key, of_key)             \
	static always_inline key_type key_##name(key_type bits) \
	{                                                       \
		return key(bits);                                   \
	}                                                       \
	static always_inline key_type bits_##name(key_type x)   \
	{                                                       \
		return of_key(x);                                   \
	}
DEFINE_KEY(int2, int16_t, , )
DEFINE_KEY(int4, int32_t, , )
DEFINE_KEY(int8, int64_t, , )
DEFINE_KEY(float4, int32_t, ga_float4_key, ga_float4_of_key)
DEFINE_KEY(float8, int64_t, ga_float8_key, ga_float8_of_key)

/* X(name, type of keys): keys of each element type. */
#define KEY_TYPES(X)   \
	X(int2, int16_t)   \
	X(int4, int32_t)   \
	X(int8, int64_t)   \
	X(float4, int32_t) \
	X(float8, int64_t)

/* Per type: load_TYPE, store_TYPE, forward_TYPE, backward_TYPE. */
#define DEFINE_TYPE(name, key_type)                                            \
	/* Return the key of element i; flip is 0, or -1 for the least one. */     \
	static always_inline key_type load_##name(const char *data, size_t i,      \
											  key_type flip)                   \
	{                                                                          \
		key_type bits;                                                         \
                                                                               \
		memcpy(&bits, data + i * sizeof(bits), sizeof(bits));                  \
		return key_##name(bits) ^ flip;                                        \
	}                                                                          \
                                                                               \
	static always_inline void store_##name(char *data, size_t i, key_type key, \
										   key_type flip)                      \
	{                                                                          \
		key_type bits = bits_##name(key ^ flip);                               \
                                                                               \
		memcpy(data + i * sizeof(bits), &bits, sizeof(bits));                  \
	}                                                                          \
                                                                               \
	/* Elements that stay within the section. */                               \
	static void forward_##name(GaMovingExtreme *moving, const char *in,        \
							   size_t n, char *out)                            \
	{                                                                          \
		const key_type flip = moving->is_max ? 0 : -1;                         \
		const bool has_ends = moving->has_ends;                                \
		const size_t window = moving->window;                                  \
		key_type *section = moving->section;                                   \
		key_type top = (key_type) moving->key;                                 \
		size_t at = moving->at;                                                \
		size_t i;                                                              \
                                                                               \
		for (i = 0; i < n; i++, at++)                                          \
		{                                                                      \
			key_type key = load_##name(in, i, flip);                           \
			key_type result;                                                   \
                                                                               \
			top = at == 0 || key > top ? key : top;                            \
			result = top;                                                      \
			if (has_ends && at + 1 < window && section[at + 1] > top)          \
				result = section[at + 1];                                      \
			if (section != NULL)                                               \
				section[at] = key;                                             \
			store_##name(out, i, result, flip);                                \
		}                                                                      \
		moving->key = top;                                                     \
		moving->at = at;                                                       \
	}                                                                          \
                                                                               \
	/* Make the keys from `from` to below `end` the greatest from each on. */  \
	static void backward_##name(GaMovingExtreme *moving, size_t from,          \
								size_t end)                                    \
	{                                                                          \
		key_type *section = moving->section;                                   \
                                                                               \
		for (; end > from; end--)                                              \
		{                                                                      \
			if (section[end] > section[end - 1])                               \
				section[end - 1] = section[end];                               \
		}                                                                      \
	}

KEY_TYPES(DEFINE_TYPE)
#undef DEFINE_TYPE

/* Store the element of a key of the greatest. */
static void
store_key(GaElementType type, int64_t key, void *to)
{
	switch (type)
	{
#define CASE(name, key_type)                    \
	case GA_##name:                             \
		store_##name(to, 0, (key_type) key, 0); \
		break;
		KEY_TYPES(CASE)
#undef CASE
		case GA_N_ELEMENT_TYPES:
			break;
	}
}

/* Return the key of an element, for the greatest. */
int64_t
ga_element_key(GaElementType type, const void *element)
{
	switch (type)
	{
#define CASE(name, key_type) \
	case GA_##name:          \
		return load_##name(element, 0, 0);
		KEY_TYPES(CASE)
#undef CASE
		default:
			return 0;
	}
}

/* Store the element of the lowest rank. */
void
ga_extreme_neutral(GaElementType type, bool is_max, void *to)
{
	const int64_t ints[] = {
		[GA_int2] = INT16_MIN, [GA_int4] = INT32_MIN, [GA_int8] = INT64_MIN};

	if (type == GA_float4)
	{
		int32_t bits = is_max ? FLOAT4_INF | INT32_MIN : GA_FLOAT4_NAN_BITS;

		memcpy(to, &bits, sizeof(bits));
	}
	else if (type == GA_float8)
	{
		int64_t bits = is_max ? FLOAT8_INF | INT64_MIN : GA_FLOAT8_NAN_BITS;

		memcpy(to, &bits, sizeof(bits));
	}
	else
		store_key(type, is_max ? ints[type] : ~ints[type], to);
}

/* Begin with an empty window. */
void
ga_moving_extreme_init(GaMovingExtreme *moving, GaElementType type, bool is_max,
					   size_t window, void *section)
{
	moving->type = type;
	moving->is_max = is_max;
	moving->window = window;
	moving->section = section;
	moving->at = 0;
	moving->n_backward = 0;
	moving->has_ends = false;
	moving->key = 0;
}

/* Continue a full section's pass from its end to its beginning. */
static void
go_backward(GaMovingExtreme *moving)
{
	size_t end = moving->n_backward - 1;
	size_t from = end > GA_EXTREME_STEPS ? end - GA_EXTREME_STEPS : 0;

	switch (moving->type)
	{
#define CASE(name, key_type)                \
	case GA_##name:                         \
		backward_##name(moving, from, end); \
		break;
		KEY_TYPES(CASE)
#undef CASE
		case GA_N_ELEMENT_TYPES:
			break;
	}
	moving->n_backward = from > 0 ? from + 1 : 0;
}

/*
 * Move the window over up to n elements, and set out[i] to the extreme of the
 * window that ends with element i.  Returns the number of elements done, which
 * may be fewer, and 0: call again with the others.
 */
size_t
ga_moving_extreme(GaMovingExtreme *moving, const void *in, size_t n, void *out)
{
	size_t left = moving->window - moving->at;

	if (moving->n_backward > 0)
	{
		go_backward(moving);
		return 0;
	}
	n = n < left ? n : left;
	n = n < GA_EXTREME_STEPS ? n : GA_EXTREME_STEPS;
	switch (moving->type)
	{
#define CASE(name, key_type)                \
	case GA_##name:                         \
		forward_##name(moving, in, n, out); \
		break;
		KEY_TYPES(CASE)
#undef CASE
		case GA_N_ELEMENT_TYPES:
			break;
	}
	if (moving->at == moving->window)
	{
		moving->at = 0;
		moving->has_ends = moving->section != NULL;
		moving->n_backward = moving->has_ends ? moving->window : 0;
	}
	return n;
}
