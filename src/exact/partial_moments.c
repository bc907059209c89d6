/*
 * partial_moments.c
 *		Records of moments: merging those of a device, writing them.
 */
#include "partial_moments.h"
#include "partial_wide.h"

/* Write the moments of integers, which always fit. */
bool
ga_partial_moments_from_ints(GaPartialSum *records, const GaIntMoments *moments)
{
	records[0] = ga_partial_from_int_sum(&moments->sum);
	records[1] = (GaPartialSum){.kind = GA_PARTIAL_COMPACT};
	memcpy(records[1].limb, moments->squares, sizeof(moments->squares));
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
		ga_partial_wide_from_sum(&records[1], ga_sum_pair_products(moments),
								 false))
		return true;
	records[0] = records[1] = (GaPartialSum){.kind = GA_PARTIAL_REFUSED};
	return false;
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
			   ga_partial_wide_is_int(type, n, &records[1], false);
	if (!ga_partial_is_float(&records[0], n, NULL))
		return false;
	ga_partial_wide_limbs(&limbs, &records[1], false);
	return ga_partial_wide_is_float(type, n - records[0].n_neg_zero, &limbs);
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
	ga_partial_wide_limbs(&limbs, &records[1], false);
	limbs.n = n;
	squares = ga_full_product_sum_init(&buffer);
	ga_limbs_to_sum(squares, &limbs);
	status =
		ga_partial_merge(ga_sum_pair_single(moments), n, &records[0], NULL);
	return status == GA_OK ?
			   ga_exact_sum_merge(ga_sum_pair_products(moments), squares) :
			   status;
}
