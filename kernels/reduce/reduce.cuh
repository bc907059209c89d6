/*
 * reduce.cuh
 *		Reductions of arrays: the kernel, whatever is computed.
 *
 * A reduction is a type R, the state of a thread.  It has
 *
 * - Source, what is read: the tiles of an array (array_source.cuh) or of pairs
 *	 (pair_source.cuh), in kParts parts each, and which may be shifted:
 *	 kHasShifted; and outside(), an item that changes nothing;
 * - Mixed, the same reduction of arrays that may be packed (packed/);
 * - kTakesVectors: whether it adds some vectors of packed arrays as they are:
 *   takes_vector(), add_vector();
 * - kHasRuns: whether it adds the first vectors of a warp otherwise: add_run();
 * - kWords: the words of a result, of 64 bits, zero before the first element;
 * - kRecords: the GaPartialSums of a result;
 * - init(); add(), which adds a tile's items, and adds exceptions to the words;
 *   add_header(), if the source has headers; flush(), which adds the state to
 *   the words, in shared memory, and leaves it without elements, but with what
 *   it knows of their size;
 * - combine(), which adds a word to one in device memory; finish(), by which
 *   one warp makes the records of the words, which it may change.
 *
 * add(), flush() and finish() are called by whole warps.  The rest is here:
 * shares, the words of several shares.
 *
 * Grid: blocks of kTileThreads, as many as fill the device or as there are
 * shares.  Shared memory: ReduceShared.
 */
#ifndef GA_REDUCE_CUH
#define GA_REDUCE_CUH

#include "find_array.cuh"
#include "reduce.h"
#include "ring.cuh"

template <typename R>
struct ReduceShared
{
	typename R::Source::Barriers barriers;
	unsigned long long words[R::kWords];
	bool is_last; /* this block adds the last share of the result */

	/* last: some devices have no memory for rings */
	typename R::Source::Memory memory;
};

/* Return where a tile is taken next, from a position of one on. */
template <typename Source>
static __device__ __forceinline__ int
next_tile(const Source &source, int at)
{
	if constexpr (Source::kHasHeaders)
		return source.next(at);
	else
		return at;
}

/* Reduce the whole tiles of this warp, which take() gives. */
template <typename R, typename Take>
static __device__ __forceinline__ void
reduce_whole_tiles(typename R::Source &source, R &state,
				   unsigned long long *words, Take take)
{
	const auto &tiles = source.tiles;

	for (int at = next_tile(source, tiles.first); at < tiles.whole.end;
		 at = next_tile(source, at + tiles.whole.step))
	{
		source.begin_tile(at);
		if constexpr (R::kTakesVectors)
		{
			if (source.has_vector() && R::takes_vector(source.vector()))
			{
				state.add_vector(source.vector(), words);
				continue;
			}
		}
#pragma unroll 1
		for (int part = 0; part < R::Source::kParts; part++)
		{
			typename R::Source::Tile tile;

			take(at, part, tile);
			state.add(tile, words);
		}
	}
}

/*
 * The same of a source that is shifted (PairSource).  A function of its own, so
 * that the usual way is a loop without branches.
 */
template <typename R>
static __device__ __noinline__ R
reduce_shifted_tiles(typename R::Source source, R state,
					 unsigned long long *words)
{
	reduce_whole_tiles<R>(source, state, words,
						  [&](int at, int, typename R::Source::Tile &tile)
						  { source.take_shifted(at, tile); });
	return state;
}

/* Reduce the tiles of this warp to words in shared memory. */
template <typename R>
static __device__ __forceinline__ void
reduce_tiles(typename R::Source &source, R &state, unsigned long long *words)
{
	if constexpr (R::Source::kHasHeaders)
		source.add_headers(state);
	if (source.tiles.edge >= 0)
	{
#pragma unroll 1
		for (int part = 0; part < R::Source::kParts; part++)
		{
			typename R::Source::Tile tile;

			source.load_edge(part, tile, R::outside());
			state.add(tile, words);
		}
	}
	if constexpr (R::Source::kHasShifted)
	{
		if (source.is_shifted())
		{
			state = reduce_shifted_tiles<R>(source, state, words);
			state.flush(words);
			return;
		}
	}
	if constexpr (R::kHasRuns)
		source.tiles.first = R::add_run(source, words);
	source.resume();
	reduce_whole_tiles<R>(source, state, words,
						  [&](int at, int part, typename R::Source::Tile &tile)
						  { source.take(at, part, tile); });
	state.flush(words);
}

