/*
 * block_barriers.cuh
 *		The barriers between the warps of a block that makes running totals.
 *
 * scan_tiles.cuh describes the warps: workers, the publisher warp and the
 * look-back warp.
 */
#ifndef GA_BLOCK_BARRIERS_CUH
#define GA_BLOCK_BARRIERS_CUH

#include "common.cuh"

/*
 * Hardware barriers of the block by number, and the warps that synchronise at
 * each.  No warp waits long at one: the first to arrive has nothing else to do.
 */
enum BlockBarrier
{
	kWorkersBarrier = 1,
	kTileSumBarrier,	/* workers and publisher: see TileSumBarrier */
	kPublishedBarrier,	/* publisher and look-back: the sum of the tile is in
						* shared memory, and what precedes each warp in it; at
						* first, the start and the indices of two tiles */
	kPrefixBarrier,		/* look-back and workers: see PrefixBarrier */
	kFirstTilesBarrier, /* look-back and workers: the index of the first tile
						 * is there, and then that of the second */
	kStartBarrier		/* publisher and workers: the start is there */
};

/* Synchronise kThreads threads of the block at a barrier; whole warps. */
template <BlockBarrier kBarrier, int kThreads>
static __device__ __forceinline__ void
sync_block_barrier()
{
	sync_threads<int(kBarrier), kThreads>();
}

/*
 * Two mbarriers that are used in turn, on devices that have them; on others
 * nothing happens.
 */
template <int kArrivals>
struct MbarrierPair
{
	static constexpr bool kExists =
#if __CUDA_ARCH__ >= 800
		true;
#else
		false;
#endif

	uint64_t barrier[2];

	/* One thread; a barrier of the block has to follow. */
	__device__ __forceinline__ void
	init()
	{
		for (int turn = 0; turn < 2; turn++)
		{
			if constexpr (kExists)
				mbarrier_init(shared_address(&barrier[turn]), kArrivals);
		}
	}

	__device__ __forceinline__ void
	arrive(int turn)
	{
		if constexpr (kExists)
			mbarrier_arrive(shared_address(&barrier[turn]));
	}

	/* Wait for the i-th tile of the block. */
	__device__ __forceinline__ void
	wait(int i)
	{
		if constexpr (kExists)
			mbarrier_wait(shared_address(&barrier[i % 2]), i / 2 % 2);
	}
};

/*
 * The workers signal to the publisher warp that the sums of their warps are in
 * shared memory.  Where there are mbarriers, one lane of each warp arrives and
 * none waits, at two mbarriers in turn: a worker comes back to the same one
 * after the look-back for the tile, which the publisher warp has waited for.
 */
template <int kWorkers>
struct TileSumBarrier
{
	using Pair = MbarrierPair<kWorkers / kWarp>;

	Pair pair;

	/* Signal; a worker, after the last lane of its warp has written the sum. */
	__device__ __forceinline__ void
	arrive(int turn)
	{
		if constexpr (!Pair::kExists)
			sync_block_barrier<kTileSumBarrier, kWorkers + kWarp>();
		else if (lane_id() == kWarp - 1)
			pair.arrive(turn);
	}

	/* Wait for the i-th tile of the block; the publisher warp. */
	__device__ __forceinline__ void
	wait(int i)
	{
		if constexpr (!Pair::kExists)
			sync_block_barrier<kTileSumBarrier, kWorkers + kWarp>();
		else
			pair.wait(i);
	}
};

/*
 * The look-back warp signals to the workers that the prefix of each of their
 * warps is in shared memory, and the index of the next tile but one.  They
 * synchronise at a hardware barrier: threads that poll an mbarrier would take
 * issue words from those that compute.  The hardware barrier is sufficient, but
 * racecheck does not see it here (test/device/partial_barrier.cu); for
 * racecheck there is a pair of mbarriers, which is complete by then.
 */
template <int kWorkers>
struct PrefixBarrier
{
	static constexpr int kWarps = kWorkers / kWarp;

	MbarrierPair<kWarps> pair;

	/*
	 * Signal; the look-back warp, one lane of which wrote for each worker warp.
	 */
	__device__ __forceinline__ void
	arrive(int turn)
	{
		if (lane_id() < kWarps)
			pair.arrive(turn);
		__syncwarp();
		sync_block_barrier<kPrefixBarrier, kWorkers + kWarp>();
	}

	/* Wait for the i-th tile of the block; a worker. */
	__device__ __forceinline__ void
	wait(int i)
	{
		sync_block_barrier<kPrefixBarrier, kWorkers + kWarp>();
		pair.wait(i);
	}
};

#endif /* GA_BLOCK_BARRIERS_CUH */
