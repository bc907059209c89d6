/*
 * partial_pair.c
 *		Two records of a device: a sum, and a sum of products beside it.
 */
#include "exact_limbs.h"
#include "partial_pair.h"

#define LIMB_BITS 64

/* Bits of n > 0. */
static int
n_bits(uint64_t n)
{
	return LIMB_BITS - __builtin_clzll(n);
}

/* Return a limb of a total; behind its last one they are the sign. */
static int64_t
limb_at(const GaLimbs *limbs, int i)
{
	return limbs->limbs[i < limbs->n_limbs ? i : limbs->n_limbs - 1] >>
		   (i < limbs->n_limbs ? 0 : LIMB_BITS - 1);
}

/*
 * Write a sum of products, in units of its lowest bit.  False if it has bits
 * that do not fit.
 */
static bool
products_from_sum(GaPartialSum *record, const GaExactSum *sum, bool is_signed)
{
	GaLimbs limbs;
	int64_t sign;
	int shift;
	int i;

	*record = (GaPartialSum){.kind = GA_PARTIAL_COMPACT};
	ga_limbs_from_sum(&limbs, sum);
	if (limbs.n_limbs == 0)
		return true;
	sign = limb_at(&limbs, limbs.n_limbs);
	shift = __builtin_ctzll((uint64_t) limbs.limbs[0]);
	for (i = GA_PARTIAL_LIMBS; i < limbs.n_limbs; i++)
	{
		if (limb_at(&limbs, i) >> (i > GA_PARTIAL_LIMBS ? 0 : shift) != sign)
			return false;
	}
	for (i = 0; i < GA_PARTIAL_LIMBS; i++)
	{
		/* two shifts, since one of 64 bits is not defined */
		record->limb[i] = (uint64_t) limb_at(&limbs, i) >> shift |
						  (uint64_t) limb_at(&limbs, i + 1)
							  << 1 << (63 - shift);
	}
	if (is_signed &&
		(int64_t) record->limb[GA_PARTIAL_LIMBS - 1] >> (LIMB_BITS - 1) != sign)
		return false;
	record->unit = (uint16_t) (LIMB_BITS * limbs.first + shift);
	return true;
}

/*
 * Return the number as limbs of a wide sum without counts; limbs that are
 * beyond its range are in the form, too.
 */
static void
limbs_from_products(GaLimbs *limbs, const GaPartialSum *record, bool is_signed)
{
	const uint64_t top = record->limb[GA_PARTIAL_LIMBS - 1];
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
	if (is_signed)
	{
		limbs->limbs[i] = (int64_t) top >> 1 >> (63 - shift);
		limbs->limbs[i + 1] = (int64_t) top >> (LIMB_BITS - 1);
	}
	ga_limbs_make_canonical(limbs);
}

/* Set the magnitude of a number of 192 bits in two's complement. */
static void
make_magnitude(uint64_t limbs[GA_PARTIAL_LIMBS])
{
	unsigned __int128 carry = 1;
	int i;

	if ((int64_t) limbs[GA_PARTIAL_LIMBS - 1] >= 0)
		return;
	for (i = 0; i < GA_PARTIAL_LIMBS; i++)
	{
		carry += ~limbs[i];
		limbs[i] = (uint64_t) carry;
		carry >>= LIMB_BITS;
	}
}

/* Are these products of n pairs of this type no more than is possible? */
static bool
are_int_products(GaElementType type, int64_t n, const GaPartialSum *record,
				 bool is_signed)
{
	const int shift = 16 * (int) ga_element_size(type) - 2;
	const unsigned __int128 most = (unsigned __int128) (uint64_t) n
								   << shift % LIMB_BITS;
	uint64_t limbs[GA_PARTIAL_LIMBS];
	unsigned __int128 low, high;

	memcpy(limbs, record->limb, sizeof(limbs));
	if (is_signed)
		make_magnitude(limbs);
	low = (unsigned __int128) limbs[1] << LIMB_BITS | limbs[0];
	high = (unsigned __int128) limbs[2] << LIMB_BITS | limbs[1];

	/* of int8 shift is 126, so that `most` counts in 2^64 */
	if (shift < LIMB_BITS)
		return limbs[2] == 0 && low <= most;
	return high < most || (high == most && limbs[0] == 0);
}