/*
 * Add the words of a share to those of its result, and get all of these if it
 * is the last one.  Returns whether it is; the whole block.
 */
template <typename R>
static __device__ __noinline__ bool
combine_share(ReduceShared<R> &shared, const ReduceParams &params,
			  const ReduceResult &result)
{
	unsigned long long *words =
		params.words + uint64_t(result.place) * R::kWords;

	for (int i = threadIdx.x; i < R::kWords; i += kTileThreads)
	{
		if (shared.words[i] != 0)
			R::combine(words + i, shared.words[i]);
	}
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		shared.is_last = atomicAdd(params.counts + result.place, 1ull) ==
						 result.n_shares - 1;
	__syncthreads();
	if (!shared.is_last)
		return false;
	__threadfence();
	for (int i = threadIdx.x; i < R::kWords; i += kTileThreads)
	{
		shared.words[i] = __ldcg(words + i);
		words[i] = 0; /* for the next request */
	}
	if (threadIdx.x == 0)
		params.counts[result.place] = 0;
	__syncthreads();
	return true;
}

/* Reduce one share; returns the source's position.  The whole block. */
template <typename R>
static __device__ __forceinline__ unsigned
reduce_share(ReduceShared<R> &shared, const ReduceParams &params,
			 uint32_t share, R &state, unsigned position)
{
	const ReduceArray *arrays =
		params.arrays ? params.arrays : params.inline_arrays;
	const ReduceArray &array = arrays[find_array(
		params.n_arrays, share,
		[arrays](uint32_t i) { return arrays[i].first_share; })];
	typename R::Source source(array, share - array.first_share, shared.memory,
							  shared.barriers, position);
	const ReduceResult result =
		(params.arrays ? params.of_results :
						 params.inline_results)[array.result];
	const uint32_t index = array.result;

	source.start();
	for (int i = threadIdx.x; i < R::kWords; i += kTileThreads)
		shared.words[i] = 0;
	__syncthreads();
	reduce_tiles<R>(source, state, shared.words);
	__syncthreads();
	if (result.n_shares == 1 || combine_share<R>(shared, params, result))
	{
		if (threadIdx.x < kWarp)
			R::finish(shared.words, params.results + index * R::kRecords);
	}
	__syncthreads();
	return source.position();
}

template <typename R>
static __global__ void
__launch_bounds__(kTileThreads, kReduceBlocks)
	reduce_shares(const __grid_constant__ ReduceParams params)
{
	extern __shared__ __align__(128) unsigned char memory[];
	ReduceShared<R> &shared = *reinterpret_cast<ReduceShared<R> *>(memory);
	unsigned position = 0;
	R state;

	state.init();
	R::Source::init(shared.barriers);
	for (uint32_t share = blockIdx.x; share < params.n_shares;
		 share += gridDim.x)
		position = reduce_share<R>(shared, params, share, state, position);
}

/* Add a total to a word in shared memory, if this lane is the first. */
static __device__ __forceinline__ void
add_word(unsigned long long *word, int64_t total)
{
	if (lane_id() == 0 && total != 0)
		atomicAdd_block(word, (unsigned long long) total);
}

/* Return the bytes of shared memory of a kernel. */
template <typename R>
static size_t
shared_bytes(bool has_rings)
{
	return has_rings ? sizeof(ReduceShared<R>) :
					   offsetof(ReduceShared<R>, memory);
}

template <typename R>
static cudaError_t
prepare_reduction(bool has_rings)
{
	return cudaFuncSetAttribute(reduce_shares<R>,
								cudaFuncAttributeMaxDynamicSharedMemorySize,
								int(shared_bytes<R>(has_rings)));
}

template <typename R>
static cudaError_t
launch_reduction(const ReduceParams &params, bool has_rings, int n_blocks,
				 cudaStream_t stream)
{
	const size_t n_bytes = shared_bytes<R>(has_rings);

	reduce_shares<R><<<n_blocks, kTileThreads, n_bytes, stream>>>(params);
	return cudaGetLastError();
}

/* Prepare the kernels for plain arrays, and for those that may be packed. */
template <typename R>
static cudaError_t
prepare_both(bool has_rings)
{
	const cudaError_t result = prepare_reduction<R>(has_rings);

	return result == cudaSuccess ?
			   prepare_reduction<typename R::Mixed>(has_rings) :
			   result;
}

/* What the host needs of a reduction. */
template <typename R>
static const ReductionKernels kKernels = {
	R::kWords,
	{launch_reduction<R>, launch_reduction<typename R::Mixed>},
	prepare_both<R>};

#endif /* GA_REDUCE_CUH */
