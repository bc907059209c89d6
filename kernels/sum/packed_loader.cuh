/*
 * packed_loader.cuh
 *		The loader of a warp's whole vectors of a packed array, for devices
 *		with rings (ring.cuh).
 *
 * A vector takes two loads, one after the other: its header, and what lies
 * where that says.  So headers are loaded ahead, one by each lane, and then
 * bulk copies bring payloads to a stage: those of as many vectors as it has
 * room for.
 *
 * Need is a type with a static function n_bytes(header): the bytes of the
 * payload that will be read, from its beginning.  A payload that is too long
 * for a stage is left out.
 */
#ifndef GA_PACKED_LOADER_CUH
#define GA_PACKED_LOADER_CUH

#include <cuda_pipeline.h>

#include "packed/mixed_tiles.cuh"
#include "ring.cuh"

/*
 * Bytes of a stage, stages of a warp, and the most vectors of a stage: two
 * blocks with all this fit into a multiprocessor.
 */
constexpr int kPackedStageBytes = 5376;
constexpr int kPackedStages = 2;
constexpr int kStageVectors = 16;

using PackedRing = Ring<kPackedStageBytes, kPackedStages>;

/* The tiles that are whole vectors. */
template <typename T>
using PackedTiles = MixedTiles<T, GA_PACKED_LANE / Vector<T>::kSize>;

/* Return the number of a warp's whole vectors. */
template <typename T>
static __device__ __forceinline__ int
count_vectors(const PackedTiles<T> &tiles)
{
	if (tiles.first >= tiles.whole.end)
		return 0;
	return (tiles.whole.end - 1 - tiles.first) / tiles.whole.step + 1;
}

/* In place of a number of bytes: the loader leaves a vector out. */
constexpr uint32_t kLeftOut = UINT32_MAX;

/*
 * The codings of a batch of headers, one for each lane, and of those that come
 * next; aligned as copies of 16 bytes have to be.
 */
struct alignas(16) BatchMemory
{
	GaPackedCoding coding[kWarp];
	GaPackedCoding later[kWarp];
	uint32_t end[kWarp]; /* the bytes to read of payloads, added up */
};

/*
 * A warp's headers, 32 at a time.  They are in shared memory, since registers
 * are for the vectors.
 */
template <typename T, typename Need>
struct HeaderBatch
{
	BatchMemory *memory;
	int n_used; /* headers of the batch */
	int n_batch;
	int n_later;	 /* headers behind the batch */
	const char *at;	 /* this lane's next header */
	uint32_t stride; /* bytes from a vector's header to that of the next one */
	bool has_left_out;

	__device__ __forceinline__
	HeaderBatch(const PackedTiles<T> &tiles, BatchMemory *memory)
		: memory(memory), n_used(0), n_batch(0), n_later(count_vectors(tiles)),
		  has_left_out(false)
	{
		const T *first = tiles.run.base + tiles.first;

		stride = tiles.whole.step / GA_PACKED_VECTOR * sizeof(GaPackedHeader);
		at = reinterpret_cast<const char *>(ga_packed_header(
				 reinterpret_cast<uintptr_t>(first), sizeof(T))) +
			 uint64_t(stride) * lane_id();
		load_later();
	}

	/* Begin to load the headers behind the batch. */
	__device__ __forceinline__ void
	load_later()
	{
		if (lane_id() < n_later)
			__pipeline_memcpy_async(memory->later + lane_id(), at,
									sizeof(GaPackedCoding));
		__pipeline_commit();
		at += uint64_t(stride) * kWarp;
	}

	/* Go on to the next batch, when this one is used up; a whole warp. */
	__device__ __forceinline__ void
	next_batch()
	{
		GaPackedCoding mine = {};
		uint32_t n_bytes = kLeftOut;
		unsigned left_out;
		unsigned taken;
		int place;

		__pipeline_wait_prior(0);
		__syncwarp(); /* or a load might be moved before the wait */
		if (lane_id() < n_later)
		{
			mine = memory->later[lane_id()];
			n_bytes = Need::n_bytes(mine);
		}
		taken = __ballot_sync(kFullMask, n_bytes <= kPackedStageBytes);
		left_out = __ballot_sync(kFullMask, n_bytes > kPackedStageBytes &&
												lane_id() < n_later);
		has_left_out = has_left_out || left_out != 0;
		n_used = 0;
		n_batch = __popc(taken);
		n_later = max(n_later - kWarp, 0);
		place = __popc(taken & ((1u << lane_id()) - 1));
		if (n_bytes > kPackedStageBytes)
			n_bytes = 0;
#pragma unroll
		for (int step = 1; step < kWarp; step *= 2)
		{
			const uint32_t before = __shfl_up_sync(kFullMask, n_bytes, step);

			n_bytes += lane_id() >= step ? before : 0;
		}
		__syncwarp();
		if (taken >> lane_id() & 1)
		{
			memory->coding[place] = mine;
			memory->end[place] = n_bytes;
		}
		__syncwarp();
		load_later();
	}

