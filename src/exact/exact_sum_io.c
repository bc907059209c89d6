/*
 * exact_sum_io.c
 *		The exact sum as bytes; see exact_sum_io.h for the format.
 */
#include "bytes.h"
#include "exact_sum_io.h"

/* The largest input has that many bits, in units of 2^-1074. */
#define INPUT_BITS (1024 + 1074)

/* What the bytes say. */
typedef struct Limbs
{
	int64_t n; /* counts, as in GaExactSum */
	int64_t n_nan;
	int64_t n_pos_inf;
	int64_t n_neg_inf;
	int64_t n_neg_zero;
	int first;	 /* index of the lowest limb */
	int n_limbs; /* the total in two's complement: */
	int64_t limbs[GA_EXACT_SUM_MAX_LIMBS];
} Limbs;

/* Remove the limbs at both ends that need not be written. */
static void
make_canonical(Limbs *sum)
{
	int64_t *limbs = sum->limbs;
	int low = 0;

	/* a limb that only extends the sign of the one below is not needed */
	while (sum->n_limbs > 1 &&
		   limbs[sum->n_limbs - 1] == limbs[sum->n_limbs - 2] >> 63)
		sum->n_limbs--;
	while (low < sum->n_limbs && limbs[low] == 0)
		low++;
	sum->n_limbs -= low;
	sum->first = sum->n_limbs > 0 ? sum->first + low : 0;
	if (low > 0)
		memmove(limbs, limbs + low, (size_t) sum->n_limbs * sizeof(*limbs));
}

/* Is this what make_canonical() leaves? */
static bool
is_canonical(const Limbs *sum)
{
	const int n = sum->n_limbs;

	if (n == 0)
		return sum->first == 0;
	return sum->limbs[0] != 0 &&
		   (n == 1 || sum->limbs[n - 1] != sum->limbs[n - 2] >> 63);
}

/*
 * Is no count negative, are they no more than n together, and n no more than
 * can be merged?
 */
static bool
has_counts(const Limbs *sum)
{
	/* each is at most 2^56, so that no addition overflows */
	return sum->n >= 0 && sum->n <= GA_EXACT_SUM_MAX_N && sum->n_nan >= 0 &&
		   sum->n_nan <= sum->n && sum->n_pos_inf >= 0 &&
		   sum->n_pos_inf <= sum->n && sum->n_neg_inf >= 0 &&
		   sum->n_neg_inf <= sum->n && sum->n_neg_zero >= 0 &&
		   sum->n_neg_zero <= sum->n &&
		   sum->n_nan + sum->n_pos_inf + sum->n_neg_inf + sum->n_neg_zero <=
			   sum->n;
}

/*
 * Can the inputs that are finite and not -0, each below 2^1024, have this
 * total?  So the highest cell has bits to spare, whatever is merged.
 */
static bool
is_in_range(const Limbs *sum)
{
	const int64_t n =
		sum->n - sum->n_nan - sum->n_pos_inf - sum->n_neg_inf - sum->n_neg_zero;
	const int last = sum->n_limbs - 1;
	uint64_t top;
	int n_bits;

	if (n <= 0 || last < 0)
		return last < 0;
	top = (uint64_t) (sum->limbs[last] ^ sum->limbs[last] >> 63);
	n_bits =
		64 * (sum->first + last) + (top == 0 ? 0 : 64 - __builtin_clzll(top));
	return n_bits <= INPUT_BITS + 64 - __builtin_clzll((uint64_t) n);
}

/* Write what the bytes say; returns their number. */
static size_t
encode(const Limbs *sum, uint8_t bytes[GA_EXACT_SUM_MAX_BYTES])
{
	uint8_t *to = bytes;
	int i;

	*to++ = GA_EXACT_SUM_MAGIC;
	*to++ = GA_EXACT_SUM_KIND;
	*to++ = GA_EXACT_SUM_VERSION;
	to = ga_put_int64(to, sum->n);
	to = ga_put_int64(to, sum->n_nan);
	to = ga_put_int64(to, sum->n_pos_inf);
	to = ga_put_int64(to, sum->n_neg_inf);
	to = ga_put_int64(to, sum->n_neg_zero);
	*to++ = (uint8_t) sum->first;
	*to++ = (uint8_t) sum->n_limbs;
	for (i = 0; i < sum->n_limbs; i++)
		to = ga_put_int64(to, sum->limbs[i]);
	return (size_t) (to - bytes);
}

/*
 * Read bytes that may come from anywhere.  GA_BAD_VERSION or GA_BAD_STATE if
 * encode() cannot have written them for a sum.
 */
