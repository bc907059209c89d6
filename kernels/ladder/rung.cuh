/*
 * rung.cuh
 *		What the rungs share: from a type's name to its code, blocks, levels.
 *
 * A rung is a struct with two templates over the type of the elements, run()
 * and room(); they do what Rung has of the same names.
 */
#ifndef GA_RUNG_CUH
#define GA_RUNG_CUH

#include "rung.h"

/* Threads of a block, where a rung has no reason for another number. */
constexpr int kLadderThreads = 256;

template <typename R>
static cudaError_t
run_rung(const RungRun &run)
{
	switch (run.type)
	{
		case GA_int4:
			return R::template run<int32_t>(run);
		case GA_int8:
			return R::template run<int64_t>(run);
		case GA_float4:
			return R::template run<float>(run);
		case GA_float8:
			return R::template run<double>(run);
		default:
			return cudaErrorInvalidValue;
	}
}

template <typename R>
static cudaError_t
rung_room(const RungRun &run, size_t *n_bytes)
{
	switch (run.type)
	{
		case GA_int4:
			return R::template room<int32_t>(run, n_bytes);
		case GA_int8:
			return R::template room<int64_t>(run, n_bytes);
		case GA_float4:
			return R::template room<float>(run, n_bytes);
		case GA_float8:
			return R::template room<double>(run, n_bytes);
		default:
			return cudaErrorInvalidValue;
	}
}

/* For rungs that need nothing but their elements. */
struct NoRoom
{
	template <typename T>
	static cudaError_t
	room(const RungRun &, size_t *n_bytes)
	{
		*n_bytes = 0;
		return cudaSuccess;
	}
};

/* Blocks for n elements. */
static inline uint32_t
blocks_for(uint32_t n, uint32_t per_block)
{
	return (n + per_block - 1) / per_block;
}

/* Bytes of n items, up to where the next ones may begin. */
static inline size_t
part_bytes(size_t n, size_t size)
{
	return (n * size + 255) & ~size_t(255);
}

/*
 * Bytes for what the blocks of a pass over n elements came to, each one item,
 * and the blocks of the pass over those, until there is one block.
 */
static inline size_t
levels_bytes(uint32_t n, uint32_t per_block, size_t size)
{
	size_t n_bytes = 0;

	while (n > per_block)
	{
		n = blocks_for(n, per_block);
		n_bytes += part_bytes(n, size);
	}
	return n_bytes;
}

#endif /* GA_RUNG_CUH */
