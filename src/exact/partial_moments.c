/*
 * partial_moments.c
 *		Records of moments: merging those of a device, writing them.
 */
#include "exact_limbs.h"
#include "partial_moments.h"

#define LIMB_BITS 64

/* Bits of n > 0. */
static int
n_bits(uint64_t n)
{
	return LIMB_BITS - __builtin_clzll(n);
}

/* Write the moments of integers, which always fit. */
bool
ga_partial_moments_from_ints(GaPartialSum *records, const GaIntMoments *moments)
{
	records[0] = ga_partial_from_int_sum(&moments->sum);
	records[1] = (GaPartialSum){.kind = GA_PARTIAL_COMPACT};
	memcpy(records[1].limb, moments->squares, sizeof(moments->squares));
	return true;
}

/* Return a limb of a total that is not negative. */
static uint64_t
limb_at(const GaLimbs *limbs, int i)
{
	return i < limbs->n_limbs ? (uint64_t) limbs->limbs[i] : 0;
}

/*
 * Write a sum of squares, in units of its lowest bit.  False if it has bits
 * that do not fit.
 */
static bool
squares_from_sum(GaPartialSum *record, const GaExactSum *sum)
{
	GaLimbs limbs;
	int shift;
	int i;

	*record = (GaPartialSum){.kind = GA_PARTIAL_COMPACT};
	ga_limbs_from_sum(&limbs, sum);
	if (limbs.n_limbs == 0)
		return true;
	shift = __builtin_ctzll((uint64_t) limbs.limbs[0]);
	for (i = GA_PARTIAL_LIMBS; i < limbs.n_limbs; i++)
	{
		if (i > GA_PARTIAL_LIMBS ? limbs.limbs[i] != 0 :
								   (uint64_t) limbs.limbs[i] >> shift != 0)
			return false;
	}
	for (i = 0; i < GA_PARTIAL_LIMBS; i++)
	{
		/* two shifts, since one of 64 bits is not defined */
		record->limb[i] = limb_at(&limbs, i) >> shift |
						  limb_at(&limbs, i + 1) << 1 << (63 - shift);
	}
	record->unit = (uint16_t) (LIMB_BITS * limbs.first + shift);
	return true;
}

/*
 * Write the moments of floats.  If the sum or the sum of squares does not fit,
 * or an input is NaN or infinite, both records are refused, and it is false.
 */
bool
ga_partial_moments_from_floats(GaPartialSum *records, const GaMoments *moments)
{
	if (ga_partial_from_sum(&records[0], ga_sum_pair_single(moments)) &&
		squares_from_sum(&records[1], ga_sum_pair_products(moments)))
		return true;
	records[0] = records[1] = (GaPartialSum){.kind = GA_PARTIAL_REFUSED};
	return false;
}

/* Are the squares of n integers of this type no more than is possible? */
static bool
are_int_squares(GaElementType type, int64_t n, const GaPartialSum *record)
{
	const int shift = 16 * (int) ga_element_size(type) - 2;
	const unsigned __int128 most = (unsigned __int128) (uint64_t) n
								   << shift % LIMB_BITS;
	const unsigned __int128 low =
		(unsigned __int128) record->limb[1] << LIMB_BITS | record->limb[0];
	const unsigned __int128 high =
		(unsigned __int128) record->limb[2] << LIMB_BITS | record->limb[1];

	/* of int8 shift is 126, so that `most` counts in 2^64 */
	if (shift < LIMB_BITS)
		return record->limb[2] == 0 && low <= most;
	return high < most || (high == most && record->limb[0] == 0);
}

/*
 * Return the squares as limbs of a wide sum; limbs that are beyond its range
 * are in the form, too.
 */
static void
limbs_from_squares(GaLimbs *limbs, const GaPartialSum *record)
{
	const int shift = record->unit % LIMB_BITS;
	uint64_t below = 0;
	int i;

	memset(limbs, 0, offsetof(GaLimbs, limbs));
	limbs->is_wide = true;
	limbs->first = record->unit / LIMB_BITS;
	limbs->n_limbs = GA_PARTIAL_LIMBS + 2;
	for (i = 0; i < GA_PARTIAL_LIMBS; i++)
	{
		limbs->limbs[i] = (int64_t) (record->limb[i] << shift | below);
		below = record->limb[i] >> 1 >> (63 - shift);
	}
	limbs->limbs[i] = (int64_t) below;
	limbs->limbs[i + 1] = 0;
	ga_limbs_make_canonical(limbs);
}

/* Are the squares of n finite floats of this type, not -0, below their most? */
static bool
are_float_squares(GaElementType type, int64_t n, const GaLimbs *limbs)
{
	const int input_bits = (type == GA_float4 ? 256 : 2048) - GA_WIDE_UNIT;
	int last = limbs->n_limbs - 1;
	uint64_t top;

	if (last < 0)
		return true;
	top = (uint64_t) limbs->limbs[last];
	if (top == 0)
		top = (uint64_t) limbs->limbs[--last];
	return n > 0 && LIMB_BITS * (limbs->first + last) + n_bits(top) <=
						input_bits + n_bits((uint64_t) n);
}

/*
 * Can n inputs have these records?  What is true of them can be merged, and the
 * moments stay valid.  Whether the two are those of any inputs together is not
 * looked at.
 */
bool
ga_partial_are_moments(GaElementType type, int64_t n,
					   const GaPartialSum *records)
{
	GaLimbs limbs;

	if (ga_partial_are_refused(records))
		return true;
	if (n < 0 || records[0].kind != GA_PARTIAL_COMPACT ||
		records[1].kind != GA_PARTIAL_COMPACT)
		return false;
	if (!ga_element_is_float(type))
		return ga_partial_is_int(&records[0], n) &&
			   are_int_squares(type, n, &records[1]);
	if (!ga_partial_is_float(&records[0], n, NULL))
		return false;
	limbs_from_squares(&limbs, &records[1]);
	return are_float_squares(type, n - records[0].n_neg_zero, &limbs);
}

/* Add the records of n integers. */
void
ga_partial_merge_int_moments(GaIntMoments *moments, int64_t n,
							 const GaPartialSum *records)
{
	GaIntMoments other = {
		.sum = {n, records[0].limb[0], (int64_t) records[0].limb[1]},
	};

	memcpy(other.squares, records[1].limb, sizeof(other.squares));
	ga_int_moments_merge(moments, &other);
}

/*
 * Add the records of n floats to moments of the full size.  GA_BAD_STATE if
 * they are refused or invalid; then nothing was added.
 */
GaStatus
ga_partial_merge_moments(GaMoments *moments, int64_t n,
						 const GaPartialSum *records)
{
	GaFullProductSum buffer;
	GaExactSum *squares;
	GaLimbs limbs;
	GaStatus status;

	if (ga_partial_are_refused(records) ||
		!ga_partial_are_moments(GA_float8, n, records))
		return GA_BAD_STATE;
	limbs_from_squares(&limbs, &records[1]);
	limbs.n = n;
	squares = ga_full_product_sum_init(&buffer);
	ga_limbs_to_sum(squares, &limbs);
	status =
		ga_partial_merge(ga_sum_pair_single(moments), n, &records[0], NULL);
	return status == GA_OK ?
			   ga_exact_sum_merge(ga_sum_pair_products(moments), squares) :
			   status;
}