static GaStatus
decode(Limbs *sum, const uint8_t *bytes, size_t n_bytes)
{
	const uint8_t *from = bytes + 3;
	int i;

	if (n_bytes < 1)
		return GA_BAD_STATE;
	if (bytes[0] != GA_EXACT_SUM_MAGIC ||
		(n_bytes > 1 && bytes[1] != GA_EXACT_SUM_KIND) ||
		(n_bytes > 2 && bytes[2] != GA_EXACT_SUM_VERSION))
		return GA_BAD_VERSION;
	if (n_bytes < GA_EXACT_SUM_HEAD_BYTES)
		return GA_BAD_STATE;
	sum->n = ga_get_int64(&from);
	sum->n_nan = ga_get_int64(&from);
	sum->n_pos_inf = ga_get_int64(&from);
	sum->n_neg_inf = ga_get_int64(&from);
	sum->n_neg_zero = ga_get_int64(&from);
	sum->first = *from++;
	sum->n_limbs = *from++;
	if (sum->first + sum->n_limbs > GA_EXACT_SUM_MAX_LIMBS ||
		n_bytes != GA_EXACT_SUM_HEAD_BYTES + 8 * (size_t) sum->n_limbs)
		return GA_BAD_STATE;
	for (i = 0; i < sum->n_limbs; i++)
		sum->limbs[i] = ga_get_int64(&from);
	return has_counts(sum) && is_canonical(sum) && is_in_range(sum) ?
			   GA_OK :
			   GA_BAD_STATE;
}

/* Make limbs of cells. */
static void
from_cells(Limbs *to, const GaExactSum *sum)
{
	const int end = sum->first + sum->n_cells;
	int c = sum->first & ~1;
	int64_t carry = 0;
	int n = 0;

	to->n = sum->n;
	to->n_nan = sum->n_nan;
	to->n_pos_inf = sum->n_pos_inf;
	to->n_neg_inf = sum->n_neg_inf;
	to->n_neg_zero = sum->n_neg_zero;
	to->first = c / 2;
	while (to->first + n < GA_EXACT_SUM_MAX_LIMBS &&
		   (c < end || (n > 0 && carry != to->limbs[n - 1] >> 63)))
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
		to->limbs[n++] = (int64_t) limb;
	}
	to->n_limbs = n;
	make_canonical(to);
}

/* Make cells of limbs, in an empty sum of full capacity. */
static void
to_cells(GaExactSum *to, const Limbs *sum)
{
	int64_t *cell;
	int i;

	to->n = sum->n;
	to->n_nan = sum->n_nan;
	to->n_pos_inf = sum->n_pos_inf;
	to->n_neg_inf = sum->n_neg_inf;
	to->n_neg_zero = sum->n_neg_zero;
	to->n_pending = 1;
	if (sum->n_limbs == 0)
		return;
	(void) ga_exact_sum_reserve(to, 2 * sum->first,
								2 * (sum->first + sum->n_limbs) - 1);
	cell = to->cells + (2 * sum->first - to->first);
	for (i = 0; i < sum->n_limbs; i++, cell += 2)
	{
		cell[0] = sum->limbs[i] & 0xffffffff;
		cell[1] = sum->limbs[i] >> GA_CELL_BITS;
		/* the highest limb has the sign */
		if (i < sum->n_limbs - 1)
			cell[1] &= 0xffffffff;
	}
}

/* Write a sum in its canonical form; returns the number of bytes. */
size_t
ga_exact_sum_serialize(const GaExactSum *sum,
					   uint8_t bytes[GA_EXACT_SUM_MAX_BYTES])
{
	Limbs limbs;

	from_cells(&limbs, sum);
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
	Limbs limbs;
	GaStatus status = decode(&limbs, bytes, n_bytes);

	if (status == GA_OK)
		to_cells(sum, &limbs);
	return status;
}

/* Return a limb of the whole range: 0 below the stored ones, the sign above. */
static int64_t
limb_at(const Limbs *sum, int i)
{
	if (i < sum->first || sum->n_limbs == 0)
		return 0;
	i -= sum->first;
	return i < sum->n_limbs ? sum->limbs[i] :
							  sum->limbs[sum->n_limbs - 1] >> 63;
}

/* Set result to the total of a + by * b, with by = 1 or -1. */
static void
add_limbs(Limbs *result, const Limbs *a, const Limbs *b, int by)
{
	const int end_a = a->first + a->n_limbs;
	const int end_b = b->first + b->n_limbs;
	const uint64_t flip = by < 0 ? UINT64_MAX : 0;
	unsigned __int128 carry;
	int i = a->first;
	int end = (end_a > end_b ? end_a : end_b) + 1;

	if (a->n_limbs == 0 || (b->n_limbs > 0 && b->first < i))
		i = b->first;
	/* totals of so many inputs fit */
	end = end < GA_EXACT_SUM_MAX_LIMBS ? end : GA_EXACT_SUM_MAX_LIMBS;
	result->first = i;
	for (carry = flip & 1; i < end; i++)
	{
		carry += (uint64_t) limb_at(a, i);
		carry += (uint64_t) limb_at(b, i) ^ flip;
		result->limbs[i - result->first] = (int64_t) carry;
		carry >>= 64;
	}
	result->n_limbs = end - result->first;
	make_canonical(result);
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
	Limbs left, right, result;
	GaStatus status = decode(&left, a, n_a);

	if (status == GA_OK)
		status = decode(&right, b, n_b);
	if (status != GA_OK)
		return status;
	add_limbs(&result, &left, &right, by);
	result.n = left.n + by * right.n;
	result.n_nan = left.n_nan + by * right.n_nan;
	result.n_pos_inf = left.n_pos_inf + by * right.n_pos_inf;
	result.n_neg_inf = left.n_neg_inf + by * right.n_neg_inf;
	result.n_neg_zero = left.n_neg_zero + by * right.n_neg_zero;
	if (!has_counts(&result) || !is_in_range(&result))
		return GA_OVERFLOW;
	*n_bytes = encode(&result, bytes);
	return GA_OK;
}
