/*
 * sum_slow.cuh
 *		The slow path of sums: items that levels refuse are added one by one.
 *
 * Used by sum_short() and sum_long(), for floats only.
 */
#ifndef GA_SUM_SLOW_CUH
#define GA_SUM_SLOW_CUH

#include "lane_sums.cuh"
#include "sum.h"
#include "thread_sum.cuh"

/* Add items one by one to this lane's sum, after LaneSums::reserve(). */
template <typename T>
static __device__ __forceinline__ void
add_slowly(LaneSums &lanes, const Items<T> &items)
{
#pragma unroll
	for (int i = 0; i < kItemsPerThread<T>; i++)
		lanes.add(double(items.item(i)));
}

/* Count the minus zeros among items. */
template <typename T>
static __device__ __forceinline__ unsigned
count_neg_zeros(const Items<T> &items)
{
	unsigned n = 0;

#pragma unroll
	for (int i = 0; i < kItemsPerThread<T>; i++)
		n += is_neg_zero(items.item(i));
	return n;
}

/* Sum a short array that the fast path refused; a whole warp. */
template <typename T>
static __device__ __noinline__ void
sum_slowly(LaneSums &lanes, const Output &out, const T *base, int first,
		   int end, uint32_t result)
{
	const VectorSpan<T> run(base, first, end);
	unsigned n_neg_zero = 0;
	WarpSum sum;

	sum.clear();
	for (int at = 0; at < run.end; at += kWarp * kItemsPerThread<T>)
	{
		Items<T> items;

		items.load(run, at, lane_id(), kWarp);
		lanes.reserve(kItemsPerThread<T>);
		add_slowly(lanes, items);
		n_neg_zero += count_neg_zeros(items);
	}
	__syncwarp();
	lanes.move_to(sum);
	n_neg_zero = group_sum(n_neg_zero, kWarp);
	if (lane_id() == kWordNegZero % kWarp)
		sum.word[kWordNegZero / kWarp] += n_neg_zero;
	store_result<false>(out, result, sum);
}

#endif /* GA_SUM_SLOW_CUH */
