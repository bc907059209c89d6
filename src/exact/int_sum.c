/*
 * int_sum.c
 *		The sum of integers: result, serialized form, running totals.
 */
#include <string.h>

#include "bytes.h"
#include "int_sum.h"

/* Return the total as 64 bits; GA_OVERFLOW if it does not fit. */
GaStatus
ga_int_sum_int8(const GaIntSum *sum, int64_t *result)
{
	GaInt128 total = ga_int_sum_total(sum);

	*result = (int64_t) total;
	return total == *result ? GA_OK : GA_OVERFLOW;
}

/* Write a sum; returns the number of bytes. */
size_t
ga_int_sum_serialize(const GaIntSum *sum, uint8_t bytes[GA_INT_SUM_BYTES])
{
	uint8_t *to = bytes;

	*to++ = GA_INT_SUM_VERSION;
	to = ga_put_int64(to, sum->n);
	to = ga_put_int64(to, sum->high);
	to = ga_put_int64(to, (int64_t) sum->low);
	return (size_t) (to - bytes);
}

/*
 * Read the output of ga_int_sum_serialize().  GA_BAD_VERSION or GA_BAD_STATE
 * if the bytes cannot be such an output.
 */
GaStatus
ga_int_sum_deserialize(GaIntSum *sum, const uint8_t *bytes, size_t n_bytes)
{
	const uint8_t *from = bytes;
	GaInt128 total;
	GaInt128 limit;

	if (n_bytes < 1)
		return GA_BAD_STATE;
	if (*from++ != GA_INT_SUM_VERSION)
		return GA_BAD_VERSION;
	if (n_bytes != GA_INT_SUM_BYTES)
		return GA_BAD_STATE;
	sum->n = ga_get_int64(&from);
	sum->high = ga_get_int64(&from);
	sum->low = (uint64_t) ga_get_int64(&from);

	/* the bounds of a total of n inputs */
	if (sum->n < 0 || sum->n > GA_INT_SUM_MAX_N)
		return GA_BAD_STATE;
	total = ga_int_sum_total(sum);
	limit = (GaInt128) sum->n << 63;
	return total >= -limit && total <= limit - sum->n ? GA_OK : GA_BAD_STATE;
}

/* The running totals of types whose totals have 64 bits. */
#define DEFINE_SCAN(name, ctype)                                       \
	size_t ga_int_scan_##name(GaIntSum *sum, const void *in, size_t n, \
							  int64_t *out)                            \
	{                                                                  \
		const char *from = in;                                         \
		int64_t total;                                                 \
		size_t i;                                                      \
                                                                       \
		if (ga_int_sum_int8(sum, &total) != GA_OK)                     \
			return 0;                                                  \
		for (i = 0; i < n; i++)                                        \
		{                                                              \
			ctype x;                                                   \
                                                                       \
			memcpy(&x, from + i * sizeof(x), sizeof(x));               \
			if (__builtin_add_overflow(total, (int64_t) x, &total))    \
				break;                                                 \
			out[i] = total;                                            \
		}                                                              \
		if (i > 0)                                                     \
			ga_int_sum_add(sum, out[i - 1] - ga_int_sum_total(sum),    \
						   (int64_t) i);                               \
		return i;                                                      \
	}

DEFINE_SCAN(int2, int16_t)
DEFINE_SCAN(int4, int32_t)

size_t
ga_int_scan_int8(GaIntSum *sum, const void *in, size_t n, GaInt128 *out)
{
	const char *from = in;
	GaInt128 total = ga_int_sum_total(sum);
	size_t i;

	for (i = 0; i < n; i++)
	{
		int64_t x;

		memcpy(&x, from + i * sizeof(x), sizeof(x));
		total += x;
		out[i] = total;
	}
	ga_int_sum_add(sum, total - ga_int_sum_total(sum), (int64_t) n);
	return n;
}
