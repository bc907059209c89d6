/*
 * product_sum_io.c
 *		Sums of products as bytes; see product_sum_io.h for the format.
 */
#include "exact_limbs.h"
#include "product_sum_io.h"

static const uint8_t kind[] = {GA_EXACT_SUM_MAGIC, GA_PRODUCT_SUM_KIND,
							   GA_PRODUCT_SUM_VERSION};

/* Write a sum in its canonical form; returns the number of bytes. */
size_t
ga_product_sum_serialize(const GaExactSum *sum,
						 uint8_t bytes[GA_PRODUCT_SUM_MAX_BYTES])
{
	uint8_t *to = bytes + sizeof(kind);
	GaLimbs limbs;

	memcpy(bytes, kind, sizeof(kind));
	ga_limbs_from_sum(&limbs, sum);
	to = ga_limbs_put_counts(to, &limbs);
	to = ga_limbs_put_total(to, &limbs);
	return (size_t) (to - bytes);
}

/*
 * Read the output of ga_product_sum_serialize() into full.  GA_BAD_VERSION or
 * GA_BAD_STATE if the bytes cannot be such an output.
 */
GaStatus
ga_product_sum_deserialize(GaFullProductSum *full, const uint8_t *bytes,
						   size_t n_bytes)
{
	GaExactSum *sum = ga_full_product_sum_init(full);
	GaBytesIn in = {bytes, bytes + n_bytes};
	GaLimbs limbs = {.is_wide = true};
	const GaStatus status = ga_limbs_check_kind(&in, kind);

	if (status != GA_OK)
		return status;
	if (!ga_limbs_get_counts(&limbs, &in) || !ga_limbs_get_total(&limbs, &in) ||
		in.next != in.end ||
		!ga_limbs_are_in_range(&limbs, ga_limbs_n_finite(&limbs)))
		return GA_BAD_STATE;
	ga_limbs_to_sum(sum, &limbs);
	return GA_OK;
}
