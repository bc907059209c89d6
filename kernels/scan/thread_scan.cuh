/*
 * thread_scan.cuh
 *		Running totals of a thread's items, for each type of elements.
 *
 * ThreadScan<T, Total> turns items into a sum on levels, integers that lie
 * GA_SCALE_BITS apart; and, given the levels of all that came before, into
 * their running totals.  It asks item(i) for item i, in order, and gives
 * sink(i, total) each total.
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
 * Call use(scan) with what makes an array's totals: that of the type, or one
 * with fewer levels if they will do for the array.
 */
template <typename T, typename Total, typename Use>
static __device__ __forceinline__ void
with_scan(const ScanStart &start, Use use)
{
	if constexpr (std::is_same<T, double>::value)
	{
		if (start.n_levels == 2)
		{
			WideScan scan;

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
