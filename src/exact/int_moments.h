/*
 * int_moments.h
 *		The moments of integers: their number, total, and total of squares.
 *
 * The total has 128 bits and that of the squares 192, so that 2^63 inputs of 64
 * bits fit, and adding never overflows.  Adding, merging and removing are
 * exact.  States that are read from bytes have fewer inputs, so that they can
 * be added to others.
 *
 * Serialized form: a version byte, then n, the upper and the lower half of the
 * total, and the limbs of the total of squares, the highest first, of 64 bits
 * each in network byte order.
 *
 * Called by the CPU engine and by backends.  These functions keep no state of
 * their own and must not allocate.
 */
#ifndef GA_INT_MOMENTS_H
#define GA_INT_MOMENTS_H

#include "int_sum.h"

#define GA_SQUARES_LIMBS   3 /* of a total of squares */
#define GA_NUMERATOR_LIMBS 4

typedef struct GaIntMoments
{
	GaIntSum sum;
	uint64_t squares[GA_SQUARES_LIMBS]; /* the lowest limb first */
} GaIntMoments;

#define GA_INT_MOMENTS_VERSION 1
#define GA_INT_MOMENTS_BYTES   49

extern void ga_int_moments_merge(GaIntMoments *moments,
								 const GaIntMoments *other);
extern void ga_int_moments_unmerge(GaIntMoments *moments,
								   const GaIntMoments *other);
extern bool ga_int_moments_numerator(const GaIntMoments *moments,
									 uint64_t limbs[GA_NUMERATOR_LIMBS]);
extern double ga_int_moments_norm(const GaIntMoments *moments);
extern size_t ga_int_moments_serialize(const GaIntMoments *moments,
									   uint8_t bytes[GA_INT_MOMENTS_BYTES]);
extern GaStatus ga_int_moments_deserialize(GaIntMoments *moments,
										   const uint8_t *bytes,
										   size_t n_bytes);

/* Add low + high * 2^64 to the total of squares, modulo 2^192. */
static inline void
ga_int_moments_add_squares(GaIntMoments *moments, unsigned __int128 low,
						   unsigned __int128 high)
{
	unsigned __int128 total = (low & UINT64_MAX) + moments->squares[0];

	moments->squares[0] = (uint64_t) total;
	total =
		(total >> 64) + (low >> 64) + (high & UINT64_MAX) + moments->squares[1];
	moments->squares[1] = (uint64_t) total;
	moments->squares[2] += (uint64_t) (total >> 64) + (uint64_t) (high >> 64);
}

/* Return the square of x. */
static inline unsigned __int128
ga_int_square(int64_t x)
{
	const uint64_t magnitude = x < 0 ? -(uint64_t) x : (uint64_t) x;

	return (unsigned __int128) magnitude * magnitude;
}

/* Add x (by = 1), or remove an x that was added before (by = -1). */
static inline void
ga_int_moments_apply(GaIntMoments *moments, int64_t x, int by)
{
	const unsigned __int128 square = ga_int_square(x);

	ga_int_sum_add(&moments->sum, by < 0 ? -(GaInt128) x : x, by);
	if (by > 0)
		ga_int_moments_add_squares(moments, square, 0);
	else
		/* the limb above those of -square extends its sign */
		ga_int_moments_add_squares(
			moments, -square, square > 0 ? ~(unsigned __int128) UINT64_MAX : 0);
}

#endif /* GA_INT_MOMENTS_H */
