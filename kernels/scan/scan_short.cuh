/*
 * scan_short.cuh
 *		Running totals of a short array, without a prefix, by one warp.
 *
 * The warp goes over the array in rounds; each lane has kScanItems neighbouring
 * items of a round.
 *
 * Grid: one block of one warp.  No shared memory.  The outcome is in device
 * memory; its sum is from the first lane.
 */
#ifndef GA_SCAN_SHORT_CUH
#define GA_SCAN_SHORT_CUH

#include "packed/mixed.cuh"
#include "thread_scan.cuh"

/* Load the items of a lane, from a position on. */
template <typename T>
static __device__ __forceinline__ void
load_items(const VectorSpan<T> &run, int at, T (&items)[kScanItems])
{
	constexpr int kSize = Vector<T>::kSize;

#pragma unroll
	for (int k = 0; k < kScanItems / kSize; k++)
	{
		Vector<T> vector = load_mixed_vector(run, at + k * kSize);

#pragma unroll
		for (int i = 0; i < kSize; i++)
			items[k * kSize + i] = vector.item[i];
	}
}

/* Write the total of an item, if that is in the array. */
template <typename Total>
static __device__ __forceinline__ void
store_total(void *out, int n, int index, Total total)
{
	if (index < 0 || index >= n)
		return;
	if constexpr (sizeof(Total) == 16)
	{
		((int64_t *) out)[2 * index] = int64_t(total);
		((int64_t *) out)[2 * index + 1] = int64_t(total >> 64);
	}
	else
		((Total *) out)[index] = total;
}

/*
 * Choose a scale for the totals of n items like those of the first round, which
 * are all of them if is_all.
 */
template <typename Scan, typename T>
static __device__ __forceinline__ void
choose_start(const T (&items)[kScanItems], uint32_t n, bool is_all,
			 ScanStart &start)
{
	unsigned top = 0;

	if constexpr (!Scan::kIsInt)
	{
#pragma unroll
		for (int i = 0; i < kScanItems; i++)
		{
			unsigned high = __double2hiint(double(items[i])) & kHighMagnitude;

			top = max(top, high < kHighInfinity ? high : 0);
		}
		top = group_max(top, kWarp);
		start.no_scale = !Scan::choose_unit(
			int(top >> 20) - 1022 + 1 + (32 - __clz(n)) + (is_all ? 0 : 6),
			start.unit);
	}
}

template <typename T, typename Total>
static __global__ void
__launch_bounds__(kWarp) scan_short(const __grid_constant__ ScanJob job)
{
	using Scan = ThreadScan<T, Total>;
	constexpr int kRound = kWarp * kScanItems;
	const VectorSpan<T> run(job.in, job.n);
	ScanStart start = {};
	Levels<Scan::kLevels> so_far;
	Scan scan;

	so_far.clear();
	for (int round = 0; round < run.end; round += kRound)
	{
		const int at = round + lane_id() * kScanItems;
		const int index = at - run.first;
		T items[kScanItems];
		ThreadOutcome outcome = {};
		Levels<Scan::kLevels> own;
		Levels<Scan::kLevels> prefix;

		outcome.first = index < 0 ? -index : 0;
		load_items(run, at, items);
		if (round == 0)
		{
			choose_start<Scan>(items, job.n, run.end <= kRound, start);
			scan.start(start);
		}
		auto item = [&items](int k) { return items[k]; };

		own = scan.add_up(item, outcome);
		prefix = own;
		prefix.scan_lanes();
		prefix.add(so_far);
		so_far = prefix.of_last_lane();
		so_far.normalise();
		prefix.subtract(own);
		prefix.normalise();
		scan.totals(item, prefix, outcome,
					[&job, index](int k, Total total)
					{ store_total(job.out, job.n, index + k, total); });
		if constexpr (!Scan::kIsInt)
		{
			if (start.no_scale ||
				(index <= 0 && is_neg_zero(load_mixed(run.base + run.first))))
				outcome.is_refused = true;
		}
		if (index + outcome.overflow >= int(job.n))
			outcome.overflow = kScanItems;
		if (index < int(job.n))
			add_outcome(*job.outcome, outcome, index, Scan::kLevels);
	}
	if (lane_id() == 0)
		put_sum(*job.outcome, scan, so_far);
}

#endif /* GA_SCAN_SHORT_CUH */
