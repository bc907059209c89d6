/*
 * meet.cuh
 *		Where the warps of a block that makes running totals wait for each other;
 *		scan_tiles.cuh says who they are.
 */
#ifndef GA_MEET_CUH
#define GA_MEET_CUH

#include "mbarrier.cuh"

/*
 * Barriers of the block, by hardware number, and who meets there.  Nobody
 * waits at one for long: who comes first has nothing else to do.
 */
enum Barrier
{
	kAmongWorkers = 1,
	kAddedUpHere,				/* workers and herald: see AddedUp */
	kAnnounced,					/* herald and steward: the tile's sum is there,
								 * and what comes before each warp; in the
								 * beginning the grid, and then the first tiles
								 * with it */
	kLookedBack,				/* steward and workers: what comes before it,
								 * and where the next tile but one is; in the
								 * beginning all of the first tiles */
	kFirstTiles					/* steward and workers: where one of the first
								 * two tiles is */
};

template <int kId, int kThreads>
static __device__ __forceinline__ void
meet()
{
	asm volatile("barrier.sync %0, %1;" : : "n"(kId), "n"(kThreads)
				 : "memory");
}

/*
 * Workers tell the herald that the sums of warps are there.  Where they can,
 * they only arrive, a warp each, at one of two barriers in turn: they come to
 * the same one again after kLookedBack, for which the herald has waited here.
 */
template <int kWorkers>
struct AddedUp
{
	uint64_t	barrier[2];

	/* One thread; a barrier of the block follows. */
	__device__ __forceinline__ void
	init()
	{
#if __CUDA_ARCH__ >= 800
		for (int turn = 0; turn < 2; turn++)
			mbarrier_init(shared_address(&barrier[turn]), kWorkers / kWarp);
#endif
	}

	/* A worker; the last lane of a warp has written its sum. */
	__device__ __forceinline__ void
	tell(int turn)
	{
#if __CUDA_ARCH__ >= 800
		if (lane_id() == kWarp - 1)
			mbarrier_arrive(shared_address(&barrier[turn]));
#else
		meet<kAddedUpHere, kWorkers + kWarp>();
#endif
	}

	/* The herald, for the i-th tile. */
	__device__ __forceinline__ void
	wait(int i)
	{
#if __CUDA_ARCH__ >= 800
		mbarrier_wait(shared_address(&barrier[i % 2]), i / 2 % 2);
#else
		meet<kAddedUpHere, kWorkers + kWarp>();
#endif
	}
};

#endif							/* GA_MEET_CUH */
