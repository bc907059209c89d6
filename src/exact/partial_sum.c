/*
 * partial_sum.c
 *		Records of sums: merging those of a device, writing them on the host.
 */
#include "partial_sum.h"

/* Digits of 32 bits in the limbs of a record. */
#define DIGITS (2 * GA_PARTIAL_LIMBS)

/* Cells that only take carries: no input reaches them. */
#define FIRST_CARRY_CELL 66

/* Can n integers of 64 bits or less have this record? */
bool
ga_partial_is_int(const GaPartialSum *partial, int64_t n)
{
	const GaInt128 limit = (GaInt128) n << 63;
	const GaIntSum sum = {n, partial->limb[0], (int64_t) partial->limb[1]};
	const GaInt128 total = ga_int_sum_total(&sum);

	return partial->kind == GA_PARTIAL_COMPACT && total >= -limit &&
		   total <= limit;
}

/* Can n inputs have these cells and counts? */
static bool
is_full_record(const GaFullRecord *full, int64_t n)
{
	int i;

	if (full->n_nan < 0 || full->n_nan > n || full->n_pos_inf < 0 ||
		full->n_pos_inf > n || full->n_neg_inf < 0 || full->n_neg_inf > n ||
		full->n_nan + full->n_pos_inf + full->n_neg_inf > n)
		return false;
	for (i = 0; i < GA_MAX_CELLS; i++)
	{
		const int64_t limit = INT64_C(1) << (i < FIRST_CARRY_CELL ? 52 : 32);

		if (full->cells[i] <= -limit || full->cells[i] >= limit)
			return false;
	}
	return true;
}

/*
 * Can n floats have this record?  full is that of GA_PARTIAL_FULL.  What is
 * true of it can be merged, and the sum stays valid.
 */
bool
ga_partial_is_float(const GaPartialSum *partial, int64_t n,
					const GaFullRecord *full)
{
	int64_t left = n - partial->n_neg_zero;
	int i;

	if (left < 0)
		return false;
	if (partial->kind == GA_PARTIAL_FULL)
		return is_full_record(full, left);
	if (partial->kind != GA_PARTIAL_COMPACT || partial->first >= GA_MAX_CELLS)
		return false;
	/* what is beyond the cells extends the sign */
	for (i = FIRST_CARRY_CELL + 1 - partial->first; i < DIGITS; i++)
	{
		const uint32_t digit =
			(uint32_t) (partial->limb[i / 2] >> (i % 2 ? GA_CELL_BITS : 0));

		if (i >= 0 && digit != 0 && digit != UINT32_MAX)
			return false;
	}
	return true;
}

/* Initialize a sum that stores n_cells cells from first on. */
static void
init_cells(GaExactSum *sum, int first, int n_cells)
{
	ga_exact_sum_init(sum, n_cells);
	sum->first = (uint8_t) first;
	sum->n_cells = (uint8_t) n_cells;
	sum->n_pending = 1;
}

/*
 * Convert limbs to cells, as signed digits from -2^31 to 2^31: a small negative
 * number takes few of them.
 */
static void
cells_from_limbs(GaExactSum *cells, const GaPartialSum *partial)
{
	int64_t carry = 0;
	int n = GA_MAX_CELLS - partial->first;
	int i;

	n = n < DIGITS ? n : DIGITS;
	init_cells(cells, partial->first, n);
	for (i = 0; i < n; i++)
	{
		uint64_t limb = partial->limb[i / 2];

		carry += (uint32_t) (i % 2 ? limb >> GA_CELL_BITS : limb);
		cells->cells[i] = (int32_t) (uint32_t) carry;
		carry = (carry - cells->cells[i]) >> GA_CELL_BITS;
	}
}

/*
 * Add the record of n inputs; full is the request's list of full records.
 * GA_NO_CAPACITY if the sum is too small; GA_BAD_STATE if the record is
 * GA_PARTIAL_NO_CAPACITY or invalid.
 */
