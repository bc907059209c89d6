/*
 * int_sum.h
 *		The sum of integers in 128 bits.
 *
 * 2^63 terms of 64 bits fit, so adding never overflows; only the final
 * result can be out of range for its SQL type.  States that are read from
 * bytes have fewer, so that they can be added to others.
 *
 * Serialized form: a version byte, then n, the upper and the lower half of
 * the total, of 64 bits each in network byte order.
 *
 * Called by the CPU engine, by backends and by gpuaggd.  These functions keep
 * no state of their own and must not allocate.
 */
#ifndef GA_INT_SUM_H
#define GA_INT_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

/* With the alignment that palloc() guarantees. */
typedef __int128 GaInt128 __attribute__((aligned(8)));

/* In two halves, for the alignment that palloc() guarantees. */
typedef struct GaIntSum
{
	int64_t n;	  /* inputs */
	uint64_t low; /* the total in two's complement */
	int64_t high;
} GaIntSum;

/* Inputs of a state that is read or merged, so that no count overflows. */
#define GA_INT_SUM_MAX_N (INT64_C(1) << 56)

#define GA_INT_SUM_VERSION 1
#define GA_INT_SUM_BYTES   25

extern size_t ga_int_sum_serialize(const GaIntSum *sum,
								   uint8_t bytes[GA_INT_SUM_BYTES]);
extern GaStatus ga_int_sum_deserialize(GaIntSum *sum, const uint8_t *bytes,
									   size_t n_bytes);
extern GaStatus ga_int_sum_int8(const GaIntSum *sum, int64_t *result);

/*
 * Running totals of n elements, which may be unaligned: out[i] is the sum plus
 * the elements 0 to i.  Return the number of outputs: n, or the index of the
 * first element whose total does not fit.  The sum takes the elements that have
 * outputs.
 */
extern size_t ga_int_scan_int2(GaIntSum *sum, const void *in, size_t n,
							   int64_t *out);
extern size_t ga_int_scan_int4(GaIntSum *sum, const void *in, size_t n,
							   int64_t *out);
extern size_t ga_int_scan_int8(GaIntSum *sum, const void *in, size_t n,
							   GaInt128 *out);

static inline GaInt128
ga_int_sum_total(const GaIntSum *sum)
{
	return (GaInt128) ((unsigned __int128) (uint64_t) sum->high << 64 |
					   sum->low);
}

/* Add x, the total of n inputs; remove it if both are negated. */
static inline void
ga_int_sum_add(GaIntSum *sum, GaInt128 x, int64_t n)
{
	GaInt128 total = ga_int_sum_total(sum) + x;

	sum->n += n;
	sum->low = (uint64_t) total;
	sum->high = (int64_t) (total >> 64);
}

#endif /* GA_INT_SUM_H */
