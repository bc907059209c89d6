/*
 * ring.cuh
 *		The loader of a warp's whole tiles that prefetches to shared memory.
 *
 * Each warp has a ring of stages of its own and never waits for another warp.
 * One lane issues bulk copies (cp.async.bulk) of whole tiles; each stage has
 * an mbarrier that its copy completes.  As soon as a tile is in registers, the
 * next copy to its stage is issued, so that copies are always in flight.
 *
 * It needs a device with bulk copies and shared memory for the rings.  float,
 * which takes more instructions for each byte, is faster through registers.
 */
#ifndef GA_RING_CUH
#define GA_RING_CUH

#include "tile_loader.cuh"

/*
 * Code for compute capabilities from 9.0 up to, not including, 12.0 has rings;
 * none has if the compiler knows no bulk copies.
 */
#define GA_RING_FROM 900
#define GA_RING_END	 (GA_HAS_BULK_COPIES ? 1200 : GA_RING_FROM)

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= GA_RING_FROM && \
	__CUDA_ARCH__ < GA_RING_END
#define GA_HAS_RING
#endif

/* Bytes of a warp's ring, and its stages. */
constexpr int kRingBytes = 8 << 10;

template <typename T>
constexpr int kWarpTileBytes = kVectorsPerThread<T> *kWarp *kVectorBytes;

template <typename T>
constexpr int kStages = kRingBytes / kWarpTileBytes<T>;

/* A block's shared memory for rings. */
struct RingShared
{
	alignas(128) unsigned char bytes[kTileWarps][kRingBytes];
};

template <typename T>
using RingBarriers = uint64_t[kTileWarps][kStages<T>];

/* A warp's ring.  Copies are issued to the stages in turn. */
template <typename T>
struct RingLoader
{
	unsigned ring; /* addresses in shared memory */
	unsigned barriers;
	unsigned stage;	 /* of the current tile */
	unsigned parity; /* of its barrier's phase */
	int next_issue;	 /* position of the next tile to copy */

	/* Initialize the warp's barriers, once in a kernel; a whole warp. */
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
			fence_mbarrier_init();
		}
		__syncwarp();
	}

	/*
	 * For a share; position is 0, or position() after the previous share.  The
	 * thread's number is read from its register again: otherwise the compiler
	 * keeps addresses from share to share and spills them in the inner loop.
	 */
	__device__ __forceinline__
	RingLoader(RingShared &shared, RingBarriers<T> &shared_barriers,
			   unsigned position)
		: stage(position % kStages<T>), parity(position / kStages<T>)
	{
		const unsigned thread = reload_thread();

		ring = shared_address(shared.bytes[thread / kWarp]);
		barriers = shared_address(shared_barriers[thread / kWarp]);
	}

	__device__ __forceinline__ unsigned
	position() const
	{
		return parity * kStages<T> + stage;
	}

	/* Issue the copy of a tile to a stage that is not in use; one lane. */
	__device__ __forceinline__ void
	issue(const T *from, unsigned to)
	{
		const unsigned barrier = barriers + 8 * to;

		mbarrier_expect(barrier, kWarpTileBytes<T>);
		copy_once(ring + to * kWarpTileBytes<T>, from, kWarpTileBytes<T>,
				  barrier);
	}

	/* Begin a share, or go on from a tile, with no copies in flight. */
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

	/* Copies are in flight already. */
	__device__ __forceinline__ void
	resume(const WholeTiles<T> &, int)
	{
	}

	/* Wait for the copy of the current tile. */
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

	/* Return the current tile's items, and issue the copy that replaces it. */
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
	 * Skip the tile at a position without issuing a copy: the ring drains until
	 * start().
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
	 * Order this thread's other uses of the ring's memory before later copies.
	 * A barrier of the block must follow before any warp issues one.
	 */
	static __device__ __forceinline__ void
	fence_reuse()
	{
		fence_copies();
	}
};

/* Does the loaded code of a kernel have rings? */
template <typename Kernel>
static inline cudaError_t
find_rings(Kernel kernel, bool *has_rings)
{
	cudaFuncAttributes attributes;
	const cudaError_t result = cudaFuncGetAttributes(&attributes, kernel);

	*has_rings = result == cudaSuccess &&
				 10 * attributes.ptxVersion >= GA_RING_FROM &&
				 10 * attributes.ptxVersion < GA_RING_END;
	return result;
}

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
