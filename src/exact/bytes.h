/*
 * bytes.h
 *		Integers in network byte order, for serialized states.
 */
#ifndef GA_BYTES_H
#define GA_BYTES_H

#include <stdint.h>
#include <string.h>

/* Return v with its bytes in network byte order, or back from there. */
static inline uint64_t
ga_swap_int64(uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return __builtin_bswap64(v);
#else
	return v;
#endif
}

/* Write the 8 bytes of v, the most significant first; return their end. */
static inline uint8_t *
ga_put_int64(uint8_t *to, int64_t v)
{
	const uint64_t bytes = ga_swap_int64((uint64_t) v);

	memcpy(to, &bytes, sizeof(bytes));
	return to + sizeof(bytes);
}

/* Read 8 bytes written by ga_put_int64(), and advance *from behind them. */
static inline int64_t
ga_get_int64(const uint8_t **from)
{
	uint64_t bytes;

	memcpy(&bytes, *from, sizeof(bytes));
	*from += sizeof(bytes);
	return (int64_t) ga_swap_int64(bytes);
}

#endif /* GA_BYTES_H */
