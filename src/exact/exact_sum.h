/*
 * exact_sum.h
 *		The exact sum of floating-point numbers, rounded once at the end.
 *
 * A GaExactSum is a wide fixed-point number, in units of 2^-1074, the
 * smallest double.  It is kept as cells of 64 bits that stand 32 bits apart:
 * cell c counts in 2^(32c) units.  An addition touches two cells and carries
 * nothing; carries are propagated once in GA_MAX_PENDING additions.  Adding,
 * merging and taking out are exact, so they commute and undo one another.
 *
 * NaN, infinities and negative zeros are counted, not flagged, so that they
 * too can be taken out again.
 *
 * Only a window of the cells is stored: a few for usual data, all of them for
 * exponents over the whole range.  These functions never allocate.  One that
 * needs a cell outside of what the caller provided changes nothing and returns
 * GA_NO_CAPACITY; the caller moves the sum to more room with ga_exact_sum_copy()
 * and calls again.  GA_MAX_CELLS is always room enough.
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
#define GA_MAX_CELLS	68	 /* 2176 bits: 2^64 terms of up to 2^1024 */
#define GA_MIN_CELLS	10	 /* the least useful capacity */
#define GA_MAX_PENDING	1000 /* additions a cell stands without carrying */
#define GA_MAX_RESERVED 4	 /* additions that are reserved at once */

#define GA_EXACT_SUM_SIZE(capacity) \
	(offsetof(GaExactSum, cells) + (capacity) * sizeof(int64_t))

typedef struct GaExactSum
{
	int64_t n;			/* inputs of every kind */
	int64_t n_nan;		/* ... of which NaN */
	int64_t n_pos_inf;	/* ... infinity */
	int64_t n_neg_inf;	/* ... minus infinity */
	int64_t n_neg_zero; /* ... minus zero */
	uint16_t n_pending; /* additions since the last carry; each left at
								 * most 2^52 in a cell, as the carry did */
	uint16_t hint;		/* the CPU engine's, from block to block */
	uint8_t first;		/* index of the lowest cell in the window */
	uint8_t n_cells;	/* cells in the window; 0 before any input */
	uint8_t capacity;	/* cells there is room for */
	int64_t cells[];	/* the window; the value is the sum over i of
								 * cells[i] * 2^(32 * (first + i) - 1074) */
} GaExactSum;

/* A sum with room for everything, for a place on the stack. */
typedef struct GaFullSum
{
	_Alignas(GaExactSum) unsigned char room[GA_EXACT_SUM_SIZE(GA_MAX_CELLS)];
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
	return (GaExactSum *) full->room;
}

/* A new sum with all the room there is, in the caller's GaFullSum. */
static inline GA_HOST_DEVICE GaExactSum *
ga_full_sum_init(GaFullSum *full)
{
	GaExactSum *sum = ga_full_sum(full);

	ga_exact_sum_init(sum, GA_MAX_CELLS);
	return sum;
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
 * The grid of running totals: levels in units that lie GA_SCALE_BITS apart.
 * Adding and subtracting the anchor of a unit rounds to a multiple of it.
 */
#define GA_SCALE_BITS 47
#define GA_SCALE_TOP \
	49						   /* a level is at most 2^49 of its units, as a
								 * double */
#define GA_SCALE_LEAST (-1074) /* exponents of units */
#define GA_SCALE_MOST  971

/* 1.5 * 2^52 units, for GA_SCALE_LEAST <= unit <= GA_SCALE_MOST. */
static inline GA_HOST_DEVICE double
ga_scale_anchor(int unit)
{
	return ga_float8_from_bits((uint64_t) (unit + 52 + 1023) << 52 |
							   GA_FLOAT8_HIDDEN / 2);
}

/* Count an infinity or a NaN (by = 1), or take it out (by = -1). */
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
 * Add x (by = 1), or take out an x that was added before (by = -1).
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

	/* two cells are touched, and a third above them takes the carries */
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

	/* the sign of x, turned round where x is taken out */
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
