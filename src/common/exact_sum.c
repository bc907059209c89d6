/*
 * exact_sum.c
 *		The exact sum: its window of cells, merging, and rounding.
 *
 * See exact_sum.h for what it is and doc/numerics.md for why it is right.
 */
#include "exact_sum.h"

/* Cells added on a side of the window that has to move, where room allows. */
#define WINDOW_MARGIN	4

/* The least place value of a result type and its precision, for round_to(). */
typedef struct Format
{
	int			precision;		/* bits of the significand */
	int			min_place;		/* of its last bit, in units of 2^-1074 */
	unsigned	max_biased;		/* exponent field of infinity */
} Format;

static const Format float8_format = {53, 0, 2047};
static const Format float4_format = {24, 1074 - 149, 255};

/* An empty sum with room for this many cells. */
void
ga_exact_sum_init(GaExactSum *sum, int capacity)
{
	memset(sum, 0, offsetof(GaExactSum, cells));
	sum->capacity = (uint8_t) capacity;
}

/* Move a sum to other room, for at least as many cells as its window has. */
void
ga_exact_sum_copy(GaExactSum *to, int capacity, const GaExactSum *from)
{
	memcpy(to, from, GA_EXACT_SUM_SIZE(from->n_cells));
	to->capacity = (uint8_t) capacity;
}

/*
 * The capacity to move to after GA_NO_ROOM.  The sizes are such that with
 * header and bookkeeping they fill the allocator's powers of two.
 */
int
ga_exact_sum_larger(const GaExactSum *sum)
{
	if (sum->capacity < GA_MIN_CELLS)
		return GA_MIN_CELLS;
	return sum->capacity < 26 ? 26 : GA_MAX_CELLS;
}

/* Set the window to the n cells from first on; those in it now stay in it. */
static void
move_window(GaExactSum *sum, int first, int n)
{
	int			below = sum->n_cells ? sum->first - first : 0;
	int			above = n - below - sum->n_cells;

	memmove(sum->cells + below, sum->cells, sum->n_cells * sizeof(int64_t));
	memset(sum->cells, 0, below * sizeof(int64_t));
	memset(sum->cells + n - above, 0, above * sizeof(int64_t));
	sum->first = (uint8_t) first;
	sum->n_cells = (uint8_t) n;
}

/*
 * Bring the cells low to high into the window, and one above for carries
 * (0 <= low <= high < GA_MAX_CELLS).  GA_NO_ROOM if they do not fit.
 */
GaStatus
ga_exact_sum_reserve(GaExactSum *sum, int low, int high)
{
	int			end = high + 2 < GA_MAX_CELLS ? high + 2 : GA_MAX_CELLS;
	int			spare;
	int			take;

	if (sum->n_cells > 0)
	{
		if (low > sum->first)
			low = sum->first;
		if (end < sum->first + sum->n_cells)
			end = sum->first + sum->n_cells;
		if (low == sum->first && end == sum->first + sum->n_cells)
			return GA_OK;
	}
	spare = sum->capacity - (end - low);
	if (spare < 0)
		return GA_NO_ROOM;

	/* a margin where the window grows, so that it moves seldom */
	if (sum->n_cells == 0 || low < sum->first)
	{
		take = spare < WINDOW_MARGIN ? spare : WINDOW_MARGIN;
		take = take < low ? take : low;
		low -= take;
		spare -= take;
	}
	if (sum->n_cells == 0 || end > sum->first + sum->n_cells)
	{
		take = spare < WINDOW_MARGIN ? spare : WINDOW_MARGIN;
		take = take < GA_MAX_CELLS - end ? take : GA_MAX_CELLS - end;
		end += take;
	}
	move_window(sum, low, end - low);
	return GA_OK;
}

/* Is the highest cell so large that it should carry, too? */
static bool
top_is_large(const GaExactSum *sum)
{
	int64_t		top = sum->n_cells > 0 ? sum->cells[sum->n_cells - 1] : 0;

	return top >> 56 != top >> 63;
}

/*
 * Make every cell but the highest a digit from 0 to 2^32 - 1.  The highest
 * one holds the sign and all that is above.  After some 2^36 large terms it
 * needs another one above it; GA_NO_ROOM if that does not fit.
 */
GaStatus
ga_exact_sum_carry(GaExactSum *sum)
{
	bool		again;

	do
	{
		int			i;

		for (i = 0; i + 1 < sum->n_cells; i++)
		{
			int64_t		cell = sum->cells[i];

			sum->cells[i + 1] += cell >> GA_CELL_BITS;
			sum->cells[i] = cell & 0xffffffff;
		}
		sum->n_pending = 1;
		again = top_is_large(sum) &&
			sum->first + sum->n_cells < GA_MAX_CELLS;
		if (again && ga_exact_sum_reserve(sum, sum->first,
										  sum->first + sum->n_cells - 1) != GA_OK)
			return GA_NO_ROOM;
	} while (again);
	return GA_OK;
}

