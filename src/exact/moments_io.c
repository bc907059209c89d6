/*
 * moments_io.c
 *		Exact moments as bytes; see moments.h for the format.
 */
#include "exact_limbs.h"
#include "moments.h"

static const uint8_t kind[] = {GA_EXACT_SUM_MAGIC, GA_MOMENTS_KIND,
							   GA_MOMENTS_VERSION};

/* What the bytes say. */
typedef struct Limbs
{
	GaLimbs sum;
	GaLimbs squares; /* without counts */
} Limbs;

/* Write what the bytes say; returns their number. */
static size_t
encode(const Limbs *moments, uint8_t bytes[GA_MOMENTS_MAX_BYTES])
{
	uint8_t *to = bytes + sizeof(kind);

	memcpy(bytes, kind, sizeof(kind));
	to = ga_limbs_put_counts(to, &moments->sum);
	to = ga_limbs_put_total(to, &moments->sum);
	to = ga_limbs_put_total(to, &moments->squares);
	return (size_t) (to - bytes);
}

/* Are counts and totals in range? */
static bool
is_in_range(const Limbs *moments)
{
	const int64_t n = ga_limbs_n_finite(&moments->sum);

	return ga_limbs_have_counts(&moments->sum) &&
		   ga_limbs_are_in_range(&moments->sum, n) &&
		   ga_limbs_are_in_range(&moments->squares, n);
}

/*
 * Read bytes that may come from anywhere.  GA_BAD_VERSION or GA_BAD_STATE if
 * encode() cannot have written them; whether any inputs have such moments is
 * not looked at.
 */
static GaStatus
decode(Limbs *moments, const uint8_t *bytes, size_t n_bytes)
{
	GaBytesIn in = {bytes, bytes + n_bytes};
	const GaStatus status = ga_limbs_check_kind(&in, kind);

	if (status != GA_OK)
		return status;
	moments->sum.is_wide = false;
	moments->squares.is_wide = true;
	moments->squares.n = moments->squares.n_nan = moments->squares.n_pos_inf =
		moments->squares.n_neg_inf = moments->squares.n_neg_zero = 0;
	if (!ga_limbs_get_counts(&moments->sum, &in) ||
		!ga_limbs_get_total(&moments->sum, &in) ||
		!ga_limbs_get_total(&moments->squares, &in) || in.next != in.end ||
		!is_in_range(moments))
		return GA_BAD_STATE;
	return GA_OK;
}

/* Make moments of limbs; GA_BAD_STATE if no inputs have such. */
static GaStatus
to_moments(GaFullSumPair *full, const Limbs *from)
{
	GaMoments *moments = ga_full_sum_pair_init(full);

	ga_limbs_to_sum(ga_sum_pair_single(moments), &from->sum);
	ga_limbs_to_sum(ga_sum_pair_products(moments), &from->squares);
	ga_sum_pair_products(moments)->n =
		ga_limbs_n_finite(&from->sum) + from->sum.n_neg_zero;
	return ga_moments_are_possible(moments) ? GA_OK : GA_BAD_STATE;
}

/* Write moments in their canonical form; returns the number of bytes. */
size_t
ga_moments_serialize(const GaMoments *moments,
					 uint8_t bytes[GA_MOMENTS_MAX_BYTES])
{
	Limbs limbs;

	ga_limbs_from_sum(&limbs.sum, ga_sum_pair_single(moments));
	ga_limbs_from_sum(&limbs.squares, ga_sum_pair_products(moments));
	return encode(&limbs, bytes);
}

/*
 * Read the output of ga_moments_serialize() into full.  GA_BAD_VERSION or
 * GA_BAD_STATE if the bytes cannot be such an output for any inputs.
 */
GaStatus
ga_moments_deserialize(GaFullSumPair *full, const uint8_t *bytes,
					   size_t n_bytes)
{
	Limbs limbs;
	const GaStatus status = decode(&limbs, bytes, n_bytes);

	return status == GA_OK ? to_moments(full, &limbs) : status;
}

/*
 * Write the moments of the inputs of a and b, or of a without b (by = -1), to
 * bytes.  All are canonical forms; *n_bytes is set.  GA_BAD_VERSION or
 * GA_BAD_STATE if a or b is none; GA_OVERFLOW if there can be no such inputs.
 * A sum of a and b that no inputs have is found when it is read.
 */
GaStatus
ga_moments_add_serialized(const uint8_t *a, size_t n_a, const uint8_t *b,
						  size_t n_b, int by, uint8_t *bytes, size_t *n_bytes)
{
	Limbs left, right, result;
	GaFullSumPair full;
	GaStatus status = decode(&left, a, n_a);

	if (status == GA_OK)
		status = decode(&right, b, n_b);
	if (status != GA_OK)
		return status;
	ga_limbs_add(&result.sum, &left.sum, &right.sum, by);
	ga_limbs_add(&result.squares, &left.squares, &right.squares, by);
	if (!is_in_range(&result) ||
		(by < 0 && to_moments(&full, &result) != GA_OK))
		return GA_OVERFLOW;
	*n_bytes = encode(&result, bytes);
	return GA_OK;
}
