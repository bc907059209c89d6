/*
 * exact_sum_io.c
 *		The exact sum as bytes; see exact_sum_io.h for the format.
 */
#include "bytes.h"
#include "exact_sum_io.h"

/* The largest input has that many bits, in units of 2^-1074. */
#define INPUT_BITS (1024 + 1074)

/*
 * Write the sum as limbs in two's complement, of which none at either end could
 * be omitted.  Sets *first to the index of the lowest, and returns their
 * number.
 */
static int
to_limbs(const GaExactSum *sum, int64_t *limbs, int *first)
{
	const int end = sum->first + sum->n_cells;
	int c = sum->first & ~1;
	int64_t carry = 0;
	int n = 0;
	int low = 0;

	*first = c / 2;
	while (*first + n < GA_EXACT_SUM_MAX_LIMBS &&
		   (c < end || (n > 0 && carry != limbs[n - 1] >> 63)))
	{
		uint64_t limb = 0;
		int half;

		for (half = 0; half < 2; half++, c++)
		{
			if (c >= sum->first && c < end)
				carry += sum->cells[c - sum->first];
			limb |= ((uint64_t) carry & 0xffffffff) << (half * GA_CELL_BITS);
			carry >>= GA_CELL_BITS;
		}
		limbs[n++] = (int64_t) limb;
	}

	/* a limb that only extends the sign of the one below is not needed */
	while (n > 1 && limbs[n - 1] == limbs[n - 2] >> 63)
		n--;
	while (low < n && limbs[low] == 0)
		low++;
	if (low > 0)
		memmove(limbs, limbs + low, (size_t) (n - low) * sizeof(*limbs));
	*first = low < n ? *first + low : 0;
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

	*to++ = GA_EXACT_SUM_MAGIC;
	*to++ = GA_EXACT_SUM_KIND;
	*to++ = GA_EXACT_SUM_VERSION;
	to = ga_put_int64(to, sum->n);
	to = ga_put_int64(to, sum->n_nan);
	to = ga_put_int64(to, sum->n_pos_inf);
	to = ga_put_int64(to, sum->n_neg_inf);
	to = ga_put_int64(to, sum->n_neg_zero);
	*to++ = (uint8_t) first;
	*to++ = (uint8_t) n;
	for (i = 0; i < n; i++)
		to = ga_put_int64(to, limbs[i]);
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
 * Can so many finite inputs, each below 2^1024, have this total of n_limbs
 * limbs from `first` on?  So the highest cell has bits to spare, whatever is
 * merged.
 */
static bool
is_in_range(const int64_t *limbs, int first, int n_limbs, int64_t n)
{
	uint64_t top;
	int n_bits;

	if (n <= 0 || n_limbs == 0)
		return n_limbs == 0;
	top = (uint64_t) (limbs[n_limbs - 1] ^ limbs[n_limbs - 1] >> 63);
	n_bits =
		64 * (first + n_limbs - 1) + (top == 0 ? 0 : 64 - __builtin_clzll(top));
	return n_bits <= INPUT_BITS + 64 - __builtin_clzll((uint64_t) n);
}

/* Are these the limbs that to_limbs() writes for their total? */
static bool
is_canonical(const int64_t *limbs, int first, int n)
{
	if (n == 0)
		return first == 0;
	return limbs[0] != 0 && (n == 1 || limbs[n - 1] != limbs[n - 2] >> 63);
}

/* Store limbs, of which there is at least one, in an empty sum. */
static GaStatus
set_limbs(GaExactSum *sum, const int64_t *limbs, int first, int n)
{
	int64_t *cell;
	int i;

	if (ga_exact_sum_reserve(sum, 2 * first, 2 * (first + n) - 1) != GA_OK)
		return GA_BAD_STATE;
	cell = sum->cells + (2 * first - sum->first);
	for (i = 0; i < n; i++, cell += 2)
	{
		cell[0] = limbs[i] & 0xffffffff;
		cell[1] = limbs[i] >> GA_CELL_BITS;
		/* the highest limb has the sign */
		if (i < n - 1)
			cell[1] &= 0xffffffff;
	}
	return GA_OK;
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
	int64_t limbs[GA_EXACT_SUM_MAX_LIMBS];
	int first, n, i;

	if (n_bytes < 1)
		return GA_BAD_STATE;
	if (bytes[0] != GA_EXACT_SUM_MAGIC ||
		(n_bytes > 1 && bytes[1] != GA_EXACT_SUM_KIND) ||
		(n_bytes > 2 && bytes[2] != GA_EXACT_SUM_VERSION))
		return GA_BAD_VERSION;
	from += 3;
	if (n_bytes < GA_EXACT_SUM_HEAD_BYTES || !get_counts(sum, &from))
		return GA_BAD_STATE;
	first = *from++;
	n = *from++;
	if (first + n > GA_EXACT_SUM_MAX_LIMBS ||
		n_bytes != GA_EXACT_SUM_HEAD_BYTES + 8 * (size_t) n)
		return GA_BAD_STATE;
	for (i = 0; i < n; i++)
		limbs[i] = ga_get_int64(&from);
	sum->n_pending = 1;

	/* limbs need inputs that are finite and not -0 */
	if (!is_canonical(limbs, first, n) ||
		!is_in_range(limbs, first, n,
					 sum->n - sum->n_nan - sum->n_pos_inf - sum->n_neg_inf -
						 sum->n_neg_zero))
		return GA_BAD_STATE;
	return n == 0 ? GA_OK : set_limbs(sum, limbs, first, n);
}
