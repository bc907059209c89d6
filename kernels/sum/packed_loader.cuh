/*
 * packed_loader.cuh
 *		The loader of a warp's whole vectors of a packed array, for devices
 *		with rings (ring.cuh).
 *
 * A vector takes two loads, one after the other: its header, and what lies
 * where that says.  So headers are loaded in batches, one by each lane, while
 * the batch before is used.  Payloads are copied to shared memory by bulk
 * copies: one lane issues that of a vector as soon as one before it was read,
 * whose place it takes.  A buffer has as many places as there is room for the
 * longest payload of a batch; others are made, once it is empty, if a longer
 * one comes, or if there could be twice as many.  Vectors of another kind are
 * left out.
 */
#ifndef GA_PACKED_LOADER_CUH
#define GA_PACKED_LOADER_CUH

#include <cuda_pipeline.h>

#include "packed/mixed_tiles.cuh"
#include "ring.cuh"
#include "vector_kind.cuh"

/* The most payloads in a warp's buffer. */
constexpr int kVectorsAhead = 8;

/* Return the number of a warp's whole vectors. */
template <typename T>
static __device__ __forceinline__ int
count_vectors(const PackedTiles<T> &tiles)
{
	if (tiles.first >= tiles.whole.end)
		return 0;
	return (tiles.whole.end - 1 - tiles.first) / tiles.whole.step + 1;
}

/* The headers that are kept: those of vectors ahead, and of a batch. */
constexpr int kHeadersKept = 64;

/*
 * A warp's shared memory; aligned as copies have to be.  What is known of
 * vector i is in place i modulo kHeadersKept.
 */
template <typename T>
struct alignas(16) LoaderMemory
{
	unsigned char payloads[kPackedBufferBytes<T>];
	GaPackedCoding coding[kHeadersKept];
	GaPackedCoding later[kWarp];	/* the headers of the next batch */
	uint32_t n_bytes[kHeadersKept]; /* to copy */
	uint64_t barriers[kVectorsAhead];
};

/*
 * The loader of vectors of a kind.  They are numbered from 0 on, and copied in
 * this order to the places of the buffer in turn.
 */
template <typename T, VectorKind kKind>
struct PackedLoader
{
	LoaderMemory<T> *memory;
	const char *at;		 /* this lane's header behind those of `later` */
	uint32_t stride;	 /* bytes from a vector's header to the next one's */
	int n_later;		 /* headers behind those that were looked at */
	int current;		 /* vector */
	int n_ready;		 /* vectors that may be copied */
	int n_found;		 /* those behind them that are known */
	unsigned size_found; /* the most bytes of these */
	int refill_at;		 /* vector at which to look for others */
	int n_places;		 /* of the buffer */
	unsigned place_size; /* bytes */
	int place;			 /* of the current vector */
	unsigned parities;	 /* of the places' barriers: one bit each */
	unsigned kinds;		 /* of the vectors that were looked at */

	/* For a share; parities are 0, or those after the previous share. */
	__device__ __forceinline__
	PackedLoader(const PackedTiles<T> &tiles, LoaderMemory<T> *memory,
				 unsigned parities)
		: memory(memory), n_later(count_vectors(tiles)), current(0), n_ready(0),
		  n_found(0), size_found(0), refill_at(0), n_places(0), place_size(0),
		  place(0), parities(parities), kinds(0)
	{
		const T *first = tiles.run.base + tiles.first;

		stride = tiles.whole.step / GA_PACKED_VECTOR * sizeof(GaPackedHeader);
		at = reinterpret_cast<const char *>(ga_packed_header(
				 reinterpret_cast<uintptr_t>(first), sizeof(T))) +
			 uint64_t(stride) * lane_id();
		load_later();
	}

	/* Begin to load the next headers. */
	__device__ __forceinline__ void
	load_later()
	{
		if (lane_id() < n_later)
			__pipeline_memcpy_async(memory->later + lane_id(), at,
									sizeof(GaPackedCoding));
		__pipeline_commit();
		at += uint64_t(stride) * kWarp;
	}

