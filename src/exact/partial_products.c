/*
 * partial_products.c
 *		Records of sums of pairs: merging those of a device, writing them.
 */
#include "partial_products.h"
#include "partial_wide.h"

/* Write the sums of integers, which always fit. */
bool
ga_partial_products_from_ints(GaPartialSum *records,
							  const GaIntProducts *products)
{
	const GaIntSum weights = {products->n, products->weight[0],
							  (int64_t) products->weight[1]};

	records[0] = ga_partial_from_int_sum(&weights);
	records[1] = (GaPartialSum){.kind = GA_PARTIAL_COMPACT};
	memcpy(records[1].limb, products->product, sizeof(products->product));
	return true;
}

/* Are there products that are NaN or infinite? */
static bool
has_specials(const GaExactSum *sum)
{
	return sum->n_nan != 0 || sum->n_pos_inf != 0 || sum->n_neg_inf != 0;
}

/*
 * Write the sums of floats.  If one of them does not fit, or a factor is NaN or
 * infinite, both records are refused, and it is false.
 */
bool
ga_partial_products_from_floats(GaPartialSum *records, const GaSumPair *pair)
{
	const GaExactSum *products = ga_sum_pair_products(pair);

	if (!has_specials(products) &&
		ga_partial_from_sum(&records[0], ga_sum_pair_single(pair)) &&
		ga_partial_wide_from_sum(&records[1], products, true))
	{
		records[1].n_neg_zero = (uint32_t) products->n_neg_zero;
		return true;
	}
	records[0] = records[1] = (GaPartialSum){.kind = GA_PARTIAL_REFUSED};
	return false;
}

/*
 * Can n pairs have these records?  What is true of them can be merged, and the
 * sums stay valid.  Whether the two are those of any pairs together is not
 * looked at.
 */
bool
ga_partial_are_products(GaElementType type, int64_t n,
						const GaPartialSum *records)
{
	GaLimbs limbs;

	if (records[0].kind == GA_PARTIAL_REFUSED &&
		records[1].kind == GA_PARTIAL_REFUSED)
		return true;
	if (n < 0 || records[0].kind != GA_PARTIAL_COMPACT ||
		records[1].kind != GA_PARTIAL_COMPACT)
		return false;
	if (!ga_element_is_float(type))
		return ga_partial_is_int(&records[0], n) &&
			   ga_partial_wide_is_int(type, n, &records[1], true);
	if (!ga_partial_is_float(&records[0], n, NULL) || records[1].n_neg_zero > n)
		return false;
	ga_partial_wide_limbs(&limbs, &records[1], true);
	return ga_partial_wide_is_float(type, n - records[1].n_neg_zero, &limbs);
}

/* Add the records of n pairs of integers. */
void
ga_partial_merge_int_products(GaIntProducts *products, int64_t n,
							  const GaPartialSum *records)
{
	GaIntProducts other = {
		.n = n,
		.weight = {records[0].limb[0], records[0].limb[1]},
	};

	memcpy(other.product, records[1].limb, sizeof(other.product));
	ga_int_products_merge(products, &other);
}

/*
 * Add the records of n pairs of floats to a pair of the full size.
 * GA_BAD_STATE if they are refused or invalid; then nothing was added.
 */
GaStatus
ga_partial_merge_products(GaSumPair *pair, int64_t n,
						  const GaPartialSum *records)
{
	GaFullProductSum buffer;
	GaExactSum *products;
	GaLimbs limbs;
	GaStatus status;

	if (records[0].kind == GA_PARTIAL_REFUSED ||
		!ga_partial_are_products(GA_float8, n, records))
		return GA_BAD_STATE;
	ga_partial_wide_limbs(&limbs, &records[1], true);
	limbs.n = n;
	limbs.n_neg_zero = records[1].n_neg_zero;
	products = ga_full_product_sum_init(&buffer);
	ga_limbs_to_sum(products, &limbs);
	status = ga_partial_merge(ga_sum_pair_single(pair), n, &records[0], NULL);
	return status == GA_OK ?
			   ga_exact_sum_merge(ga_sum_pair_products(pair), products) :
			   status;
}
