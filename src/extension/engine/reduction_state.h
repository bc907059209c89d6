/*
 * reduction_state.h
 *		The states of the reductions that a device computes.
 *
 * A reduction (exact/reduction.h) of an element type has a state: what all
 * elements so far have made.  Elements are added by the CPU, records by what
 * the device answered, and other states by what other processes have read.
 *
 * A state of full capacity stays where it is, whatever is added.  One that is
 * smaller, as the states of groups are at first, may move when it grows.
 */
#ifndef GA_REDUCTION_STATE_H
#define GA_REDUCTION_STATE_H

#include "cpu_extremum.h"
#include "cpu_reduce.h"
#include "cpu_sums.h"
#include "exact/int_moments.h"
#include "exact/int_products.h"
#include "exact/reduction.h"
#include "exact/sum_pair.h"
#include "float_sum.h"

/* A state and what it is of; small enough to be passed by value. */
typedef struct GaState
{
	void *at;
	GaElementType type;
	GaReduction reduction;
} GaState;

/* A state of full capacity, of any kind, in automatic storage. */
typedef union GaAnyState
{
	GaIntSum ints;
	GaFullSum floats;
	GaExtremum extremum;
	GaIntMoments int_moments;
	GaIntProducts int_products;
	GaFullSumPair pair;
} GaAnyState;

/* What is done with the states of a reduction. */
typedef struct GaReductionKind
{
	/* Return the bytes of a state of full capacity. */
	Size (*n_bytes)(GaElementType type);

	/* Make such memory a state of no elements. */
	void (*init)(GaState state);

	/* Add elements; see cpu_reduce.h.  NULL for pairs: cpu_pairs.h. */
	GaReduceAdd add;

	/*
	 * Add compact records of n elements to a state of full capacity.  False,
	 * and nothing is added, if they make no sense.
	 */
	bool (*merge_records)(GaState state, uint32 n, const GaPartialSum *records);

	/* Add another state to one of full capacity. */
	void (*merge)(GaState state, const void *other);

	/*
	 * Return the state with full capacity, in the same memory context, whose
	 * pool it is.
	 */
	void *(*fill)(GaState state, GaFloatSumPool *pool);
} GaReductionKind;

extern const GaReductionKind ga_reductions[GA_N_ALL_REDUCTIONS];

extern bool ga_state_merge_others(GaState state, uint32 n,
								  const GaPartialSum *records);

/* Return a sum as a state. */
static inline GaState
ga_sum_state(void *sum, GaElementType type)
{
	return (GaState){sum, type, GA_REDUCE_SUM};
}

/* Return the bytes of a state of full capacity. */
static inline Size
ga_state_bytes(GaElementType type, GaReduction reduction)
{
	return ga_reductions[reduction].n_bytes(type);
}

/* Make memory for a state of full capacity one of no elements. */
static inline void
ga_state_init(GaState state)
{
	ga_reductions[state.reduction].init(state);
}

/* Add n elements in memory to a state of full capacity. */
static inline void
ga_state_add(GaState state, const void *data, size_t n)
{
	(void) ga_reductions[state.reduction].add(state.at, state.type, data, n);
}

/* Add another state to one of full capacity. */
static inline void
ga_state_merge(GaState state, const void *other)
{
	ga_reductions[state.reduction].merge(state, other);
}

/*
 * Return the state as one that will not move, in its memory context, whose pool
 * this is.
 */
static inline void *
ga_state_fill(GaState state, GaFloatSumPool *pool)
{
	if (likely(state.reduction == GA_REDUCE_SUM))
		return ga_element_is_float(state.type) ?
				   ga_float_sum_fill(state.at, pool) :
				   state.at;
	return ga_reductions[state.reduction].fill(state, pool);
}

/*
 * Add what the device made of n elements to a state of full capacity; the other
 * arguments as those of ga_cpu_merge_partial(), which it is for sums.
 */
static inline bool
ga_state_merge_records(GaState state, uint32 n, const GaPartialSum *records,
					   const GaFullRecord *full, uint32 full_capacity)
{
	if (likely(state.reduction == GA_REDUCE_SUM))
		return ga_cpu_merge_partial(state.at, state.type, n, records, full,
									full_capacity);
	return ga_state_merge_others(state, n, records);
}

#endif /* GA_REDUCTION_STATE_H */
