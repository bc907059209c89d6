/*
 * ring.cuh
 *		What brings a warp the tiles of its chunk: a ring in shared memory.
 *
 * Each warp has a ring of its own, and waits for nobody: one lane orders
 * copies of whole pieces, which are the warp's parts of tiles, and each stage
 * has a barrier that the copy completes.  As soon as a piece is in registers,
 * the next one is ordered to its place, so that a ring is always on its way
 * whatever is done with the items.  Pieces at the array's edges are loaded as
 * usual.
 *
 * That takes a device with such copies and room for rings.  It pays for
 * doubles; floats come faster through registers.
 */
#ifndef GA_RING_CUH
#define GA_RING_CUH

#include "feed.cuh"

/* Code for these compute capabilities, up to the second, needs the room. */
#define GA_RING_FROM	900
#define GA_RING_END		1200

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= GA_RING_FROM && \
	__CUDA_ARCH__ < GA_RING_END
#define GA_HAS_RING
#endif

/* Bytes of a warp's ring, and the pieces in it. */
constexpr int kRingBytes = 8 << 10;

template <typename T>
constexpr int kPieceBytes = kVectors<T> * kWarp * kVectorBytes;

template <typename T>
constexpr int kStages = kRingBytes / kPieceBytes<T>;

/* A block's shared memory for it. */
struct RingShared
{
	alignas(128) unsigned char bytes[kSumWarps][kRingBytes];
};

template <typename T>
using RingBarriers = uint64_t[kSumWarps][kStages<T>];

static __device__ __forceinline__ unsigned
shared_address(const void *p)
{
	return unsigned(__cvta_generic_to_shared(p));
}

static __device__ __forceinline__ void
store_shared(unsigned to, int4 v)
{
	asm volatile("st.shared.v4.s32 [%0], {%1, %2, %3, %4};"
				 :: "r"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
				 : "memory");
}

static __device__ __forceinline__ int4
load_shared(unsigned from)
{
	int4		v;

	asm volatile("ld.shared.v4.s32 {%0, %1, %2, %3}, [%4];"
				 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
				 : "r"(from) : "memory");
	return v;
}

/*
 * Order a copy to shared memory of what will not be needed again, so that it
 * leaves the L2 cache first.
 */
static __device__ __forceinline__ void
copy_once(unsigned to, const void *from, unsigned n_bytes, unsigned barrier)
{
	uint64_t	policy;

	asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;"
				 : "=l"(policy));
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
				 "::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;"
				 :: "r"(to), "l"(from), "r"(n_bytes), "r"(barrier),
				 "l"(policy) : "memory");
}

/* What threads wrote comes before the copies that they order from now on. */
static __device__ __forceinline__ void
fence_copies()
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/*
 * A warp's ring.  Stages are ordered and taken in turn; one whose piece is not
 * wholly in the array has nothing copied, and is mended when it is taken.
 */
template <typename T>
struct Ring
{
	unsigned	ring;			/* addresses in shared memory */
	unsigned	barriers;
	unsigned	stage;			/* to be taken next */
	unsigned	parity;			/* of its barrier's phase */
	int			ahead;			/* the tile to be ordered next; < 0 is none */
	int			mended;			/* a tile at an edge that is ready */

