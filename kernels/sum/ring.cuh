/*
 * ring.cuh
 *		What brings a warp the pieces of its chunk: a ring in shared memory.
 *
 * Each warp has a ring of its own, and waits for nobody: one lane orders
 * copies of whole pieces, and each stage has a barrier that the copy
 * completes.  As soon as a piece is in registers, the next one is ordered to
 * its place, so that a ring is always on its way whatever is done with the
 * items.
 *
 * That takes a device with such copies and room for rings.  Single precision,
 * of which there is more to do for each byte, comes faster through registers.
 */
#ifndef GA_RING_CUH
#define GA_RING_CUH

#include "tile_loader.cuh"
#include "mbarrier.cuh"

/* Code for compute capabilities from one on and below the other has rings. */
#define GA_RING_FROM 900
#define GA_RING_END	 1200

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= GA_RING_FROM && \
	__CUDA_ARCH__ < GA_RING_END
#define GA_HAS_RING
#endif

/* Bytes of a warp's ring, and the pieces in it. */
constexpr int kRingBytes = 8 << 10;

template <typename T>
constexpr int kWarpTileBytes = kVectorsPerThread<T> *kWarp *kVectorBytes;

template <typename T>
constexpr int kStages = kRingBytes / kWarpTileBytes<T>;

/* A block's shared memory for it. */
struct RingShared
{
	alignas(128) unsigned char bytes[kSumWarps][kRingBytes];
};

template <typename T>
using RingBarriers = uint64_t[kSumWarps][kStages<T>];

static __device__ __forceinline__ int4
load_shared(unsigned from)
{
	int4 v;

	asm volatile("ld.shared.v4.s32 {%0, %1, %2, %3}, [%4];"
				 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
				 : "r"(from)
				 : "memory");
	return v;
}

/*
 * Order a copy to shared memory of what will not be needed again, so that it
 * leaves the L2 cache first.
 */
static __device__ __forceinline__ void
copy_once(unsigned to, const void *from, unsigned n_bytes, unsigned barrier)
{
	uint64_t policy;

	asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;"
				 : "=l"(policy));
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
				 "::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(to),
				 "l"(from), "r"(n_bytes), "r"(barrier), "l"(policy)
				 : "memory");
}

/* What threads wrote comes before the copies that they order from now on. */
static __device__ __forceinline__ void
fence_copies()
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* A warp's ring.  Stages are ordered and taken in turn. */
template <typename T>
struct RingLoader
{
	unsigned ring; /* addresses in shared memory */
	unsigned barriers;
	unsigned stage;	 /* to be taken next */
	unsigned parity; /* of its barrier's phase */
	int next_issue;	 /* the piece to be ordered next */

	/* Once in a kernel, before any other use: the warp's barriers. */
	static __device__ __forceinline__ void
	init(RingBarriers<T> &shared_barriers)
	{
		const unsigned barriers =
			shared_address(shared_barriers[threadIdx.x / kWarp]);

		if (lane_id() == 0)
		{
#pragma unroll
			for (int s = 0; s < kStages<T>; s++)
				mbarrier_init(barriers + 8 * s, 1);
			asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
		}
		__syncwarp();
	}

	/*
	 * For a chunk; the turn is 0, or what turn() was after the last one.  The
	 * thread is asked for anew each time: otherwise addresses would be kept
	 * from chunk to chunk, and have no registers in the loop that needs them.
	 */
	__device__ __forceinline__
	RingLoader(RingShared &shared, RingBarriers<T> &shared_barriers,
			   unsigned position)
		: stage(position % kStages<T>), parity(position / kStages<T>)
	{
		unsigned thread;

		asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
		ring = shared_address(shared.bytes[thread / kWarp]);
		barriers = shared_address(shared_barriers[thread / kWarp]);
	}

	__device__ __forceinline__ unsigned
	position() const
	{
		return parity * kStages<T> + stage;
	}

	/* Order a piece to a stage, all of which has been read; one lane. */
	__device__ __forceinline__ void
	issue(const T *from, unsigned to)
	{
		const unsigned barrier = barriers + 8 * to;

		mbarrier_expect(barrier, kWarpTileBytes<T>);
		copy_once(ring + to * kWarpTileBytes<T>, from, kWarpTileBytes<T>,
				  barrier);
	}

	/* Begin a chunk, or go on from a piece on while nothing is on its way. */
	__device__ __forceinline__ void
	start(const WholeTiles<T> &tiles, int from)
	{
		__syncwarp();
		if (lane_id() == 0)
		{
#pragma unroll
			for (int s = 0; s < kStages<T>; s++)
			{
				if (from + s * tiles.step < tiles.end)
					issue(tiles.base + from + s * tiles.step,
						  (stage + s) % kStages<T>);
			}
		}
		__syncwarp();
		next_issue = from + kStages<T> * tiles.step;
	}

	/* What is on its way stays so. */
	__device__ __forceinline__ void
	resume(const WholeTiles<T> &, int)
	{
	}

	/* Wait for what was ordered to the stage that is due. */
	__device__ __forceinline__ void
	wait()
	{
		mbarrier_wait(barriers + 8 * stage, parity);
	}

	__device__ __forceinline__ void
	next_stage()
	{
		stage++;
		if (stage == kStages<T>)
		{
			stage = 0;
			parity ^= 1;
		}
	}

	/* The items of the piece that is due. */
	__device__ __forceinline__ void
	take(const WholeTiles<T> &tiles, int, Items<T> &items)
	{
		const unsigned taken = stage;
		const unsigned mine =
			ring + taken * kWarpTileBytes<T> + lane_id() * kVectorBytes;

		wait();
#pragma unroll
		for (int k = 0; k < kVectorsPerThread<T>; k++)
		{
			union
			{
				int4 raw;
				Vector<T> vector;
			} u;

			u.raw = load_shared(mine + k * kWarp * kVectorBytes);
			items.vector[k] = u.vector;
		}
		next_stage();
		__syncwarp();
		if (lane_id() == 0 && next_issue < tiles.end)
			issue(tiles.base + next_issue, taken);
		next_issue += tiles.step;
	}

	/*
	 * Pass over the piece at a position, and order nothing: the ring runs empty
	 * until start().
	 */
	__device__ __forceinline__ void
	skip(int at)
	{
		if (at >= next_issue)
			return;
		wait();
		next_stage();
	}

	/*
	 * The ring's memory was used in other ways; between this and the next
	 * order, by anybody, is a barrier of the block.
	 */
	static __device__ __forceinline__ void
	fence_reuse()
	{
		fence_copies();
	}
};

#ifdef GA_HAS_RING
template <typename T>
using TileLoader =
	typename std::conditional<std::is_same<T, float>::value, RegisterLoader<T>,
							  RingLoader<T>>::type;
#else
template <typename T>
using TileLoader = RegisterLoader<T>;
#endif

#endif /* GA_RING_CUH */
