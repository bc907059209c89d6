/*
 * exact_sum_io.c
 *		The exact sum as bytes; see exact_sum_io.h for the format.
 */
#include "bytes.h"
#include "exact_sum_io.h"

/* The largest input has that many bits, in units of 2^-1074. */
#define INPUT_BITS (1024 + 1074)

/*
 * Write the sum as limbs in two's complement, over the whole range.  Sets
 * *first to the lowest limb that is needed and returns their number.
 */
static int
to_limbs(const GaExactSum *sum, int64_t *limbs, int *first)
{
	int64_t carry = 0;
	int n = GA_EXACT_SUM_MAX_LIMBS;
	int low = 0;
	int c;

	for (c = 0; c < GA_MAX_CELLS; c++)
	{
		uint64_t digit;

		if (c >= sum->first && c - sum->first < sum->n_cells)
			carry += sum->cells[c - sum->first];
		digit = (uint64_t) carry & 0xffffffff;
		carry >>= GA_CELL_BITS;
		if (c % 2 == 0)
			limbs[c / 2] = (int64_t) digit;
		else
			limbs[c / 2] |= (int64_t) (digit << GA_CELL_BITS);
	}

	/* a limb that only extends the sign of the one below is not needed */
	while (n > 1 && limbs[n - 1] == limbs[n - 2] >> 63)
		n--;
	while (low < n && limbs[low] == 0)
		low++;
	*first = low < n ? low : 0;
	return n - low;
}

/* Write a sum in its canonical form; returns the number of bytes. */
size_t
ga_exact_sum_serialize(const GaExactSum *sum,
					   uint8_t bytes[GA_EXACT_SUM_MAX_BYTES])
{
	int64_t limbs[GA_EXACT_SUM_MAX_LIMBS];
	uint8_t *to = bytes;
	int first;
	int n = to_limbs(sum, limbs, &first);
	int i;

	*to++ = GA_EXACT_SUM_VERSION;
	to = ga_put_int64(to, sum->n);
	to = ga_put_int64(to, sum->n_nan);
	to = ga_put_int64(to, sum->n_pos_inf);
	to = ga_put_int64(to, sum->n_neg_inf);
	to = ga_put_int64(to, sum->n_neg_zero);
	*to++ = (uint8_t) first;
	*to++ = (uint8_t) n;
	for (i = 0; i < n; i++)
		to = ga_put_int64(to, limbs[first + i]);
	return (size_t) (to - bytes);
}

/*
 * Read the counts; false if one is negative, their sum exceeds n, or there are
 * more than can be merged.
 */
static bool
get_counts(GaExactSum *sum, const uint8_t **from)
{
	int64_t rest;

	sum->n = ga_get_int64(from);
	sum->n_nan = ga_get_int64(from);
	sum->n_pos_inf = ga_get_int64(from);
	sum->n_neg_inf = ga_get_int64(from);
	sum->n_neg_zero = ga_get_int64(from);

	/* one by one, so that no addition overflows */
	rest = sum->n;
	if (rest < 0 || rest > GA_EXACT_SUM_MAX_N || sum->n_nan < 0 ||
		sum->n_nan > rest)
		return false;
	rest -= sum->n_nan;
	if (sum->n_pos_inf < 0 || sum->n_pos_inf > rest)
		return false;
	rest -= sum->n_pos_inf;
	if (sum->n_neg_inf < 0 || sum->n_neg_inf > rest)
		return false;
	rest -= sum->n_neg_inf;
	return sum->n_neg_zero >= 0 && sum->n_neg_zero <= rest;
}

/*
 * Can so many finite inputs have this total?  Each is below 2^1024.  So the
 * highest cell has bits to spare, whatever is merged.
 */
static bool
is_in_range(const GaExactSum *sum, int64_t n)
{
	int64_t limbs[GA_EXACT_SUM_MAX_LIMBS];
	int first;
	int last = to_limbs(sum, limbs, &first) - 1;
	uint64_t top;
	int n_bits;

	if (n <= 0 || last < 0)
		return last < 0;
	last += first;
	top = (uint64_t) (limbs[last] ^ limbs[last] >> 63);
	n_bits = 64 * last + (top == 0 ? 0 : 64 - __builtin_clzll(top));
	return n_bits <= INPUT_BITS + 64 - __builtin_clzll((uint64_t) n);
}

/*
 * Read the output of ga_exact_sum_serialize() into full.  GA_BAD_VERSION or
 * GA_BAD_STATE if the bytes cannot be such an output.
 */
GaStatus
ga_exact_sum_deserialize(GaFullSum *full, const uint8_t *bytes, size_t n_bytes)
{
	GaExactSum *sum = ga_full_sum_init(full);
	const uint8_t *from = bytes;
	uint8_t again[GA_EXACT_SUM_MAX_BYTES];
	int first, n, i;

	if (n_bytes < 1)
		return GA_BAD_STATE;
	if (*from++ != GA_EXACT_SUM_VERSION)
		return GA_BAD_VERSION;
	if (n_bytes < GA_EXACT_SUM_HEAD_BYTES || !get_counts(sum, &from))
		return GA_BAD_STATE;
	first = *from++;
	n = *from++;
	if (first + n > GA_EXACT_SUM_MAX_LIMBS ||
		n_bytes != GA_EXACT_SUM_HEAD_BYTES + 8 * (size_t) n)
		return GA_BAD_STATE;

	if (n > 0 &&
		ga_exact_sum_reserve(sum, 2 * first, 2 * (first + n) - 1) != GA_OK)
		return GA_BAD_STATE;
	for (i = 0; i < n; i++)
	{
		int64_t *cell = sum->cells + (2 * (first + i) - sum->first);
		int64_t limb = ga_get_int64(&from);

		/* the highest limb has the sign */
		cell[0] = limb & 0xffffffff;
		cell[1] = limb >> GA_CELL_BITS;
		if (i < n - 1)
			cell[1] &= 0xffffffff;
	}
	sum->n_pending = 1;

	/* limbs need inputs that are finite and not -0 */
	if (!is_in_range(sum, sum->n - sum->n_nan - sum->n_pos_inf -
							  sum->n_neg_inf - sum->n_neg_zero))
		return GA_BAD_STATE;

	/* no other form than the canonical one is valid */
	if (ga_exact_sum_serialize(sum, again) != n_bytes ||
		memcmp(again, bytes, n_bytes) != 0)
		return GA_BAD_STATE;
	return GA_OK;
}