	/* Look for vectors of the kind in the next headers; a whole warp. */
	__device__ __forceinline__ void
	find()
	{
		GaPackedCoding mine = {};
		VectorKind kind = kNoVector;
		uint32_t n_bytes = 0;
		unsigned found;

		__pipeline_wait_prior(0);
		__syncwarp(); /* or a load might be moved before the wait */
		if (lane_id() < n_later)
		{
			mine = memory->later[lane_id()];
			kind = vector_kind<T>(mine);
		}
		n_later -= kWarp;
		kinds |= kinds_of_warp(kind);
		found = __ballot_sync(kFullMask, kind == kKind);
		n_found = __popc(found);
		if (kind == kKind)
		{
			const int i = (n_ready + __popc(found & ((1u << lane_id()) - 1))) %
						  kHeadersKept;

			n_bytes = count_field_bytes<T>(mine);
			memory->coding[i] = mine;
			memory->n_bytes[i] = n_bytes;
		}
		size_found = max(group_max(n_bytes, kWarp), uint32_t(kVectorBytes));
		__syncwarp();
		load_later();
	}

	/* Have those copied that were found, as far as there are places. */
	__device__ __forceinline__ void
	begin_found()
	{
		int i = n_ready;

		n_ready += n_found;
		n_found = 0;
		if (lane_id() == 0)
		{
#pragma unroll 1
			for (; i < min(n_ready, current + n_places); i++)
			{
				const int to = place + i - current;

				copy(i, to < n_places ? to : to - n_places);
			}
		}
		__syncwarp();
	}

	/* Look for more vectors. */
	__device__ __forceinline__ void
	refill()
	{
		while (n_found == 0 && n_later > 0)
			find();
		if (n_found > 0)
		{
			const int n_could =
				min(int(kPackedBufferBytes<T> / size_found), kVectorsAhead);

			if (current == n_ready)
			{
				n_places = n_could;
				place_size = kPackedBufferBytes<T> / n_places / kVectorBytes *
							 kVectorBytes;
				place = 0;
			}
			if (size_found <= place_size && n_could < 2 * n_places)
				begin_found();
		}
		refill_at = n_found > 0 || n_later > 0 ? n_ready - n_places : n_ready;
	}

	/* Begin to copy a vector to a place; one lane. */
	__device__ __forceinline__ void
	copy(int i, int to)
	{
		const unsigned barrier = shared_address(memory->barriers + to);
		const uint32_t n_bytes = memory->n_bytes[i % kHeadersKept];

		mbarrier_expect(barrier, n_bytes);
		if (n_bytes > 0)
			copy_once(shared_address(memory->payloads + to * place_size),
					  reinterpret_cast<const void *>(ga_packed_payload(
						  memory->coding[i % kHeadersKept].code)),
					  n_bytes, barrier);
	}

	__device__ __forceinline__ void
	wait_for_copy() const
	{
		mbarrier_wait(shared_address(memory->barriers + place),
					  parities >> place & 1);
	}

	/*
	 * Return the highest bits of a vector's code.  What comes from a shuffle
	 * the compiler knows to be the same in all lanes, and branches without
	 * preparing for lanes that part.
	 */
	static __device__ __forceinline__ uint32_t
	high_code(const GaPackedCoding &coding)
	{
		return __shfl_sync(kFullMask, uint32_t(coding.code >> 32), 0);
	}

	/* Wait for the current vector; return false if all are done. */
	__device__ __forceinline__ bool
	wait()
	{
		if (current >= refill_at)
			refill();
		if (current == n_ready)
			return false;
		wait_for_copy();
		return true;
	}

	/* Return the current vector. */
	__device__ __forceinline__ PackedVector
	vector() const
	{
		GaPackedCoding coding = memory->coding[current % kHeadersKept];

		coding.code = uint64_t(high_code(coding)) << 32;

		PackedVector vector(coding);

		vector.payload = payload();
		return vector;
	}

	__device__ __forceinline__ const char *
	payload() const
	{
		return reinterpret_cast<const char *>(memory->payloads) +
			   place * place_size;
	}

	/* The current vector will not be read any more. */
	__device__ __forceinline__ void
	release()
	{
		const int next = current + n_places;

		parities ^= 1u << place;
		fence_copies();
		__syncwarp();
		if (lane_id() == 0 && next < n_ready)
			copy(next, place);
		place = place + 1 == n_places ? 0 : place + 1;
		current++;
	}

	/*
	 * Go on to the next vector if it differs from the current one in its base
	 * and its payload only.
	 */
	__device__ __forceinline__ bool
	next_alike(PackedVector *vector)
	{
		const int next = current + 1;
		const GaPackedCoding coding = memory->coding[next % kHeadersKept];

		if (next >= refill_at || high_code(coding) != vector->high_code)
			return false;
		release();
		wait_for_copy();
		vector->base = coding.base;
		vector->payload = payload();
		return true;
	}
};

#endif /* GA_PACKED_LOADER_CUH */
