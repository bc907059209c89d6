/*
 * ring.cuh
 *		The loader of a warp's whole tiles that prefetches to shared memory.
 *
 * Each warp has a ring of stages of its own and never waits for another warp
 * (pairs have one for the block: reduce/pair_source.cuh).  One lane issues bulk
 * copies (cp.async.bulk) of whole tiles; each stage has an mbarrier that its
 * copies complete.  As soon as a tile is in registers, the next copy to its
 * stage is issued, so that copies are always in flight.  Before that each lane
 * has a fence behind its loads, which the copy could overtake.
 *
 * It needs a device with bulk copies and shared memory for the rings.  float,
 * which takes more instructions for each byte, is faster through registers,
 * but for pairs.
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

/* A block's shared memory for rings. */
struct RingShared
{
	alignas(128) unsigned char bytes[kTileWarps][kRingBytes];
};

/*
 * Initialize barriers that a number of arrivals completes, once in a kernel; a
 * whole warp.
 */
static __device__ __forceinline__ void
init_barriers(unsigned barriers, int n, unsigned n_arrivals = 1)
{
	if (lane_id() == 0)
	{
		for (int i = 0; i < n; i++)
			mbarrier_init(barriers + 8 * i, n_arrivals);
		fence_mbarrier_init();
	}
	__syncwarp();
}

/* A warp's ring, of stages of so many bytes, which are used in turn. */
template <int kStageBytes>
struct Ring
{
	static constexpr int kStages = kRingBytes / kStageBytes;
	using Barriers = uint64_t[kTileWarps][kStages];

	unsigned ring; /* addresses in shared memory */
	unsigned barriers;
	unsigned stage;	 /* of the current tile */
	unsigned parity; /* of its barrier's phase */

	/* Initialize the warp's barriers, once in a kernel; a whole warp. */
	static __device__ __forceinline__ void
	init(Barriers &shared_barriers)
	{
		init_barriers(shared_address(shared_barriers[threadIdx.x / kWarp]),
					  kStages);
	}

	/*
	 * For a share; position is 0, or position() after the previous share.  The
	 * thread's number is read from its register again: otherwise the compiler
	 * keeps addresses from share to share and spills them in the inner loop.
	 */
	__device__ __forceinline__
	Ring(RingShared &shared, Barriers &shared_barriers, unsigned position)
		: stage(position % kStages), parity(position / kStages)
	{
		const unsigned thread = reload_thread();

		ring = shared_address(shared.bytes[thread / kWarp]);
		barriers = shared_address(shared_barriers[thread / kWarp]);
	}

	__device__ __forceinline__ unsigned
	position() const
	{
		return parity * kStages + stage;
	}

	/* Return the address of a stage. */
	__device__ __forceinline__ unsigned
	at(unsigned of_stage) const
	{
		return ring + of_stage * kStageBytes;
	}

	/* Begin the copies to a stage that is not in use; one lane. */
	__device__ __forceinline__ void
	expect(unsigned to) const
	{
		mbarrier_expect(barriers + 8 * to, kStageBytes);
	}

	/* Issue one of them, of n bytes, to an offset in the stage. */
	__device__ __forceinline__ void
	copy(unsigned to, int offset, const void *from, int n_bytes) const
	{
		copy_once(at(to) + offset, from, n_bytes, barriers + 8 * to);
	}

	/* Wait for the copies to the current stage. */
	__device__ __forceinline__ void
	wait() const
	{
		mbarrier_wait(barriers + 8 * stage, parity);
	}

	__device__ __forceinline__ void
	next_stage()
	{
		stage++;
		if (stage == kStages)
		{
			stage = 0;
			parity ^= 1;
		}
	}
};

/* Load this lane's vectors of a tile that lies in shared memory. */
template <typename T, int kVectors>
static __device__ __forceinline__ void
load_stage(unsigned from, Items<T, kVectors> &items)
{
	from += lane_id() * kVectorBytes;
#pragma unroll
	for (int k = 0; k < kVectors; k++)
	{
		union
		{
			int4 raw;
			Vector<T> vector;
		} u;

		u.raw = load_shared(from + k * kWarp * kVectorBytes);
		items.vector[k] = u.vector;
	}
}

template <typename T>
using RingBarriers = typename Ring<kWarpTileBytes<T>>::Barriers;

/* The loader of an array's tiles. */
template <typename T>
struct RingLoader : Ring<kWarpTileBytes<T>>
{
	using Base = Ring<kWarpTileBytes<T>>;
	using Base::Base;
	using Base::kStages;
	using Base::stage;

	int next_issue; /* position of the next tile to copy */

	/* Issue the copy of a tile to a stage that is not in use; one lane. */
	__device__ __forceinline__ void
	issue(const T *from, unsigned to)
	{
		this->expect(to);
		this->copy(to, 0, from, kWarpTileBytes<T>);
	}

	/* Begin a share, or go on from a tile, with no copies in flight. */
	__device__ __forceinline__ void
	start(const WholeTiles<T> &tiles, int from)
	{
		__syncwarp();
		if (lane_id() == 0)
		{
#pragma unroll
			for (int s = 0; s < kStages; s++)
			{
				if (from + s * tiles.step < tiles.end)
					issue(tiles.base + from + s * tiles.step,
						  (stage + s) % kStages);
			}
		}
		__syncwarp();
		next_issue = from + kStages * tiles.step;
	}

	/* Copies are in flight already. */
	__device__ __forceinline__ void
	resume(const WholeTiles<T> &, int)
	{
	}

	/* Return the current tile's items, and issue the copy that replaces it. */
	__device__ __forceinline__ void
	take(const WholeTiles<T> &tiles, int, Items<T> &items)
	{
		const unsigned taken = stage;

		this->wait();
		load_stage(this->at(taken), items);
		fence_copies();
		this->next_stage();
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
		this->wait();
		this->next_stage();
	}

	/* The ring's memory was used otherwise; a barrier of the block follows. */
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
