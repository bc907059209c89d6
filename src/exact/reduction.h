/*
 * reduction.h
 *		The reductions that a device computes, and their results.
 *
 * The result of each array is one or more GaPartialSums (partial_sum.h):
 *
 * GA_REDUCE_SUM: the sum.
 *
 * GA_REDUCE_MIN, GA_REDUCE_MAX: the least or the largest element, as extremum.h
 * has it, in limb[0]: integers as int64_t, floats as the bits of a double.  Of
 * no elements it has no meaning.
 *
 * GA_REDUCE_MOMENTS: the sum, then the sum of squares, which has no sign: for
 * floats in units of 2^(unit - 2148), for integers of 1.  Both are
 * GA_PARTIAL_COMPACT, or both are GA_PARTIAL_REFUSED (partial_moments.h).
 *
 * GA_REDUCE_PRODUCTS: of pairs of elements of two arrays of one length, the sum
 * of the second ones, then the sum of the products, which has a sign; the units
 * are those of the moments, and so are the kinds (partial_products.h).
 *
 * GA_REDUCE_DOT: the same, but nobody wants the sum of the second ones: its
 * record is that of no elements, unless both are refused.
 */
#ifndef GA_REDUCTION_H
#define GA_REDUCTION_H

#include <string.h>

#include "partial_sum.h"

typedef enum GaReduction
{
	GA_REDUCE_SUM = 0,
	GA_REDUCE_MIN,
	GA_REDUCE_MAX,
	GA_REDUCE_MOMENTS,
	GA_N_REDUCTIONS, /* of single arrays; those of pairs follow */

	GA_REDUCE_PRODUCTS = GA_N_REDUCTIONS,
	GA_REDUCE_DOT,
	GA_N_ALL_REDUCTIONS
} GaReduction;

/* The most GaPartialSums of a result. */
#define GA_MAX_RECORDS 2

/* Return the number of GaPartialSums of a result. */
static inline uint32_t
ga_reduction_records(GaReduction reduction)
{
	return reduction >= GA_REDUCE_MOMENTS ? 2 : 1;
}

/* Is a result made of pairs of elements? */
static inline bool
ga_reduction_has_pairs(GaReduction reduction)
{
	return reduction >= GA_N_REDUCTIONS;
}

/* The most arrays of a result of whole arrays. */
#define GA_MAX_ARRAYS 2

/* Return the number of arrays that a result is made of: 1, or 2 for pairs. */
static inline uint32_t
ga_reduction_arrays(GaReduction reduction)
{
	return ga_reduction_has_pairs(reduction) ? 2 : 1;
}

/*
 * Have n results that a device made be those of a reduction: of GA_REDUCE_DOT
 * the first records are of no elements, unless they are refused.
 */
static inline void
ga_reduction_finish(GaReduction reduction, GaPartialSum *records, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n && reduction == GA_REDUCE_DOT; i++)
	{
		if (records[2 * i].kind != GA_PARTIAL_REFUSED)
			memset(&records[2 * i], 0, sizeof(*records));
	}
}

#endif /* GA_REDUCTION_H */