	/* Is there another header?  If so, it is in the batch. */
	__device__ __forceinline__ bool
	has_next()
	{
		while (n_used == n_batch && n_later > 0)
			next_batch();
		return n_used < n_batch;
	}

	/* Return the bytes to read of the payloads before one of the batch. */
	__device__ __forceinline__ uint32_t
	before(int i) const
	{
		return i == 0 ? 0 : memory->end[i - 1];
	}
};

/* A block's shared memory for headers. */
struct PackedHeaders
{
	BatchMemory batch[kTileWarps];
	/* of the vectors in stages */
	GaPackedCoding in_stages[kTileWarps][kPackedStages][kStageVectors];
};

/*
 * The loader that has payloads copied to a ring: to a stage those of as many of
 * the next vectors as it can take.
 */
template <typename T, typename Need>
struct PackedLoader : PackedRing
{
	HeaderBatch<T, Need> headers;
	const char *stages;		   /* the warp's */
	GaPackedCoding *in_stages; /* the headers of the vectors there */
	int n_in_stage[kStages];   /* of the current stage, of the next ones */

	/* Begin a share; see Ring. */
	__device__ __forceinline__
	PackedLoader(const PackedTiles<T> &tiles, Memory &memory,
				 Barriers &barriers, PackedHeaders &shared, unsigned position)
		: Ring(memory, barriers, position),
		  headers(tiles, shared.batch + threadIdx.x / kWarp),
		  stages(reinterpret_cast<const char *>(
			  memory.bytes[threadIdx.x / kWarp])),
		  in_stages(shared.in_stages[threadIdx.x / kWarp][0])
	{
		__syncwarp();
#pragma unroll
		for (int s = 0; s < kStages; s++)
			n_in_stage[s] = issue((stage + s) % kStages);
		__syncwarp();
	}

	/* Begin to load to a stage; return the number of vectors. */
	__device__ __forceinline__ int
	issue(unsigned to)
	{
		const BatchMemory &batch = *headers.memory;
		uint32_t start;
		bool is_taken;
		int n;

		if (!headers.has_next())
			return 0;
		start = headers.before(headers.n_used);
		is_taken = lane_id() >= headers.n_used && lane_id() < headers.n_batch &&
				   lane_id() < headers.n_used + kStageVectors &&
				   batch.end[lane_id()] - start <= kPackedStageBytes;
		n = __popc(__ballot_sync(kFullMask, is_taken));
		if (lane_id() == 0)
			this->expect(to, batch.end[headers.n_used + n - 1] - start);
		if (is_taken)
			issue_mine(to, start);
		headers.n_used += n;
		return n;
	}

	/*
	 * Begin to load this lane's vector of the batch to a stage, which begins
	 * with the payload that has so many bytes before it.
	 */
	__device__ __forceinline__ void
	issue_mine(unsigned to, uint32_t start)
	{
		GaPackedCoding coding = headers.memory->coding[lane_id()];
		const uint32_t place = headers.before(lane_id());
		const uint32_t n_bytes = headers.memory->end[lane_id()] - place;
		const void *from =
			reinterpret_cast<const void *>(ga_packed_payload(coding.code));

		if (n_bytes > 0)
			this->copy(to, int(place - start), from, n_bytes);
		coding.code = ga_packed_place(coding.code, place - start);
		in_stages[to * kStageVectors + lane_id() - headers.n_used] = coding;
	}

	/*
	 * Wait for the current stage; return the number of its vectors, 0 if all
	 * are done.
	 */
	__device__ __forceinline__ int
	wait_for_stage() const
	{
		if (n_in_stage[0] > 0)
			this->wait();
		return n_in_stage[0];
	}

	/*
	 * Return a vector of the stage.  What comes from a shuffle the compiler
	 * knows to be the same in all lanes, and branches without preparing for
	 * lanes that part.
	 */
	__device__ __forceinline__ PackedVector
	vector(int i) const
	{
		GaPackedCoding coding = in_stages[stage * kStageVectors + i];
		const uint32_t high =
			__shfl_sync(kFullMask, uint32_t(coding.code >> 32), 0);

		coding.code = uint64_t(high) << 32 | uint32_t(coding.code);

		PackedVector vector(coding);

		vector.payload = stages + stage * kPackedStageBytes +
						 uint32_t(ga_packed_payload(coding.code));
		return vector;
	}

	/* The current stage will not be read any more. */
	__device__ __forceinline__ void
	release()
	{
		const unsigned taken = stage;

		this->next_stage();
#pragma unroll
		for (int s = 1; s < kStages; s++)
			n_in_stage[s - 1] = n_in_stage[s];
		__syncwarp();
		n_in_stage[kStages - 1] = issue(taken);
	}
};

#endif /* GA_PACKED_LOADER_CUH */
