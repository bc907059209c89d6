/*
 * exact_sum_io.c
 *		The exact sum as bytes; see exact_sum_io.h for the format.
 */
#include "exact_limbs.h"
#include "exact_sum_io.h"

static const uint8_t kind[] = {GA_EXACT_SUM_MAGIC, GA_EXACT_SUM_KIND,
							   GA_EXACT_SUM_VERSION};

/* Write what the bytes say; returns their number. */
static size_t
encode(const GaLimbs *sum, uint8_t bytes[GA_EXACT_SUM_MAX_BYTES])
{
	uint8_t *to = bytes + sizeof(kind);

	memcpy(bytes, kind, sizeof(kind));
	to = ga_limbs_put_counts(to, sum);
	to = ga_limbs_put_total(to, sum);
	return (size_t) (to - bytes);
}

/*
 * Read bytes that may come from anywhere.  GA_BAD_VERSION or GA_BAD_STATE if
 * encode() cannot have written them for a sum.
 */
static GaStatus
decode(GaLimbs *sum, const uint8_t *bytes, size_t n_bytes)
{
	GaBytesIn in = {bytes, bytes + n_bytes};
	const GaStatus status = ga_limbs_check_kind(&in, kind);

	if (status != GA_OK)
		return status;
	sum->is_wide = false;
	return ga_limbs_get_counts(sum, &in) && ga_limbs_get_total(sum, &in) &&
				   in.next == in.end &&
				   ga_limbs_are_in_range(sum, ga_limbs_n_finite(sum)) ?
			   GA_OK :
			   GA_BAD_STATE;
}

/* Write a sum in its canonical form; returns the number of bytes. */
size_t
ga_exact_sum_serialize(const GaExactSum *sum,
					   uint8_t bytes[GA_EXACT_SUM_MAX_BYTES])
{
	GaLimbs limbs;

	ga_limbs_from_sum(&limbs, sum);
	return encode(&limbs, bytes);
}

/*
 * Read the output of ga_exact_sum_serialize() into full.  GA_BAD_VERSION or
 * GA_BAD_STATE if the bytes cannot be such an output.
 */
GaStatus
ga_exact_sum_deserialize(GaFullSum *full, const uint8_t *bytes, size_t n_bytes)
{
	GaExactSum *sum = ga_full_sum_init(full);
	GaLimbs limbs;
	GaStatus status = decode(&limbs, bytes, n_bytes);

	if (status == GA_OK)
		ga_limbs_to_sum(sum, &limbs);
	return status;
}

/*
 * Write the sum of the inputs of a and b, or of a without b (by = -1), to
 * bytes.  All are canonical forms; *n_bytes is set.  GA_BAD_VERSION or
 * GA_BAD_STATE if a or b is none; GA_OVERFLOW if there can be no such inputs.
 */
GaStatus
ga_exact_sum_add_serialized(const uint8_t *a, size_t n_a, const uint8_t *b,
							size_t n_b, int by, uint8_t *bytes, size_t *n_bytes)
{
	GaLimbs left, right, result;
	GaStatus status = decode(&left, a, n_a);

	if (status == GA_OK)
		status = decode(&right, b, n_b);
	if (status != GA_OK)
		return status;
	ga_limbs_add(&result, &left, &right, by);
	if (!ga_limbs_have_counts(&result) ||
		!ga_limbs_are_in_range(&result, ga_limbs_n_finite(&result)))
		return GA_OVERFLOW;
	*n_bytes = encode(&result, bytes);
	return GA_OK;
}
