/*
 * thread_scan.cuh
 *		Running totals of the items of a thread, for each type of elements.
 *
 * ThreadScan<T, Total>::add_up() returns the sum of the items on levels,
 * integers that lie GA_SCALE_BITS apart; totals() makes their running totals,
 * given the sum of all before them on levels.  Both get item i from item(i), in
 * order; totals() gives each total to sink(i, total).
 */
#ifndef GA_THREAD_SCAN_CUH
#define GA_THREAD_SCAN_CUH

#include "scan_floats.cuh"
#include "scan_ints.cuh"

template <typename T, typename Total>
struct ThreadScan;

template <>
struct ThreadScan<int16_t, int64_t> : IntScan<int16_t, int64_t>
{
};
template <>
struct ThreadScan<int32_t, int64_t> : IntScan<int32_t, int64_t>
{
};
template <>
struct ThreadScan<int64_t, int64_t> : IntScan<int64_t, int64_t>
{
};
template <>
struct ThreadScan<int64_t, __int128> : IntScan<int64_t, __int128>
{
};
template <>
struct ThreadScan<float, float> : FloatScan<float, 2>
{
};
template <>
struct ThreadScan<double, double> : FloatScan<double, 3>
{
};

/*
 * Call use(scan) with the ThreadScan of the type, or with a TwoLevelScan if
 * that is the scale of the start.
 */
template <typename T, typename Total, typename Use>
static __device__ __forceinline__ void
with_scan(const ScanStart &start, Use use)
{
	if constexpr (std::is_same<T, double>::value)
	{
		if (start.n_levels == 2)
		{
			TwoLevelScan scan;

			scan.start(start);
			use(scan);
			return;
		}
	}
	ThreadScan<T, Total> scan;

	scan.start(start);
	use(scan);
}

#endif /* GA_THREAD_SCAN_CUH */
