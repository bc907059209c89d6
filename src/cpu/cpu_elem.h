/*
 * cpu_elem.h
 *		What the CPU engine computes position by position.
 *
 * For arrays of one shape, one after another: elem_sum.h has the sums, and the
 * least and greatest elements are integer keys (cpu_lanes_elem.h).
 */
#ifndef GA_CPU_ELEM_H
#define GA_CPU_ELEM_H

#include "exact/element.h"
#include "exact/elem_sum.h"
#include "exact/extremum.h"

#define GA_ELEM_LEVELS GA_ELEM_MAX_HOT

/* The words that floats are added to. */
typedef struct GaElemLevels
{
	int n_levels;					/* the highest level first */
	double anchor[GA_ELEM_LEVELS];	/* of the level's unit */
	int64_t *words[GA_ELEM_LEVELS]; /* of the first position */
	uint64_t flip;					/* sign bit: the elements are removed */
	bool has_neg_zero;				/* out: there may be a -0 */
} GaElemLevels;

/* The digits that floats of any exponent are added to. */
typedef struct GaElemDigits
{
	int64_t *words;	   /* of the first position in the lowest plane */
	int64_t stride;	   /* words from a plane to the next one */
	int64_t place;	   /* as in GaElemBlock */
	int64_t n_planes;  /* at least 1 */
	uint64_t flip;	   /* as in GaElemLevels */
	bool has_neg_zero; /* out: there may be a -0 */
} GaElemDigits;

typedef struct GaCpuElem
{
	/*
	 * Add floats to the words of their positions.  Returns how many were: n, or
	 * fewer if a following one is not exact in the levels, infinite or NaN.
	 */
	size_t (*add_float4)(GaElemLevels *levels, const void *data, size_t n);
	size_t (*add_float8)(GaElemLevels *levels, const void *data, size_t n);

	/*
	 * Add floats digit by digit.  Returns how many were: n, or fewer if a
	 * following one has bits beyond the planes, is infinite or NaN.
	 */
	size_t (*digits_float4)(GaElemDigits *digits, const void *data, size_t n);
	size_t (*digits_float8)(GaElemDigits *digits, const void *data, size_t n);

	/* Add integers, or remove them (sign = -1, otherwise 0). */
	void (*add_int2)(int64_t *low, int64_t *high, const void *data, size_t n,
					 int64_t sign);
	void (*add_int4)(int64_t *low, int64_t *high, const void *data, size_t n,
					 int64_t sign);
	void (*add_int8)(int64_t *low, int64_t *high, const void *data, size_t n,
					 int64_t sign);

	/* Replace keys by those of lesser or greater elements, by element type. */
	void (*min[GA_N_ELEMENT_TYPES])(void *keys, const void *data, size_t n);
	void (*max[GA_N_ELEMENT_TYPES])(void *keys, const void *data, size_t n);
} GaCpuElem;

#endif /* GA_CPU_ELEM_H */
