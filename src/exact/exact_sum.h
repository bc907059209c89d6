/*
 * exact_sum.h
 *		The exact sum of floating-point numbers, rounded once at the end.
 *
 * A GaExactSum is a fixed-point number in units of 2^-1074, the smallest
 * double; a sum of products (product_sum.h) is wide, in units of 2^-2148.  It
 * is stored as cells of 64 bits that stand 32 bits apart: cell c counts in
 * 2^(32c) units.  An addition changes two cells and carries nothing;
 * carries are propagated once in GA_MAX_PENDING additions.  Adding, merging
 * and removing are exact, so they commute and undo one another.
 *
 * NaN, infinities and negative zeros are counted, not flagged, so that they
 * can be removed, too.
 *
 * Only a range of the cells is stored: a few for usual data, all of them for
 * exponents over the whole range.  A function that needs more cells than the
 * sum has capacity for changes nothing and returns GA_NO_CAPACITY; the caller
 * moves the sum to a larger buffer with ga_exact_sum_copy() and calls again.
 * A capacity of GA_MAX_CELLS, or GA_WIDE_CELLS if it is wide, always suffices.
 *
 * Called by the CPU engine, by backends, by gpuaggd and, compiled for the
 * device, by kernels (kernels/exact_sum.cuh).  These functions keep no state of
 * their own and lock nothing.  They must not allocate, and floating-point
 * operations must be IEEE's, one by one.
 *
 * Method: a small superaccumulator (Kulisch's long accumulator in carry-save
 * form; see Neal, "Fast exact summation using small and large
 * superaccumulators", 2015).
 */
#ifndef GA_EXACT_SUM_H
#define GA_EXACT_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "host_device.h"
#include "status.h"

#define GA_CELL_BITS	32
#define GA_MAX_CELLS	68		/* 2176 bits: 2^64 terms of up to 2^1024 */
#define GA_WIDE_CELLS	136		/* 4352 bits: terms of up to 2^2048 */
#define GA_MIN_CELLS	10		/* smallest useful capacity */
#define GA_MAX_PENDING	1000	/* additions to a cell between two carries */
#define GA_MAX_RESERVED 6		/* additions reserved at once */
#define GA_UNIT			(-1074) /* exponent of the unit */
#define GA_WIDE_UNIT	(-2148)

/* Inputs of a state that is read or merged, so that no count overflows. */
#define GA_EXACT_SUM_MAX_N (INT64_C(1) << 56)

#define GA_EXACT_SUM_SIZE(capacity) \
	(offsetof(GaExactSum, cells) + (capacity) * sizeof(int64_t))

typedef struct GaExactSum
{
	int64_t n;			/* inputs of every kind */
	int64_t n_nan;		/* ... of which NaN */
	int64_t n_pos_inf;	/* ... infinity */
	int64_t n_neg_inf;	/* ... minus infinity */
	int64_t n_neg_zero; /* ... minus zero */

	/* Additions since the last carry; each adds at most 2^52 to a cell. */
	uint16_t n_pending;
	uint16_t hint;	  /* of the CPU engine, for its next tile */
	uint8_t first;	  /* index of the lowest stored cell */
	uint8_t n_cells;  /* stored cells; 0 before any input */
	uint8_t capacity; /* most cells that can be stored */
	uint8_t is_wide;  /* a sum of products */

	/* The total is the sum of cells[i] * 2^(32 * (first + i)) units. */
	int64_t cells[];
} GaExactSum;

/* A sum with capacity for all cells, in automatic storage. */
typedef struct GaFullSum
{
	_Alignas(GaExactSum) unsigned char bytes[GA_EXACT_SUM_SIZE(GA_MAX_CELLS)];
} GaFullSum;

extern GA_HOST_DEVICE void ga_exact_sum_init(GaExactSum *sum, int capacity);
extern GA_HOST_DEVICE void ga_exact_sum_copy(GaExactSum *to, int capacity,
											 const GaExactSum *from);
extern GA_HOST_DEVICE int ga_exact_sum_larger(const GaExactSum *sum);
extern GA_HOST_DEVICE GaStatus ga_exact_sum_carry(GaExactSum *sum);
extern GA_HOST_DEVICE GaStatus ga_exact_sum_reserve(GaExactSum *sum, int low,
													int high);
extern GA_HOST_DEVICE GaStatus ga_exact_sum_add_scaled(GaExactSum *sum,
													   int64_t m, int exponent);
extern GA_HOST_DEVICE GaStatus ga_exact_sum_reserve_scaled(GaExactSum *sum,
														   int low_exponent,
														   int high_exponent);
extern GA_HOST_DEVICE GaStatus
ga_exact_sum_reserve_merge(GaExactSum *sum, const GaExactSum *other);
extern GA_HOST_DEVICE GaStatus ga_exact_sum_merge(GaExactSum *sum,
												  const GaExactSum *other);
extern GA_HOST_DEVICE GaStatus ga_exact_sum_unmerge(GaExactSum *sum,
													const GaExactSum *other);
extern GA_HOST_DEVICE GaStatus ga_exact_sum_float8(const GaExactSum *sum,
												   double *result);
extern GA_HOST_DEVICE GaStatus ga_exact_sum_float4(const GaExactSum *sum,
												   float *result);
extern GA_HOST_DEVICE int ga_exact_sum_exponent(const GaExactSum *sum);
extern GA_HOST_DEVICE bool ga_exact_sum_to_levels(const GaExactSum *sum,
												  const int *unit, int n_levels,
												  double *levels);
