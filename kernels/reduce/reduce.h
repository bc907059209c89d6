/*
 * reduce.h
 *		Parameters and launches of the reduction kernels; for kernels, host.
 *
 * A result is of one or more arrays, each of which is divided into shares.  A
 * block reduces a share to words in shared memory.  The words of a result with
 * several shares are combined in device memory; the block that adds the last
 * share has them all, and writes the result's records.
 *
 * Called by host/request_reduce.cu.
 */
#ifndef GA_REDUCE_H
#define GA_REDUCE_H

#include "warp_tiles.cuh"

/* Blocks per multiprocessor: two of them saturate the memory. */
constexpr int kReduceBlocks = 2;

/* One of the arrays of a result. */
struct ReduceArray
{
	const void *data;
	const void *other;	  /* of pairs: the second array, as long */
	uint32_t n;			  /* > 0 */
	uint32_t result;	  /* index of its result */
	uint32_t first_share; /* its index in the request */
	uint32_t n_shares;
};

/* The shares of all arrays of a result, and its place among the words. */
struct ReduceResult
{
	uint32_t n_shares;
	uint32_t place; /* of those with several shares */
};

/* The most parts of a request that has no lists: they are parameters. */
constexpr uint32_t kInlineParts = 16;

struct ReduceParams
{
	const ReduceArray *arrays;
	const ReduceResult *of_results;
	ReduceArray inline_arrays[kInlineParts]; /* if there are no lists */
	ReduceResult inline_results[kInlineParts];
	uint32_t n_arrays;
	uint32_t n_shares;
	bool any_packed; /* are any arrays? */

	/*
	 * For results of several shares, from their place on: counts of the shares
	 * that were added, and words, reduction_words() for each.  All are zero,
	 * and the kernel leaves them so.
	 */
	unsigned long long *counts;
	unsigned long long *words;

	GaPartialSum *results; /* ga_reduction_records() for each */
};

/* Return the words of a result; 0 if there is no kernel for it. */
extern int reduction_words(GaReduction reduction, GaElementType type);

/* Launch a kernel with at most so many blocks.  has_rings: of the device. */
extern cudaError_t launch_reduction(GaReduction reduction, GaElementType type,
									const ReduceParams &params, bool has_rings,
									int max_blocks, cudaStream_t stream);

/* Configure the kernels' shared memory. */
extern cudaError_t prepare_reductions(bool has_rings);

/* For each kind of state, in a file of its own: what reduce.cu calls. */
struct ReductionKernels
{
	int n_words;

	/* For plain arrays, and for those that may be packed. */
	cudaError_t (*launch[2])(const ReduceParams &params, bool has_rings,
							 int n_blocks, cudaStream_t stream);
	cudaError_t (*prepare)(bool has_rings);
};

extern const ReductionKernels *extremum_kernels(GaReduction reduction,
												GaElementType type);
extern const ReductionKernels *moments_kernels(GaElementType type);
extern const ReductionKernels *products_kernels(GaReduction reduction,
												GaElementType type);

#endif /* GA_REDUCE_H */