/*
 * Are these products of n pairs of finite floats of this type, none of them -0,
 * below their most?
 */
static bool
are_float_products(GaElementType type, int64_t n, const GaLimbs *limbs)
{
	const int product_bits = (type == GA_float4 ? 256 : 2048) - GA_WIDE_UNIT;
	const int last = limbs->n_limbs - 1;
	const int64_t top = last < 0 ? 0 : limbs->limbs[last];
	const uint64_t magnitude = (uint64_t) (top ^ top >> (LIMB_BITS - 1));

	if (last < 0)
		return true;
	return n > 0 && LIMB_BITS * (limbs->first + last) +
							(magnitude == 0 ? 0 : n_bits(magnitude)) <=
						product_bits + n_bits((uint64_t) n);
}

/* Are there inputs that are NaN or infinite? */
static bool
has_specials(const GaExactSum *sum)
{
	return sum->n_nan != 0 || sum->n_pos_inf != 0 || sum->n_neg_inf != 0;
}

/*
 * Write the sums of floats.  If one of them does not fit, or an input is NaN or
 * infinite, both records are refused, and it is false.
 */
bool
ga_partial_pair_from_sums(GaPartialSum *records, const GaSumPair *pair,
						  bool is_signed)
{
	const GaExactSum *products = ga_sum_pair_products(pair);

	if (!has_specials(products) &&
		ga_partial_from_sum(&records[0], ga_sum_pair_single(pair)) &&
		products_from_sum(&records[1], products, is_signed))
	{
		records[1].n_neg_zero = (uint32_t) products->n_neg_zero;
		return true;
	}
	records[0] = records[1] = (GaPartialSum){.kind = GA_PARTIAL_REFUSED};
	return false;
}

/*
 * Can n inputs have these records?  What is true of them can be merged, and the
 * sums stay valid.  Whether the two are those of any inputs together is not
 * looked at.
 */
bool
ga_partial_are_pair(GaElementType type, int64_t n, const GaPartialSum *records,
					bool is_signed)
{
	/* squares of -0 are 0, products may be -0 */
	const int64_t n_neg_zero = records[is_signed].n_neg_zero;
	GaLimbs limbs;

	if (ga_partial_are_refused(records))
		return true;
	if (n < 0 || records[0].kind != GA_PARTIAL_COMPACT ||
		records[1].kind != GA_PARTIAL_COMPACT)
		return false;
	if (!ga_element_is_float(type))
		return ga_partial_is_int(&records[0], n) &&
			   are_int_products(type, n, &records[1], is_signed);
	if (!ga_partial_is_float(&records[0], n, NULL) || n_neg_zero > n)
		return false;
	limbs_from_products(&limbs, &records[1], is_signed);
	return are_float_products(type, n - n_neg_zero, &limbs);
}

/*
 * Add the records of n inputs of floats to a pair of the full size.
 * GA_BAD_STATE if they are refused or invalid; then nothing was added.
 */
GaStatus
ga_partial_merge_pair(GaSumPair *pair, int64_t n, const GaPartialSum *records,
					  bool is_signed)
{
	GaFullProductSum buffer;
	GaExactSum *products;
	GaLimbs limbs;
	GaStatus status;

	if (ga_partial_are_refused(records) ||
		!ga_partial_are_pair(GA_float8, n, records, is_signed))
		return GA_BAD_STATE;
	limbs_from_products(&limbs, &records[1], is_signed);
	limbs.n = n;
	if (is_signed)
		limbs.n_neg_zero = records[1].n_neg_zero;
	products = ga_full_product_sum_init(&buffer);
	ga_limbs_to_sum(products, &limbs);
	status = ga_partial_merge(ga_sum_pair_single(pair), n, &records[0], NULL);
	return status == GA_OK ?
			   ga_exact_sum_merge(ga_sum_pair_products(pair), products) :
			   status;
}
