/*
 * exact_sum.c
 *		The exact sum: its range of cells, adding and merging.
 *
 * See exact_sum.h for what it is and doc/numerics.md for why it is right.
 */
#include "exact_sum.h"

/* Spare cells on a side on which the range grows, where they fit. */
#define RANGE_MARGIN 4

/* Initialize an empty sum with this capacity. */
GA_HOST_DEVICE void
ga_exact_sum_init(GaExactSum *sum, int capacity)
{
	memset(sum, 0, offsetof(GaExactSum, cells));
	sum->capacity = (uint8_t) capacity;
}

/* Copy a sum to a buffer with capacity for its stored cells or more. */
GA_HOST_DEVICE void
ga_exact_sum_copy(GaExactSum *to, int capacity, const GaExactSum *from)
{
	memcpy(to, from, GA_EXACT_SUM_SIZE(from->n_cells));
	to->capacity = (uint8_t) capacity;
}

/*
 * Return the capacity to move to after GA_NO_CAPACITY.  With its header and
 * the allocator's bookkeeping, each such sum fills a power of two.
 */
GA_HOST_DEVICE int
ga_exact_sum_larger(const GaExactSum *sum)
{
	if (sum->capacity < GA_MIN_CELLS)
		return GA_MIN_CELLS;
	if (sum->capacity < 26)
		return 26;
	return sum->is_wide && sum->capacity < 58 ? 58 :
												ga_exact_sum_max_cells(sum);
}

/*
 * Store the n cells from first on.  They must contain the cells that are
 * stored now, which keep their contents, and not exceed the capacity.
 */
static GA_HOST_DEVICE void
set_range(GaExactSum *sum, int first, int n)
{
	int below = sum->n_cells ? sum->first - first : 0;
	int above = n - below - sum->n_cells;

	memmove(sum->cells + below, sum->cells, sum->n_cells * sizeof(int64_t));
	memset(sum->cells, 0, below * sizeof(int64_t));
	memset(sum->cells + n - above, 0, above * sizeof(int64_t));
	sum->first = (uint8_t) first;
	sum->n_cells = (uint8_t) n;
}

/*
 * Store the cells low to high, too, and one above for carries
 * (0 <= low <= high, below the most).  GA_NO_CAPACITY if they do not fit.
 */
GA_HOST_DEVICE GaStatus
ga_exact_sum_reserve(GaExactSum *sum, int low, int high)
{
	const int most = ga_exact_sum_max_cells(sum);
	int end = high + 2 < most ? high + 2 : most;
	int spare;
	int take;

	/* most often they are there */
	if (low >= sum->first && high + 2 <= sum->first + sum->n_cells)
		return GA_OK;
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
		return GA_NO_CAPACITY;

	/* a margin on the side that grows, so that it grows seldom */
	if (sum->n_cells == 0 || low < sum->first)
	{
		take = spare < RANGE_MARGIN ? spare : RANGE_MARGIN;
		take = take < low ? take : low;
		low -= take;
		spare -= take;
	}
	if (sum->n_cells == 0 || end > sum->first + sum->n_cells)
	{
		take = spare < RANGE_MARGIN ? spare : RANGE_MARGIN;
		take = take < most - end ? take : most - end;
		end += take;
	}
	set_range(sum, low, end - low);
	return GA_OK;
}

/* Is the highest cell beyond the bound of one pending addition, 2^52? */
static GA_HOST_DEVICE bool
top_is_large(const GaExactSum *sum)
{
	int64_t top = sum->n_cells > 0 ? sum->cells[sum->n_cells - 1] : 0;

	return top >> 52 != top >> 63;
}

/*
 * Propagate carries: make every cell but the highest a digit from 0 to
 * 2^32 - 1.  The highest cell has the sign and all higher bits.  After some
 * 2^32 large terms it needs another cell above it; GA_NO_CAPACITY if that does
 * not fit, and then the next addition has to carry first.
 */
GA_HOST_DEVICE GaStatus
ga_exact_sum_carry(GaExactSum *sum)
{
	bool again;

	do
	{
		int i;

		for (i = 0; i + 1 < sum->n_cells; i++)
		{
			int64_t cell = sum->cells[i];

			sum->cells[i + 1] += cell >> GA_CELL_BITS;
			sum->cells[i] = cell & 0xffffffff;
		}
		sum->n_pending = 1;
		again = top_is_large(sum) &&
				sum->first + sum->n_cells < ga_exact_sum_max_cells(sum);
		if (again &&
			ga_exact_sum_reserve(sum, sum->first,
								 sum->first + sum->n_cells - 1) != GA_OK)
		{
			sum->n_pending = GA_MAX_PENDING;
			return GA_NO_CAPACITY;
		}
	} while (again);
	return GA_OK;
}

/*
 * Store the cells that GA_MAX_RESERVED calls of ga_exact_sum_add_scaled() may
 * need for exponents from low_exponent to high_exponent.  GA_NO_CAPACITY if
 * they do not fit; otherwise those calls cannot fail.
 */
