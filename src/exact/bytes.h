/*
 * bytes.h
 *		Integers in network byte order, for serialized states.
 */
#ifndef GA_BYTES_H
#define GA_BYTES_H

#include <stdint.h>

/* Write the 8 bytes of v, the most significant first; return their end. */
static inline uint8_t *
ga_put_int64(uint8_t *to, int64_t v)
{
	int i;

	for (i = 0; i < 8; i++)
		to[i] = (uint8_t) ((uint64_t) v >> (56 - 8 * i));
	return to + 8;
}

/* Read 8 bytes written by ga_put_int64(), and advance *from behind them. */
static inline int64_t
ga_get_int64(const uint8_t **from)
{
	uint64_t v = 0;
	int i;

	for (i = 0; i < 8; i++)
		v = v << 8 | (*from)[i];
	*from += 8;
	return (int64_t) v;
}

#endif /* GA_BYTES_H */
