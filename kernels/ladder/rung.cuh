/*
 * rung.cuh
 *		What the rungs share: rows of the tables, blocks, levels.
 *
 * A rung is a struct with two templates over the type of the elements, run()
 * and workspace(), which implement the members of Rung with these names.
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
rung_workspace(const RungRun &run, size_t *n_bytes)
{
	switch (run.type)
	{
		case GA_int4:
			return R::template workspace<int32_t>(run, n_bytes);
		case GA_int8:
			return R::template workspace<int64_t>(run, n_bytes);
		case GA_float4:
			return R::template workspace<float>(run, n_bytes);
		case GA_float8:
			return R::template workspace<double>(run, n_bytes);
		default:
			return cudaErrorInvalidValue;
	}
}

/*
 * A row of a table: the struct, the name, the title, and RungFlags.  The table
 * defines kPasses: how often a rung at least goes over the elements.
 */
#define RUNG_ABOUT(name, title, flags)                              \
	{                                                               \
		name, title, ((flags) &kExact) != 0, ((flags) &kStep) != 0, \
			((flags) &kManaged) != 0, GA_LADDER_ALL_TYPES,          \
			((flags) &kCopies) != 0 ? 2 : kPasses                   \
	}
#define RUNG(R, name, title, flags)                                           \
	{                                                                         \
		RUNG_ABOUT(name, title, flags), rung_workspace<R>, run_rung<R>, flags \
	}

/* The row of the shipping kernels. */
#define SHIPPING_RUNG(name, title)                                 \
	{                                                              \
		RUNG_ABOUT(name, title, kStep | kExact), nullptr, nullptr, \
			kStep | kExact                                         \
	}

#define RUNG_TABLE(rungs)                                 \
	{                                                     \
		rungs, uint32_t(sizeof(rungs) / sizeof(rungs[0])) \
	}

/* For rungs that need no workspace. */
struct NoWorkspace
{
	template <typename T>
	static cudaError_t
	workspace(const RungRun &, size_t *n_bytes)
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
