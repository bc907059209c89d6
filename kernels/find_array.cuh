/*
 * find_array.cuh
 *		The array to which a share or tile of a request belongs.
 */
#ifndef GA_FIND_ARRAY_CUH
#define GA_FIND_ARRAY_CUH

#include "common.cuh"

/*
 * Return the last of n > 0 arrays that begins at this part or before it, in all
 * lanes; a whole warp, which searches in 32 intervals at a time.  first(i) is
 * the first part of array i; first(0) is 0.
 */
template <typename First>
static __device__ __forceinline__ uint32_t
find_array(uint32_t n, uint32_t part, First first)
{
	uint32_t low = 0;

	/* array low begins at the part or before, array low + n behind it */
	while (n > 1)
	{
		uint32_t step = (n + kWarp - 1) / kWarp;
		uint32_t mine = lane_id() * step;
		bool before = mine < n && first(low + mine) <= part;
		int last = 31 - __clz(__ballot_sync(kFullMask, before));

		low += last * step;
		n = min(step, n - last * step);
	}
	return low;
}

/* The same by each thread alone. */
template <typename First>
static __device__ __forceinline__ uint32_t
find_array_alone(uint32_t n, uint32_t part, First first)
{
	uint32_t low = 0;

	while (n > 1)
	{
		const uint32_t half = n / 2;
		const bool is_behind = first(low + half) <= part;

		low += is_behind ? half : 0;
		n = is_behind ? n - half : half;
	}
	return low;
}

#endif /* GA_FIND_ARRAY_CUH */
