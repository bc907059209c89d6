/*
 * level_totals.cuh
 *		What sums on levels have in common, of items (levels.cuh) and of
 *		products (reduce/product_levels.cuh): anchors, the totals of a thread,
 *		the accumulators of a tile.
 */
#ifndef GA_LEVEL_TOTALS_CUH
#define GA_LEVEL_TOTALS_CUH

#include "cells.cuh"

/* Bits of the high word of a double. */
constexpr unsigned kHighMagnitude = 0x7fffffffu;
constexpr unsigned kHighInfinity = 0x7ff00000u;

static __device__ __forceinline__ double
power_of_2(int exponent)
{
	return __hiloint2double((exponent + 1023) << 20, 0);
}

/* Return 1.5 * 2^exponent. */
static __device__ __forceinline__ double
anchor_of(int exponent)
{
	return __hiloint2double((exponent + 1023) << 20 | 1 << 19, 0);
}

/* The exponent of anchors before the first tile. */
constexpr int kNoExponent = INT32_MIN;

/* Is x minus zero? */
static __device__ __forceinline__ bool
is_neg_zero(double x)
{
	return uint64_t(__double_as_longlong(x)) == GA_FLOAT8_SIGN;
}

/*
 * Constants of a type's levels: their number kCount, and the bits kSlack by
 * which all items are below the anchor's exponent.  n items may sum up to a
 * quarter of the anchor: n * 2^-kSlack <= 2^-2.
 */
template <typename T>
struct Level
{
	static constexpr int kCount = sizeof(T) == 8 ? 3 : 2;
	static constexpr int kSlack = 6;
	static constexpr int kSpacing = 53 - kSlack;

	/* Return the exponent of the last level's unit, over -1074. */
	static __device__ __forceinline__ int
	place(int exponent)
	{
		return exponent - kSpacing * (kCount - 1) - 52 + 1074;
	}
};

/* The totals of a thread on levels, and the accumulators of a tile. */
template <int kN>
struct LevelTotals
{
	static constexpr int kCount = kN;
	static constexpr int kSlack = Level<double>::kSlack;
	static constexpr int kSpacing = Level<double>::kSpacing;

	/* Exponents of the anchor for which all levels' anchors are normal. */
	static constexpr int kMinExponent = -1022 + kSpacing * (kCount - 1);
	static constexpr int kMaxExponent = 1022;

	int64_t total[kCount]; /* in units of the levels */
	int exponent;		   /* of the first anchor */

	__device__ __forceinline__ void
	clear()
	{
#pragma unroll
		for (int k = 0; k < kCount; k++)
			total[k] = 0;
	}

	/*
	 * Set the anchor for items up to 2^spare times the largest finite one,
	 * whose high word is given.
	 */
	__device__ __forceinline__ void
	set_anchor(unsigned high, int spare = 0)
	{
		int above = int(high >> 20) - 1022; /* all are below 2^above */

		exponent = min(max(above + kSlack + spare, kMinExponent), kMaxExponent);
	}

	__device__ __forceinline__ double
	anchor(int k) const
	{
		return anchor_of(exponent - kSpacing * k);
	}

	/* Return the exponent of a level's unit. */
	__device__ __forceinline__ int
	unit(int k) const
	{
		return exponent - kSpacing * k - 52;
	}

	/* Return a high word that items with a certificate have not reached. */
	__device__ __forceinline__ unsigned
	high_limit() const
	{
		return unsigned(exponent - kSlack + 1023) << 20;
	}

	/* Set accumulators of the first levels to their anchors. */
	template <int kLevels>
	__device__ __forceinline__ void
	begin(double (&a)[kLevels]) const
	{
#pragma unroll
		for (int k = 0; k < kLevels; k++)
			a[k] = anchor(k);
	}

	/* Add x to the accumulators from one to the end; returns the residual. */
	template <int kLevels>
	static __device__ __forceinline__ double
	accumulate_item(double (&a)[kLevels], int from, int end, double x)
	{
#pragma unroll
		for (int k = from; k < end; k++)
		{
			const double q = a[k] + x;

			x = x - (q - a[k]);
			a[k] = q;
		}
		return x;
	}

	/* Have accumulators anything on the last level? */
	__device__ __forceinline__ bool
	has_last(const double (&a)[kCount]) const
	{
		return a[kCount - 1] != anchor(kCount - 1);
	}

	/* Add what accumulators have, with a certificate, to the totals. */
	template <int kLevels>
	__device__ __forceinline__ void
	add_accumulated(const double (&a)[kLevels])
	{
#pragma unroll
		for (int k = 0; k < kLevels; k++)
			total[k] +=
				__double_as_longlong(a[k]) - __double_as_longlong(anchor(k));
	}
};

#endif /* GA_LEVEL_TOTALS_CUH */
