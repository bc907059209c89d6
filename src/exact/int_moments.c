/*
 * int_moments.c
 *		The moments of integers: merging, the variance's numerator, and bytes.
 *
 * See int_moments.h for what they are.
 */
#include <string.h>

#include "bytes.h"
#include "exact_ratio.h"
#include "int_moments.h"

#define SIGN_FLIP(by) ((by) < 0 ? UINT64_MAX : 0)

/* Add other to the moments, or remove it (by = -1). */
static void
merge(GaIntMoments *moments, const GaIntMoments *other, int by)
{
	const GaInt128 total = ga_int_sum_total(&other->sum);
	unsigned __int128 carry = SIGN_FLIP(by) & 1;
	int i;

	ga_int_sum_add(&moments->sum, by < 0 ? -total : total, by * other->sum.n);
	for (i = 0; i < GA_SQUARES_LIMBS; i++)
	{
		carry += moments->squares[i];
		carry += other->squares[i] ^ SIGN_FLIP(by);
		moments->squares[i] = (uint64_t) carry;
		carry >>= 64;
	}
}

/* Add all inputs of other. */
void
ga_int_moments_merge(GaIntMoments *moments, const GaIntMoments *other)
{
	merge(moments, other, 1);
}

/* Remove all inputs of other, which must be among those of the moments. */
void
ga_int_moments_unmerge(GaIntMoments *moments, const GaIntMoments *other)
{
	merge(moments, other, -1);
}

/* Set limbs, the lowest first, to total^2. */
static void
set_square(uint64_t limbs[GA_NUMERATOR_LIMBS], GaInt128 total)
{
	const unsigned __int128 magnitude =
		total < 0 ? -(unsigned __int128) total : (unsigned __int128) total;
	const uint64_t digit[2] = {(uint64_t) magnitude,
							   (uint64_t) (magnitude >> 64)};
	int i, j;

	memset(limbs, 0, GA_NUMERATOR_LIMBS * sizeof(*limbs));
	for (i = 0; i < 2; i++)
	{
		unsigned __int128 carry = 0;

		for (j = 0; j < 2; j++)
		{
			carry += (unsigned __int128) digit[i] * digit[j] + limbs[i + j];
			limbs[i + j] = (uint64_t) carry;
			carry >>= 64;
		}
		limbs[i + 2] = (uint64_t) carry;
	}
}

/*
 * Set limbs, the lowest first, to n * (total of squares) - total^2, which is
 * n^2 times the variance of all inputs.  False if that is negative: no inputs
 * have such moments.
 */
bool
ga_int_moments_numerator(const GaIntMoments *moments,
						 uint64_t limbs[GA_NUMERATOR_LIMBS])
{
	const uint64_t n = (uint64_t) moments->sum.n;
	unsigned __int128 product = 0;
	unsigned __int128 borrow = 0;
	int i;

	set_square(limbs, ga_int_sum_total(&moments->sum));
	for (i = 0; i < GA_NUMERATOR_LIMBS; i++)
	{
		if (i < GA_SQUARES_LIMBS)
			product += (unsigned __int128) n * moments->squares[i];
		borrow = (unsigned __int128) (uint64_t) product - limbs[i] - borrow;
		limbs[i] = (uint64_t) borrow;
		borrow = borrow >> 64 != 0;
		product >>= 64;
	}
	return borrow == 0;
}

/* Return the square root of the total of squares, rounded once. */
double
ga_int_moments_norm(const GaIntMoments *moments)
{
	uint32_t digits[2 * GA_SQUARES_LIMBS];
	GaMagnitude squares = {digits, 0, 0};
	uint64_t bits;
	int i;

	for (i = 0; i < 2 * GA_SQUARES_LIMBS; i++)
	{
		digits[i] = (uint32_t) (moments->squares[i / 2] >> (i % 2 * 32));
		if (digits[i] != 0)
			squares.n = i + 1;
	}
	/* the root of what 192 bits hold is in range */
	(void) ga_ratio_root(&squares, NULL, &bits);
	return ga_float8_from_bits(bits);
}

/* Write moments in their canonical form; returns the number of bytes. */
size_t
ga_int_moments_serialize(const GaIntMoments *moments,
						 uint8_t bytes[GA_INT_MOMENTS_BYTES])
{
	uint8_t *to = bytes;
	int i;

	*to++ = GA_INT_MOMENTS_VERSION;
	to = ga_put_int64(to, moments->sum.n);
	to = ga_put_int64(to, moments->sum.high);
	to = ga_put_int64(to, (int64_t) moments->sum.low);
	for (i = GA_SQUARES_LIMBS - 1; i >= 0; i--)
		to = ga_put_int64(to, (int64_t) moments->squares[i]);
	return GA_INT_MOMENTS_BYTES;
}

/* Can there be inputs of 64 bits with these moments? */
static bool
is_possible(const GaIntMoments *moments)
{
	const int64_t n = moments->sum.n;
	const GaInt128 total = ga_int_sum_total(&moments->sum);
	const unsigned __int128 upper =
		(unsigned __int128) moments->squares[2] << 64 | moments->squares[1];
	uint64_t limbs[GA_NUMERATOR_LIMBS];

	if (n < 0 || n > GA_INT_SUM_MAX_N)
		return false;
	if (total < -((GaInt128) n << 63) || total > ((GaInt128) n << 63) - n)
		return false;
	/* squares are at most 2^126 each */
	if (upper > (unsigned __int128) n << 62 ||
		(upper == (unsigned __int128) n << 62 && moments->squares[0] > 0))
		return false;
	return ga_int_moments_numerator(moments, limbs);
}

/*
 * Read the output of ga_int_moments_serialize().  GA_BAD_VERSION or
 * GA_BAD_STATE if the bytes cannot be such an output.
 */
GaStatus
ga_int_moments_deserialize(GaIntMoments *moments, const uint8_t *bytes,
						   size_t n_bytes)
{
	const uint8_t *from = bytes;
	int i;

	if (n_bytes < 1)
		return GA_BAD_STATE;
	if (*from++ != GA_INT_MOMENTS_VERSION)
		return GA_BAD_VERSION;
	if (n_bytes != GA_INT_MOMENTS_BYTES)
		return GA_BAD_STATE;
	moments->sum.n = ga_get_int64(&from);
	moments->sum.high = ga_get_int64(&from);
	moments->sum.low = (uint64_t) ga_get_int64(&from);
	for (i = GA_SQUARES_LIMBS - 1; i >= 0; i--)
		moments->squares[i] = (uint64_t) ga_get_int64(&from);
	return is_possible(moments) ? GA_OK : GA_BAD_STATE;
}