GA_HOST_DEVICE GaStatus
ga_exact_sum_reserve_scaled(GaExactSum *sum, int low_exponent,
							int high_exponent)
{
	/* none of the additions may have to carry into a new cell */
	if (sum->n_pending + GA_MAX_RESERVED > GA_MAX_PENDING &&
		ga_exact_sum_carry(sum) != GA_OK)
		return GA_NO_CAPACITY;
	return ga_exact_sum_reserve(
		sum, (low_exponent - ga_exact_sum_unit(sum)) / GA_CELL_BITS,
		(high_exponent - ga_exact_sum_unit(sum)) / GA_CELL_BITS + 2);
}

/*
 * Add m * 2^exponent, which must be in the range of the sum's terms, with an
 * exponent not below the unit's.  The caller updates the counts.
 * GA_NO_CAPACITY if the cells do not fit.
 */
GA_HOST_DEVICE GaStatus
ga_exact_sum_add_scaled(GaExactSum *sum, int64_t m, int exponent)
{
	int place = exponent - ga_exact_sum_unit(sum);
	int cell = place / GA_CELL_BITS;
	int shift = place % GA_CELL_BITS;
	int64_t high = m >> (GA_CELL_BITS - shift);
	int64_t *at;

	if (m == 0)
		return GA_OK;
	if (ga_exact_sum_reserve(sum, cell, cell + 2) != GA_OK)
		return GA_NO_CAPACITY;
	if (sum->n_pending >= GA_MAX_PENDING && ga_exact_sum_carry(sum) != GA_OK)
		return GA_NO_CAPACITY;
	sum->n_pending++;

	at = sum->cells + (cell - sum->first);
	at[0] += (int64_t) (((uint64_t) m << shift) & 0xffffffff);
	at[1] += high & 0xffffffff;
	at[2] += high >> GA_CELL_BITS;
	return GA_OK;
}

/*
 * Return the indexes of the other's lowest and highest cell that are not 0;
 * *high < *low if there is none.
 */
static GA_HOST_DEVICE void
used_cells(const GaExactSum *other, int *low, int *high)
{
	*low = 0;
	*high = other->n_cells - 1;
	while (*high >= 0 && other->cells[*high] == 0)
		--*high;
	while (*low < *high && other->cells[*low] == 0)
		++*low;
}

/*
 * Store the cells that merging the other sum, or removing it, needs; then that
 * cannot fail.  GA_NO_CAPACITY if they do not fit.
 */
GA_HOST_DEVICE GaStatus
ga_exact_sum_reserve_merge(GaExactSum *sum, const GaExactSum *other)
{
	int low, high, end;

	used_cells(other, &low, &high);
	if (high < low)
		return GA_OK;
	if (sum->n_pending + other->n_pending >= GA_MAX_PENDING &&
		ga_exact_sum_carry(sum) != GA_OK)
		return GA_NO_CAPACITY;
	/* the other's highest cell needs none above it, unless it is large */
	end = high < other->n_cells - 1 || top_is_large(other) ? high : high - 1;
	return ga_exact_sum_reserve(sum, other->first + low, other->first + end);
}

/* Set sum to sum + by * other, with by = 1 or -1; both wide, or neither. */
static GA_HOST_DEVICE GaStatus
merge(GaExactSum *sum, const GaExactSum *other, int64_t by)
{
	int low, high;

	used_cells(other, &low, &high);
	if (low <= high)
	{
		int shift;

		if (ga_exact_sum_reserve_merge(sum, other) != GA_OK)
			return GA_NO_CAPACITY;
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

/* Add all inputs of other.  GA_NO_CAPACITY if its cells do not fit. */
GA_HOST_DEVICE GaStatus
ga_exact_sum_merge(GaExactSum *sum, const GaExactSum *other)
{
	return merge(sum, other, 1);
}

/* Remove all inputs of other, which must be in the sum. */
GA_HOST_DEVICE GaStatus
ga_exact_sum_unmerge(GaExactSum *sum, const GaExactSum *other)
{
	return merge(sum, other, -1);
}

/* Are counts, cell range and pending additions consistent?  For assertions. */
GA_HOST_DEVICE bool
ga_exact_sum_is_valid(const GaExactSum *sum)
{
	int64_t bound;
	int i;

	if (sum->n < 0 || sum->n_nan < 0 || sum->n_pos_inf < 0 ||
		sum->n_neg_inf < 0 || sum->n_neg_zero < 0 ||
		sum->n_nan + sum->n_pos_inf + sum->n_neg_inf + sum->n_neg_zero > sum->n)
		return false;
	if (sum->n_cells > sum->capacity ||
		sum->capacity > ga_exact_sum_max_cells(sum) ||
		sum->first + sum->n_cells > ga_exact_sum_max_cells(sum) ||
		sum->n_pending > 2 * GA_MAX_PENDING)
		return false;

	/* pending additions bound all cells, the highest included */
	bound = (int64_t) sum->n_pending << 52;
	for (i = 0; i < sum->n_cells; i++)
	{
		if (sum->cells[i] > bound || sum->cells[i] < -bound)
			return false;
	}
	return true;
}
