/*
 * scan_ints.cuh
 *		Running totals of the integers of a thread; see thread_scan.cuh.
 */
#ifndef GA_SCAN_INTS_CUH
#define GA_SCAN_INTS_CUH

#include "scan_outcome.cuh"

/* Integers: sums on two levels; totals are checked against their type. */
template <typename T, typename Total>
struct IntScan
{
	static constexpr bool kIsInt = true;
	static constexpr int kLevels = 2;

	using Unsigned =
		typename std::conditional<sizeof(Total) == 16, unsigned __int128,
								  uint64_t>::type;

	__int128 prefix;

	__device__ __forceinline__ void
	start(const ScanStart &from)
	{
		prefix = __int128((unsigned __int128) from.prefix[1] << 64 |
						  uint64_t(from.prefix[0]));
	}

	/* 16 items of up to 32 bits take 64, others 128. */
	using ItemSum =
		typename std::conditional<sizeof(T) == 8, __int128, int64_t>::type;

	template <typename Item>
	__device__ __forceinline__ Levels<kLevels>
	add_up(Item item, ThreadOutcome &) const
	{
		ItemSum sum = 0;
		Levels<kLevels> result;

#pragma unroll
		for (int i = 0; i < kScanItems; i++)
			sum += item(i);
		result.word[0] = int64_t((sum + (ItemSum(1) << (GA_SCALE_BITS - 1))) >>
								 GA_SCALE_BITS);
		result.word[1] =
			int64_t(sum - (ItemSum(result.word[0]) << GA_SCALE_BITS));
		return result;
	}

	/*
	 * May totals from this one on be beyond 64 bits, for another reason than
	 * that an item of 64 bits was just added?
	 */
	static __device__ __forceinline__ bool
	is_far(__int128 total)
	{
		constexpr int64_t kMost =
			sizeof(T) == 8 ? INT64_MAX :
							 INT64_MAX - (INT64_C(1) << 31) * kScanItems;

		return total > kMost || total < -kMost - 1;
	}

	/* Return the first item, not before `from`, with a total beyond 64 bits. */
	template <typename Item>
	static __device__ __forceinline__ int
	first_overflow(Item item, __int128 total, int from)
	{
		int overflow = kScanItems;

#pragma unroll
		for (int i = 0; i < kScanItems; i++)
		{
			total += item(i);
			if (int64_t(total) != total && i >= from && overflow == kScanItems)
				overflow = i;
		}
		return overflow;
	}

	template <typename Item, typename Sink>
	__device__ __forceinline__ void
	totals(Item item, const Levels<kLevels> &from, ThreadOutcome &outcome,
		   Sink sink) const
	{
		const __int128 start =
			prefix + (__int128(from.word[0]) << GA_SCALE_BITS) + from.word[1];
		Total total = Total(start);
		unsigned carries = 0; /* a bit for each item, the last one lowest */
		bool is_known = false;

		outcome.overflow = kScanItems;
		if (sizeof(Total) == 8 && is_far(start))
		{
			/* now, since totals may overwrite the items */
			outcome.overflow = first_overflow(item, start, outcome.first);
			is_known = true;
		}
#pragma unroll
		for (int i = 0; i < kScanItems; i++)
		{
			const Total last = total;
			const Total x = item(i);

			/* modulo 2^64, as totals that fit are */
			total = Total(Unsigned(last) + Unsigned(x));
			if (sizeof(T) == 8 && sizeof(Total) == 8)
				carries = __funnelshift_l(
					unsigned(uint64_t((last ^ total) & (x ^ total)) >> 32),
					carries, 1);
			sink(i, total);
		}
		/* from a total that fits, the first carry leads beyond */
		if (carries != 0 && !is_known)
			outcome.overflow = __clz(carries) - (32 - kScanItems);
	}
};

#endif /* GA_SCAN_INTS_CUH */