extern GA_HOST_DEVICE bool ga_exact_sum_is_valid(const GaExactSum *sum);

static inline GA_HOST_DEVICE GaExactSum *
ga_full_sum(GaFullSum *full)
{
	return (GaExactSum *) full->bytes;
}

/* Initialize the caller's GaFullSum as an empty sum of full capacity. */
static inline GA_HOST_DEVICE GaExactSum *
ga_full_sum_init(GaFullSum *full)
{
	GaExactSum *sum = ga_full_sum(full);

	ga_exact_sum_init(sum, GA_MAX_CELLS);
	return sum;
}

/* Return the most cells that a sum of this kind needs. */
static inline GA_HOST_DEVICE int
ga_exact_sum_max_cells(const GaExactSum *sum)
{
	return sum->is_wide ? GA_WIDE_CELLS : GA_MAX_CELLS;
}

/* Return the exponent of the unit. */
static inline GA_HOST_DEVICE int
ga_exact_sum_unit(const GaExactSum *sum)
{
	return sum->is_wide ? GA_WIDE_UNIT : GA_UNIT;
}

static inline GA_HOST_DEVICE uint64_t
ga_float8_bits(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline GA_HOST_DEVICE double
ga_float8_from_bits(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

#define GA_FLOAT8_SIGN	   UINT64_C(0x8000000000000000)
#define GA_FLOAT8_FRACTION UINT64_C(0x000fffffffffffff)
#define GA_FLOAT8_HIDDEN   UINT64_C(0x0010000000000000)

/*
 * The scale of running totals: levels whose units, powers of two, lie
 * GA_SCALE_BITS apart.  A level is a double of at most 2^GA_SCALE_TOP of its
 * units.  Adding and subtracting the anchor of a unit rounds to a multiple of
 * the unit.  The exponents of units go from GA_SCALE_LEAST to GA_SCALE_MOST.
 */
#define GA_SCALE_BITS  47
#define GA_SCALE_TOP   49
#define GA_SCALE_LEAST (-1074)
#define GA_SCALE_MOST  971

/* Return the anchor of a unit: 1.5 * 2^52 units. */
static inline GA_HOST_DEVICE double
ga_scale_anchor(int unit)
{
	return ga_float8_from_bits((uint64_t) (unit + 52 + 1023) << 52 |
							   GA_FLOAT8_HIDDEN / 2);
}

/* Count an infinity or a NaN (by = 1), or remove it (by = -1). */
static inline GA_HOST_DEVICE void
ga_exact_sum_count_special(GaExactSum *sum, uint64_t bits, int64_t by)
{
	sum->n += by;
	if (bits & GA_FLOAT8_FRACTION)
		sum->n_nan += by;
	else if (bits & GA_FLOAT8_SIGN)
		sum->n_neg_inf += by;
	else
		sum->n_pos_inf += by;
}

/*
 * Add x (by = 1), or remove an x that was added before (by = -1), to or from a
 * sum that is not wide.  GA_NO_CAPACITY if the cells of x do not fit.
 */
static inline GA_HOST_DEVICE GaStatus
ga_exact_sum_apply(GaExactSum *sum, double x, int64_t by)
{
	uint64_t bits = ga_float8_bits(x);
	unsigned biased = (unsigned) (bits >> 52) & 0x7ff;
	uint64_t m = bits & GA_FLOAT8_FRACTION;
	int64_t sign;
	unsigned place, shift, at;

	if (biased == 0x7ff)
	{
		ga_exact_sum_count_special(sum, bits, by);
		return GA_OK;
	}

	/* x = +-m * 2^(place - 1074) */
	m |= biased ? GA_FLOAT8_HIDDEN : 0;
	place = biased ? biased - 1 : 0;
	shift = place % GA_CELL_BITS;
	at = place / GA_CELL_BITS - sum->first;

	/* two cells are changed, and a third above them takes the carries */
	if ((int) at < 0 || at + 2 >= sum->n_cells)
	{
		if (ga_exact_sum_reserve(sum, (int) (place / GA_CELL_BITS),
								 (int) (place / GA_CELL_BITS) + 1) != GA_OK)
			return GA_NO_CAPACITY;
		at = place / GA_CELL_BITS - sum->first;
	}
	if (sum->n_pending >= GA_MAX_PENDING)
	{
		if (ga_exact_sum_carry(sum) != GA_OK)
			return GA_NO_CAPACITY;
		at = place / GA_CELL_BITS - sum->first;
	}
	sum->n_pending++;

	/* the sign of x, inverted where x is removed */
	sign = ((int64_t) bits >> 63) ^ (by >> 63);
	sum->cells[at] += ((int64_t) ((m << shift) & 0xffffffff) ^ sign) - sign;
	sum->cells[at + 1] +=
		((int64_t) (m >> (GA_CELL_BITS - shift)) ^ sign) - sign;

	sum->n += by;
	if (bits == GA_FLOAT8_SIGN)
		sum->n_neg_zero += by;
	return GA_OK;
}

static inline GA_HOST_DEVICE GaStatus
ga_exact_sum_add(GaExactSum *sum, double x)
{
	return ga_exact_sum_apply(sum, x, 1);
}

static inline GA_HOST_DEVICE GaStatus
ga_exact_sum_remove(GaExactSum *sum, double x)
{
	return ga_exact_sum_apply(sum, x, -1);
}

#endif /* GA_EXACT_SUM_H */
