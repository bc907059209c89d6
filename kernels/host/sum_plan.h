/*
 * sum_plan.h
 *		The plan of a request for sums: which kernel sums which arrays, by how
 *		many blocks.
 */
#ifndef GA_SUM_PLAN_H
#define GA_SUM_PLAN_H

#include "device_cuda.h"

/* How an array is summed: a class has a kernel. */
enum SumClass
{
	kTiny,
	kShort,
	kLong,
	kPacked,
	kNumClasses
};

struct SumPlan
{
	int64_t tiny_vectors; /* most vectors of an array of the class */
	int64_t short_vectors;
	int64_t tile_vectors[2]; /* vectors of a block's tile: long, packed */
	int packed_warps;		 /* of a block for packed arrays */
	int packed_blocks;		 /* such blocks that fill the device */
	int64_t small_vectors;	 /* vectors of the longest short array */
	uint32_t count[kNumClasses];
	int long_blocks;	  /* blocks of sum_long() that fill the device */
	int64_t share_blocks; /* blocks that are to have equal shares */
	uint32_t n_long;	  /* long and packed arrays */
	int64_t n_tiles;	  /* of all of them */
	int64_t share_tiles;

	/* set by request_sum.cu, which lists the arrays */
	uint32_t n_shares[2]; /* of long ones, of packed ones */
	uint32_t n_accumulators;
	size_t long_at;		/* offsets in the buffers */
	size_t short_at[2]; /* kTiny, kShort */
	size_t arrays_end;
};

/* The class of an array, and the shares of a long or packed one. */
struct PlannedArray
{
	SumClass sum_class;
	uint32_t n_shares;
};

extern SumPlan make_sum_plan(const GaDeviceQueue *queue,
							 const GaSumRequest *request);
extern PlannedArray plan_array(const SumPlan &plan, const GaDeviceArray &array,
							   GaElementType type);

#endif /* GA_SUM_PLAN_H */