/*
 * Make sure that ga_exact_sum_add_scaled() has room for these exponents and
 * those between them.
 */
GaStatus
ga_exact_sum_reserve_scaled(GaExactSum *sum, int low_exponent,
							int high_exponent)
{
	return ga_exact_sum_reserve(sum, (low_exponent + 1074) / GA_CELL_BITS,
								(high_exponent + 1074) / GA_CELL_BITS + 2);
}

/*
 * Add m * 2^exponent, which lies in the range of finite doubles:
 * exponent >= -1074.  The counts are the caller's business.
 */
GaStatus
ga_exact_sum_add_scaled(GaExactSum *sum, int64_t m, int exponent)
{
	int			place = exponent + 1074;
	int			cell = place / GA_CELL_BITS;
	int			shift = place % GA_CELL_BITS;
	int64_t		high = m >> (GA_CELL_BITS - shift);
	int64_t    *at;

	if (m == 0)
		return GA_OK;
	if (ga_exact_sum_reserve(sum, cell, cell + 2) != GA_OK)
		return GA_NO_ROOM;
	if (sum->n_pending >= GA_MAX_PENDING && ga_exact_sum_carry(sum) != GA_OK)
		return GA_NO_ROOM;
	sum->n_pending++;

	at = sum->cells + (cell - sum->first);
	at[0] += (int64_t) (((uint64_t) m << shift) & 0xffffffff);
	at[1] += high & 0xffffffff;
	at[2] += high >> GA_CELL_BITS;
	return GA_OK;
}

/* sum += by * other, by = 1 or -1. */
static GaStatus
merge(GaExactSum *sum, const GaExactSum *other, int64_t by)
{
	int			low = 0;
	int			high = other->n_cells - 1;
	int			end;

	while (high >= 0 && other->cells[high] == 0)
		high--;
	if (high >= 0)
	{
		int			shift;

		while (other->cells[low] == 0)
			low++;
		if ((sum->n_pending + other->n_pending >= GA_MAX_PENDING ||
			 top_is_large(sum)) && ga_exact_sum_carry(sum) != GA_OK)
			return GA_NO_ROOM;
		/* the other's highest cell has been carried into, and needs no other */
		end = high < other->n_cells - 1 ? high : high - 1;
		if (ga_exact_sum_reserve(sum, other->first + low,
								 other->first + end) != GA_OK)
			return GA_NO_ROOM;
		sum->n_pending += other->n_pending + 1;

		shift = other->first - sum->first;
		for (; low <= high; low++)
			sum->cells[low + shift] += by * other->cells[low];
		if (sum->n_pending >= GA_MAX_PENDING)
			(void) ga_exact_sum_carry(sum);
	}
	sum->n += by * other->n;
	sum->n_nan += by * other->n_nan;
	sum->n_pos_inf += by * other->n_pos_inf;
	sum->n_neg_inf += by * other->n_neg_inf;
	sum->n_neg_zero += by * other->n_neg_zero;
	return GA_OK;
}

/* Add all that was added to other. */
GaStatus
ga_exact_sum_merge(GaExactSum *sum, const GaExactSum *other)
{
	return merge(sum, other, 1);
}

/* Take out all that was added to other; it must be in the sum. */
GaStatus
ga_exact_sum_unmerge(GaExactSum *sum, const GaExactSum *other)
{
	return merge(sum, other, -1);
}

/*
 * Split the sum into sign and magnitude: digits of 32 bits, digits[0] for
 * cell sum->first.  Returns the number of digits without leading zeros.
 */
static int
magnitude(const GaExactSum *sum, uint32_t *digits, bool *negative)
{
	int			n = sum->n_cells;
	int64_t		carry = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		carry += sum->cells[i];
		digits[i] = (uint32_t) carry;
		carry >>= GA_CELL_BITS;
	}
	/* what is above the window: two more digits, with the sign */
	digits[n++] = (uint32_t) carry;
	digits[n++] = (uint32_t) (carry >> GA_CELL_BITS);

	*negative = carry < 0;
	if (*negative)
	{
		uint64_t	borrow = 1;

		for (i = 0; i < n; i++)
		{
			borrow += (uint32_t) ~digits[i];
			digits[i] = (uint32_t) borrow;
			borrow >>= GA_CELL_BITS;
		}
	}
	while (n > 0 && digits[n - 1] == 0)
		n--;
	return n;
}

/* The 64 bits from bit `at` on; what is outside of the digits is zero. */
static uint64_t
bits_from(const uint32_t *digits, int n, int at)
{
	uint64_t	bits = 0;
	int			i = at >= 0 ? at / GA_CELL_BITS : -((31 - at) / GA_CELL_BITS);
	int			shift = at - i * GA_CELL_BITS;

	if (i >= 0 && i < n)
		bits = digits[i] >> shift;
	if (i + 1 >= 0 && i + 1 < n)
		bits |= (uint64_t) digits[i + 1] << (GA_CELL_BITS - shift);
	if (shift > 0 && i + 2 >= 0 && i + 2 < n)
		bits |= (uint64_t) digits[i + 2] << (2 * GA_CELL_BITS - shift);
	return bits;
}

