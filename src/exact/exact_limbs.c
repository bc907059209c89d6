/*
 * exact_limbs.c
 *		What serialized sums have in common: counts, limbs and first bytes.
 */
#include "bytes.h"
#include "exact_limbs.h"

/* The largest input has that many bits, in units of its sum. */
#define INPUT_BITS		(1024 - GA_UNIT)
#define WIDE_INPUT_BITS (2048 - GA_WIDE_UNIT)

static int
most_limbs(const GaLimbs *limbs)
{
	return (limbs->is_wide ? GA_WIDE_CELLS : GA_MAX_CELLS) / 2;
}

/* Remove the limbs at both ends that need not be written. */
void
ga_limbs_make_canonical(GaLimbs *sum)
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

/* Is this what ga_limbs_make_canonical() leaves? */
static bool
is_canonical(const GaLimbs *sum)
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
bool
ga_limbs_have_counts(const GaLimbs *sum)
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

/* Return the number of inputs that are finite and not -0. */
int64_t
ga_limbs_n_finite(const GaLimbs *sum)
{
	return sum->n - sum->n_nan - sum->n_pos_inf - sum->n_neg_inf -
		   sum->n_neg_zero;
}

/*
 * Can n inputs that are finite and not -0, each below 2^1024, or 2^2048 of a
 * product, have this total?  So the highest cell has bits to spare, whatever is
 * merged.
 */
bool
ga_limbs_are_in_range(const GaLimbs *sum, int64_t n)
{
	const int last = sum->n_limbs - 1;
	uint64_t top;
	int n_bits;

	if (n <= 0 || last < 0)
		return last < 0;
	top = (uint64_t) (sum->limbs[last] ^ sum->limbs[last] >> 63);
	n_bits =
		64 * (sum->first + last) + (top == 0 ? 0 : 64 - __builtin_clzll(top));
	return n_bits <= (sum->is_wide ? WIDE_INPUT_BITS : INPUT_BITS) + 64 -
						 __builtin_clzll((uint64_t) n);
}

/* Make limbs of cells. */
void
ga_limbs_from_sum(GaLimbs *to, const GaExactSum *sum)
{
	const int end = sum->first + sum->n_cells;
	int c = sum->first & ~1;
	int64_t carry = 0;
	int n = 0;

	to->is_wide = sum->is_wide != 0;
	to->n = sum->n;
	to->n_nan = sum->n_nan;
	to->n_pos_inf = sum->n_pos_inf;
	to->n_neg_inf = sum->n_neg_inf;
	to->n_neg_zero = sum->n_neg_zero;
	to->first = c / 2;
	while (to->first + n < most_limbs(to) &&
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
	ga_limbs_make_canonical(to);
}

/* Make cells of limbs, in an empty sum of full capacity and their kind. */
void
ga_limbs_to_sum(GaExactSum *to, const GaLimbs *sum)
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

/* Write the five counts; return their end. */
uint8_t *
ga_limbs_put_counts(uint8_t *to, const GaLimbs *sum)
{
	to = ga_put_int64(to, sum->n);
	to = ga_put_int64(to, sum->n_nan);
	to = ga_put_int64(to, sum->n_pos_inf);
	to = ga_put_int64(to, sum->n_neg_inf);
	return ga_put_int64(to, sum->n_neg_zero);
}

/* Write the index of the lowest limb, the number of limbs, and the limbs. */
uint8_t *
ga_limbs_put_total(uint8_t *to, const GaLimbs *sum)
{
	int i;

	*to++ = (uint8_t) sum->first;
	*to++ = (uint8_t) sum->n_limbs;
	for (i = 0; i < sum->n_limbs; i++)
		to = ga_put_int64(to, sum->limbs[i]);
	return to;
}

/* Skip the first three bytes: magic, kind and version. */
GaStatus
ga_limbs_check_kind(GaBytesIn *in, const uint8_t kind[3])
{
	int i;

	if (in->end == in->next)
		return GA_BAD_STATE;
	for (i = 0; i < 3 && in->next < in->end; i++)
	{
		if (*in->next++ != kind[i])
			return GA_BAD_VERSION;
	}
	return i == 3 ? GA_OK : GA_BAD_STATE;
}

/* Read counts; false if the bytes do not hold any that can be. */
bool
ga_limbs_get_counts(GaLimbs *sum, GaBytesIn *in)
{
	if (in->end - in->next < GA_LIMBS_COUNTS_BYTES)
		return false;
	sum->n = ga_get_int64(&in->next);
	sum->n_nan = ga_get_int64(&in->next);
	sum->n_pos_inf = ga_get_int64(&in->next);
	sum->n_neg_inf = ga_get_int64(&in->next);
	sum->n_neg_zero = ga_get_int64(&in->next);
	return ga_limbs_have_counts(sum);
}

/* Read a total in its canonical form; false if the bytes hold none. */
bool
ga_limbs_get_total(GaLimbs *sum, GaBytesIn *in)
{
	int i;

	if (in->end - in->next < GA_LIMBS_HEAD_BYTES)
		return false;
	sum->first = *in->next++;
	sum->n_limbs = *in->next++;
	if (sum->first + sum->n_limbs > most_limbs(sum) ||
		in->end - in->next < 8 * sum->n_limbs)
		return false;
	for (i = 0; i < sum->n_limbs; i++)
		sum->limbs[i] = ga_get_int64(&in->next);
	return is_canonical(sum);
}

/* Return a limb of the whole range: 0 below the stored ones, the sign above. */
static int64_t
limb_at(const GaLimbs *sum, int i)
{
	if (i < sum->first || sum->n_limbs == 0)
		return 0;
	i -= sum->first;
	return i < sum->n_limbs ? sum->limbs[i] :
							  sum->limbs[sum->n_limbs - 1] >> 63;
}

/*
 * Set result to a + by * b, with by = 1 or -1: total and counts, which may be
 * those of no inputs.  Both are wide, or neither.
 */
void
ga_limbs_add(GaLimbs *result, const GaLimbs *a, const GaLimbs *b, int by)
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
	end = end < most_limbs(a) ? end : most_limbs(a);
	result->first = i;
	for (carry = flip & 1; i < end; i++)
	{
		carry += (uint64_t) limb_at(a, i);
		carry += (uint64_t) limb_at(b, i) ^ flip;
		result->limbs[i - result->first] = (int64_t) carry;
		carry >>= 64;
	}
	result->n_limbs = end - result->first;
	result->is_wide = a->is_wide;
	ga_limbs_make_canonical(result);
	result->n = a->n + by * b->n;
	result->n_nan = a->n_nan + by * b->n_nan;
	result->n_pos_inf = a->n_pos_inf + by * b->n_pos_inf;
	result->n_neg_inf = a->n_neg_inf + by * b->n_neg_inf;
	result->n_neg_zero = a->n_neg_zero + by * b->n_neg_zero;
}
