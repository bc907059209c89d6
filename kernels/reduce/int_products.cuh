/*
 * int_products.cuh
 *		The sums of the second factors and of the products of pairs of
 *		integers: the reduction.
 *
 * The words of a result are digits, 32 bits apart: two of the sum, then two of
 * the sum of products, or four of int64_t, whose products have 128 bits.  The
 * last one has the sign.  An array has less than 2^30 elements, so each word is
 * below 2^62 in magnitude.
 */
#ifndef GA_INT_PRODUCTS_CUH
#define GA_INT_PRODUCTS_CUH

#include "pair_source.cuh"
#include "mixed_source.cuh"
#include "reduce.cuh"
#include "wide_cells.cuh"

template <typename T, typename S = PairSource<T>>
struct IntProducts
{
	using Source = S;
	using Mixed = IntProducts<T, MixedPairSource<T>>;
	using Tile = ItemPairs<T>;
	static constexpr int kSumDigits = 2;
	static constexpr int kProductDigits = sizeof(T) == 8 ? 4 : 2;
	static constexpr int kWords = kSumDigits + kProductDigits;
	static constexpr int kRecords = 2;
	static constexpr bool kTakesVectors = false;
	static constexpr bool kHasRuns = false;

	int64_t digit[kWords];

	static __device__ __forceinline__ T
	outside()
	{
		return 0;
	}

	__device__ __forceinline__ void
	init()
	{
#pragma unroll
		for (int i = 0; i < kWords; i++)
			digit[i] = 0;
	}

	/* Add two digits of a number, the upper one with its sign or without. */
	__device__ __forceinline__ void
	add_digits(int i, uint64_t low, bool has_sign)
	{
		digit[i] += uint32_t(low);
		digit[i + 1] += has_sign ? int64_t(low) >> 32 : int64_t(low >> 32);
	}

	__device__ __forceinline__ void
	add(const Tile &pairs, unsigned long long *)
	{
#pragma unroll
		for (int i = 0; i < Tile::kCount; i++)
		{
			const int64_t x = pairs.x.item(i);
			const int64_t y = pairs.y.item(i);

			add_digits(0, uint64_t(y), true);
			add_digits(kSumDigits, uint64_t(x) * uint64_t(y),
					   kProductDigits == 2);
			if (kProductDigits == 4)
				add_digits(kWords - 2, uint64_t(__mul64hi(x, y)), true);
		}
	}

	__device__ __forceinline__ void
	flush(unsigned long long *words)
	{
#pragma unroll
		for (int i = 0; i < kWords; i++)
			add_word(words + i, group_sum(digit[i], kWarp));
		init();
	}

	static __device__ __forceinline__ void
	combine(unsigned long long *to, unsigned long long word)
	{
		atomicAdd(to, word);
	}

	/* Write n digits as a record. */
	static __device__ __forceinline__ void
	store(GaPartialSum *record, const unsigned long long *words, int n)
	{
		int64_t carry = 0;
		uint32_t digits[kDigits];

#pragma unroll
		for (int i = 0; i < kDigits; i++)
		{
			carry += i < n ? int64_t(words[i]) : 0;
			digits[i] = uint32_t(carry);
			carry >>= 32;
		}
		store_digits(record, digits);
	}

	static __device__ __forceinline__ void
	finish(const unsigned long long *words, GaPartialSum *records)
	{
		if (lane_id() != 0)
			return;
		store(records, words, kSumDigits);
		store(records + 1, words + kSumDigits, kProductDigits);
	}
};

#endif /* GA_INT_PRODUCTS_CUH */
