/*
 * scan_short.cuh
 *		Running totals of short arrays: a group of threads does one.
 *
 * A group goes over its array in rounds; each thread has kScanItems
 * neighbouring items of a round.  Nothing is shared between groups.
 *
 * Grid: any number of blocks of kScanThreads.
 */
#ifndef GA_SCAN_SHORT_CUH
#define GA_SCAN_SHORT_CUH

#include "thread_scan.cuh"

/* This thread's items, from a position on. */
template <typename T>
static __device__ __forceinline__ void
load_items(const VectorSpan<T> &run, int at, T (&items)[kScanItems])
{
	constexpr int kSize = Vector<T>::kSize;

#pragma unroll
	for (int k = 0; k < kScanItems / kSize; k++)
	{
		Vector<T> vector = run.load(at + k * kSize);

#pragma unroll
		for (int i = 0; i < kSize; i++)
			items[k * kSize + i] = vector.item[i];
	}
}

/* Totals of the items that are in the array; 128 bits in two halves. */
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

/* A grid that holds the totals of n items like these, the group's first. */
template <typename Scan, typename T>
static __device__ __forceinline__ void
choose_start(const T (&items)[kScanItems], uint32_t n, int group, bool is_all,
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
		top = group_max(top, group);
		start.no_grid = !Scan::choose_unit(
			int(top >> 20) - 1022 + 1 + (32 - __clz(n)) + (is_all ? 0 : 6),
			start.unit);
	}
}

template <typename T, typename Total, bool kExclusive, int kGroup>
static __global__ void
__launch_bounds__(kScanThreads) scan_short(const __grid_constant__ ScanJob job)
{
	using Scan = ThreadScan<T, Total>;
	constexpr int kRound = kGroup * kScanItems;
	constexpr uint32_t kPerBlock = kScanThreads / kGroup;
	const int thread = threadIdx.x % kGroup;

	/* all lanes of a warp stay together, also where there is no array left */
	for (uint32_t first = blockIdx.x * kPerBlock; first < job.n_arrays;
		 first += gridDim.x * kPerBlock)
	{
		const uint32_t i = first + threadIdx.x / kGroup;
		const DeviceScan array =
			i < job.n_arrays ? job.arrays[i] : DeviceScan{};
		const VectorSpan<T> run(array.in, array.n);
		const int n_rounds =
			group_max(max(int(run.end + kRound - 1) / kRound, 1), kWarp);
		ScanOutcome &outcome = job.outcomes[array.result];
		ScanStart start = {};
		Levels<Scan::kLevels> so_far;
		Scan scan;

		so_far.clear();
		for (int round = 0; round < n_rounds; round++)
		{
			const int at = round * kRound + thread * kScanItems;
			const int index = at - run.first;
			T items[kScanItems];
			ScanNotes notes = {};
			Levels<Scan::kLevels> own;
			Levels<Scan::kLevels> before;

			notes.first = index < 0 ? -index : 0;
			load_items(run, at, items);
			if (round == 0)
			{
				choose_start<Scan>(items, array.n, kGroup, run.end <= kRound,
								   start);
				scan.start(start);
			}
			auto item = [&items](int k) { return items[k]; };

			own = scan.add_up(item, notes);
			before = own;
			before.scan(kGroup);
			before.add(so_far);
			so_far = before.last_of(kGroup);
			so_far.normalise();
			before.subtract(own);
			before.normalise();
			scan.template totals<kExclusive>(
				item, before, notes,
				[&array, index](int k, Total total)
				{ store_total(array.out, array.n, index + k, total); });
			if constexpr (!Scan::kIsInt)
			{
				if (start.no_grid || (index <= 0 && run.end > run.first &&
									  is_neg_zero(run.base[run.first])))
					notes.is_refused = true;
			}
			if (index + notes.overflow >= int(array.n))
				notes.overflow = kScanItems;
			if (index < int(array.n))
				note_outcome(outcome, notes, index, Scan::kLevels);
		}
		if (thread == 0 && i < job.n_arrays)
			put_sum(outcome, scan, so_far);
	}
}

#endif /* GA_SCAN_SHORT_CUH */