GaStatus
ga_partial_merge(GaExactSum *sum, int64_t n, const GaPartialSum *partial,
				 const GaFullRecord *full)
{
	GaFullSum buffer;
	GaExactSum *other = ga_full_sum(&buffer);

	if (partial->kind == GA_PARTIAL_FULL)
	{
		const GaFullRecord *from = full + partial->limb[0];

		init_cells(other, 0, GA_MAX_CELLS);
		memcpy(other->cells, from->cells, sizeof(from->cells));
		other->n_nan = from->n_nan;
		other->n_pos_inf = from->n_pos_inf;
		other->n_neg_inf = from->n_neg_inf;
	}
	else if (partial->kind == GA_PARTIAL_COMPACT &&
			 partial->first < GA_MAX_CELLS)
		cells_from_limbs(other, partial);
	else
		return GA_BAD_STATE;
	other->n = n;
	other->n_neg_zero = partial->n_neg_zero;
	return ga_exact_sum_merge(sum, other);
}

/* Add the record of n integers, whose total is in the two lower limbs. */
void
ga_partial_merge_int(GaIntSum *sum, int64_t n, const GaPartialSum *partial)
{
	GaIntSum other = {n, partial->limb[0], (int64_t) partial->limb[1]};

	ga_int_sum_add(sum, ga_int_sum_total(&other), n);
}

/*
 * Write a sum as a compact record.  False if it does not fit, or has infinities
 * or NaN: the caller sets kind and limbs, and writes a full record.
 */
bool
ga_partial_from_sum(GaPartialSum *partial, const GaExactSum *sum)
{
	int64_t carry = 0;
	int64_t digits[GA_MAX_CELLS + 2];
	int low = 0;
	int n = 0;
	int i;

	memset(partial, 0, sizeof(*partial));
	partial->n_neg_zero = (uint32_t) sum->n_neg_zero;
	for (i = 0; i < sum->n_cells + 2; i++)
	{
		carry += i < sum->n_cells ? sum->cells[i] : 0;
		digits[i] = (int32_t) (uint32_t) carry;
		carry = (carry - digits[i]) >> GA_CELL_BITS;
		if (digits[i] == 0)
			continue;
		if (n == 0)
			low = i;
		n = i - low + 1;
	}
	if (n >= DIGITS || sum->n_nan + sum->n_pos_inf + sum->n_neg_inf > 0)
		return false;

	/* back to two's complement */
	partial->first = (uint8_t) (sum->first + low);
	carry = 0;
	for (i = 0; i < DIGITS; i++)
	{
		carry += i < n ? digits[low + i] : 0;
		partial->limb[i / 2] |= (uint64_t) (uint32_t) carry
								<< (i % 2 ? GA_CELL_BITS : 0);
		carry >>= GA_CELL_BITS;
	}
	return true;
}

/* Write a sum as a full record. */
void
ga_full_record_from_sum(GaFullRecord *full, const GaExactSum *sum)
{
	GaFullSum buffer;
	GaExactSum *carried = ga_full_sum(&buffer);

	ga_exact_sum_copy(carried, GA_MAX_CELLS, sum);
	(void) ga_exact_sum_carry(carried);
	memset(full, 0, sizeof(*full));
	full->n_nan = carried->n_nan;
	full->n_pos_inf = carried->n_pos_inf;
	full->n_neg_inf = carried->n_neg_inf;
	memcpy(full->cells + carried->first, carried->cells,
		   carried->n_cells * sizeof(int64_t));
}

/*
 * Write the record of a sum, and append a full record to full[] if it needs one
 * and full_capacity suffices.  *n_full counts the full records needed.
 */
void
ga_partial_store(GaPartialSum *partial, const GaExactSum *sum,
				 GaFullRecord *full, uint32_t full_capacity, uint32_t *n_full)
{
	if (ga_partial_from_sum(partial, sum))
		return;
	partial->kind = GA_PARTIAL_NO_CAPACITY;
	if (*n_full < full_capacity)
	{
		ga_full_record_from_sum(full + *n_full, sum);
		partial->kind = GA_PARTIAL_FULL;
		partial->limb[0] = *n_full;
	}
	(*n_full)++;
}

/* Return the record of a sum of integers. */
GaPartialSum
ga_partial_from_int_sum(const GaIntSum *sum)
{
	return (GaPartialSum){
		.limb = {sum->low, (uint64_t) sum->high,
				 sum->high < 0 ? UINT64_MAX : 0},
		.kind = GA_PARTIAL_COMPACT,
	};
}