	/* Once in a kernel, before any other use; the barriers are the warp's. */
	__device__ __forceinline__
	Ring(RingShared &shared, RingBarriers<T> &shared_barriers)
	{
		const int	warp = threadIdx.x / kWarp;

		ring = shared_address(shared.bytes[warp]);
		barriers = shared_address(shared_barriers[warp]);
		stage = 0;
		parity = 0;
		if (lane_id() == 0)
		{
#pragma unroll
			for (int s = 0; s < kStages<T>; s++)
				asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
							 :: "r"(barriers + 8 * s) : "memory");
			fence_copies();
		}
		__syncwarp();
	}

	/* Order the piece of the next tile to a stage; all of it has been read. */
	__device__ __forceinline__ void
	order(const ChunkTiles<T> &tiles, unsigned to)
	{
		const Piece<T> piece(tiles, ahead);
		const unsigned n_bytes = piece.n_rows * kWarp * kVectorBytes;
		const unsigned barrier = barriers + 8 * to;

		if (ahead < 0)
			return;
		if (lane_id() == 0)
		{
			const bool	is_inside = piece.is_inside(tiles.run);

			asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], "
						 "%1;" :: "r"(barrier), "r"(is_inside ? n_bytes : 0)
						 : "memory");
			if (is_inside)
				copy_once(ring + to * kPieceBytes<T>,
						  tiles.run.base + piece.from, n_bytes, barrier);
		}
		__syncwarp();
		ahead = tiles.next(ahead);
	}

	/* Begin a chunk, or go on from a tile on while nothing is on its way. */
	__device__ __forceinline__ void
	start(const ChunkTiles<T> &tiles, int from)
	{
		__syncwarp();
		ahead = from;
		mended = -1;
#pragma unroll 1
		for (int s = 0; s < kStages<T>; s++)
			order(tiles, stage + s < kStages<T> ? stage + s :
				  stage + s - kStages<T>);
	}

	/* What is on its way stays so. */
	__device__ __forceinline__ void
	resume(const ChunkTiles<T> &, int)
	{
	}

	/* Does the ring have the tile that is due as it should? */
	__device__ __forceinline__ bool
	has(const ChunkTiles<T> &tiles, int at) const
	{
		return tiles.is_inside(at) || at == mended;
	}

	/* Wait for what was ordered to this stage. */
	__device__ __forceinline__ void
	wait()
	{
		const unsigned barrier = barriers + 8 * stage;
		unsigned	is_done;

		do
		{
			asm volatile("{\n"
						 ".reg .pred p;\n"
						 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], "
						 "%2;\n"
						 "selp.u32 %0, 1, 0, p;\n"
						 "}" : "=r"(is_done) : "r"(barrier), "r"(parity)
						 : "memory");
		} while (!is_done);
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

	/* This lane's part of the first row in the stage that is due. */
	__device__ __forceinline__ unsigned
	mine() const
	{
		return ring + stage * kPieceBytes<T> + lane_id() * kVectorBytes;
	}

	/*
	 * Mend the stage that is due, of a tile at an edge: if nothing was copied,
	 * items are loaded as usual, and what is not in the array is zero.
	 */
	__device__ __forceinline__ void
	mend(const ChunkTiles<T> &tiles, int at)
	{
		const Piece<T> piece(tiles, at);

		mended = at;
		if (piece.is_inside(tiles.run))
			return;
		wait();
#pragma unroll
		for (int k = 0; k < kVectors<T>; k++)
		{
			union
			{
				int4		raw;
				Vector<T>	vector;
			}			u;

			if (k >= piece.n_rows)
				break;
			u.vector = tiles.run.load(piece.from + (k * kWarp + lane_id()) *
									  Vector<T>::kSize);
			store_shared(mine() + k * kWarp * kVectorBytes, u.raw);
		}
		fence_copies();
	}

	/* The items of the tile that is due. */
	__device__ __forceinline__ void
	take(const ChunkTiles<T> &tiles, int at, Items<T> &items)
	{
		const unsigned taken = stage;

		wait();
#pragma unroll
		for (int k = 0; k < kVectors<T>; k++)
		{
			union
			{
				int4		raw;
				Vector<T>	vector;
			}			u;

			u.raw = load_shared(mine() + k * kWarp * kVectorBytes);
			items.vector[k] = u.vector;
		}
		if (at >= tiles.whole_end)
		{
#pragma unroll
			for (int k = 0; k < kVectors<T>; k++)
			{
				if (k >= tiles.last_rows)
					items.vector[k] = Vector<T>{};
			}
		}
		next_stage();
		__syncwarp();
		order(tiles, taken);
	}

	/*
	 * Pass over the tile at a position, and order nothing: the ring runs empty
	 * until start().
	 */
	__device__ __forceinline__ void
	skip(int at)
	{
		if (ahead >= 0 && at >= ahead)
			return;
		wait();
		next_stage();
	}

	/*
	 * The ring's memory was used in other ways; between this and the next
	 * order, by anybody, is a barrier of the block.
	 */
	static __device__ __forceinline__ void
	give_back()
	{
		fence_copies();
	}
};

#ifdef GA_HAS_RING
template <typename T>
using Feed = typename std::conditional<
	std::is_same<T, double>::value, Ring<T>, RegisterFeed<T>>::type;
#else
template <typename T>
using Feed = RegisterFeed<T>;
#endif

#endif							/* GA_RING_CUH */