/* Is a bit below bit `at` set? */
static bool
any_bit_below(const uint32_t *digits, int n, int at)
{
	int			i;

	for (i = 0; i < n && at >= GA_CELL_BITS; at -= GA_CELL_BITS)
	{
		if (digits[i++] != 0)
			return true;
	}
	return i < n && (digits[i] & ((UINT32_C(1) << at) - 1)) != 0;
}

/*
 * Round the finite part of a sum to nearest, ties to even.  The result is the
 * magnitude as exponent and fraction fields of the format, without the sign.
 */
static GaStatus
round_to(const GaExactSum *sum, const Format *format, bool *negative,
		 uint64_t *result)
{
	uint32_t	digits[GA_MAX_CELLS + 2];
	int			n = magnitude(sum, digits, negative);
	int			base = sum->first * GA_CELL_BITS;	/* place of digits' bit 0 */
	int			top,
				last;			/* places of the first and last bit kept */
	uint64_t	m;

	*result = 0;
	if (n == 0)
		return GA_OK;

	top = base + n * GA_CELL_BITS - 1 - __builtin_clz(digits[n - 1]);
	last = top - (format->precision - 1);
	if (last < format->min_place)
		last = format->min_place;
	m = bits_from(digits, n, last - base);
	if (top < last)
		m = 0;					/* below the smallest subnormal */

	if (last - 1 >= base &&
		(bits_from(digits, n, last - 1 - base) & 1) != 0 &&
		((m & 1) != 0 || any_bit_below(digits, n, last - 1 - base)))
		m++;

	/*
	 * m's hidden bit, and a carry out of it, add themselves to the exponent
	 * field.
	 */
	m += (uint64_t) (last - format->min_place) << (format->precision - 1);
	if ((m >> (format->precision - 1)) >= format->max_biased)
		return GA_OVERFLOW;
	*result = m;
	return GA_OK;
}

/*
 * The sum as fields of the format and a sign: NaN and infinities by their
 * counts, a zero by the count of negative ones, anything else rounded.
 */
static GaStatus
result_bits(const GaExactSum *sum, const Format *format, bool *negative,
			uint64_t *result)
{
	uint64_t	infinity = (uint64_t) format->max_biased <<
		(format->precision - 1);
	GaStatus	status;

	*negative = false;
	if (sum->n_nan > 0 || (sum->n_pos_inf > 0 && sum->n_neg_inf > 0))
	{
		*result = infinity | UINT64_C(1) << (format->precision - 2);
		return GA_OK;
	}
	if (sum->n_pos_inf > 0 || sum->n_neg_inf > 0)
	{
		*negative = sum->n_neg_inf > 0;
		*result = infinity;
		return GA_OK;
	}
	status = round_to(sum, format, negative, result);

	/* an exact zero has no sign of its own; a tiny sum keeps its sign */
	if (status == GA_OK && *result == 0 && !*negative)
		*negative = sum->n > 0 && sum->n_neg_zero == sum->n;
	return status;
}

/* The sum, rounded once to float8; GA_OVERFLOW if that is out of range. */
GaStatus
ga_exact_sum_float8(const GaExactSum *sum, double *result)
{
	bool		negative;
	uint64_t	bits;
	GaStatus	status = result_bits(sum, &float8_format, &negative, &bits);

	if (status == GA_OK)
		*result = ga_float8_from_bits(bits | (uint64_t) negative << 63);
	return status;
}

/* The sum, rounded once to float4; GA_OVERFLOW if that is out of range. */
GaStatus
ga_exact_sum_float4(const GaExactSum *sum, float *result)
{
	bool		negative;
	uint64_t	bits;
	GaStatus	status = result_bits(sum, &float4_format, &negative, &bits);

	if (status == GA_OK)
	{
		uint32_t	word = (uint32_t) bits | (uint32_t) negative << 31;

		memcpy(result, &word, sizeof(word));
	}
	return status;
}

/* Do counts, window and pending additions make sense?  For assertions. */
bool
ga_exact_sum_is_valid(const GaExactSum *sum)
{
	int			i;

	if (sum->n < 0 || sum->n_nan < 0 || sum->n_pos_inf < 0 ||
		sum->n_neg_inf < 0 || sum->n_neg_zero < 0 ||
		sum->n_nan + sum->n_pos_inf + sum->n_neg_inf + sum->n_neg_zero >
		sum->n)
		return false;
	if (sum->n_cells > sum->capacity || sum->capacity > GA_MAX_CELLS ||
		sum->first + sum->n_cells > GA_MAX_CELLS ||
		sum->n_pending > 2 * GA_MAX_PENDING)
		return false;

	/* the highest cell holds what was carried, which only n bounds */
	for (i = 0; i + 1 < sum->n_cells; i++)
	{
		if (sum->cells[i] >> 63 != sum->cells[i] >> 62)
			return false;
	}
	return true;
}
