/*
 * block_barriers.cuh
 *		Where the warps of a block that makes running totals wait for each other;
 *		scan_tiles.cuh says who they are.
 */
#ifndef GA_BLOCK_BARRIERS_CUH
#define GA_BLOCK_BARRIERS_CUH

#include "mbarrier.cuh"

/*
 * Barriers of the block, by hardware number, and who meets there.  Nobody
 * waits at one for long: who comes first has nothing else to do.
 */
enum Barrier
{
	kAmongWorkers = 1,
	kAddedUpHere, /* workers and herald: see AddedUp */
	kAnnounced,	  /* herald and steward: the tile's sum is there,
								 * and what comes before each warp in it; in the
								 * beginning the grid, and then the first tiles
								 * with it */
	kLookedBack,  /* steward and workers: see LookedBack */
	kFirstTiles	  /* steward and workers: where the first tile is,
								 * and the second one, and then all of them */
};

template <int kId, int kThreads>
static __device__ __forceinline__ void
meet()
{
	asm volatile("barrier.sync %0, %1;" : : "n"(kId), "n"(kThreads) : "memory");
}

/*
 * Two mbarriers, which are used in turn, where devices have them; elsewhere
 * nothing happens.
 */
template <int kArrivals>
struct BarriersInTurn
{
	static constexpr bool kAreThere =
#if __CUDA_ARCH__ >= 800
		true;
#else
		false;
#endif

	uint64_t barrier[2];

	/* One thread; a barrier of the block follows. */
	__device__ __forceinline__ void
	init()
	{
		for (int turn = 0; turn < 2; turn++)
		{
			if constexpr (kAreThere)
				mbarrier_init(shared_address(&barrier[turn]), kArrivals);
		}
	}

	__device__ __forceinline__ void
	arrive(int turn)
	{
		if constexpr (kAreThere)
			mbarrier_arrive(shared_address(&barrier[turn]));
	}

	/* For the i-th tile. */
	__device__ __forceinline__ void
	wait(int i)
	{
		if constexpr (kAreThere)
			mbarrier_wait(shared_address(&barrier[i % 2]), i / 2 % 2);
	}
};

/*
 * Workers tell the herald that the sums of warps are there.  Where they can,
 * they only arrive, a warp each, at one of two barriers in turn: they come to
 * the same one again when the steward has looked back, for which the herald has
 * waited here.
 */
template <int kWorkers>
struct AddedUp
{
	using Barriers = BarriersInTurn<kWorkers / kWarp>;

	Barriers barriers;

	/* A worker; the last lane of a warp has written its sum. */
	__device__ __forceinline__ void
	tell(int turn)
	{
		if constexpr (!Barriers::kAreThere)
			meet<kAddedUpHere, kWorkers + kWarp>();
		else if (lane_id() == kWarp - 1)
			barriers.arrive(turn);
	}

	/* The herald, for the i-th tile. */
	__device__ __forceinline__ void
	wait(int i)
	{
		if constexpr (!Barriers::kAreThere)
			meet<kAddedUpHere, kWorkers + kWarp>();
		else
			barriers.wait(i);
	}
};

/*
 * The steward tells the workers what comes before each of their warps, and where
 * the next tile but one is.  They meet at a barrier of the hardware: threads that
 * ask for something again and again would take the turns of those that work.
 * That is all it takes; but racecheck does not see it here, as in
 * test/device/partial_barrier.cu, and is told by an mbarrier, which is complete
 * when they have met.  There are two of them in turn.
 */
template <int kWorkers>
struct LookedBack
{
	static constexpr int kWarps = kWorkers / kWarp;

	BarriersInTurn<kWarps> barriers;

	/* The steward; as many lanes as there are warps have written for one each. */
	__device__ __forceinline__ void
	tell(int turn)
	{
		if (lane_id() < kWarps)
			barriers.arrive(turn);
		__syncwarp();
		meet<kLookedBack, kWorkers + kWarp>();
	}

	/* A worker, for the i-th tile. */
	__device__ __forceinline__ void
	wait(int i)
	{
		meet<kLookedBack, kWorkers + kWarp>();
		barriers.wait(i);
	}
};

#endif /* GA_BLOCK_BARRIERS_CUH */
