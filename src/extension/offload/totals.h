/*
 * totals.h
 *		Running totals by the device, segment by segment.
 */
#ifndef GA_TOTALS_H
#define GA_TOTALS_H

#include "exact/exact_sum.h"
#include "exact/int_sum.h"
#include "extension/input/array.h"
#include "slots.h"

/* The state of running totals: the sum of the elements so far. */
typedef struct GaTotalsState
{
	GaElementType type;
	GaReason reason;  /* why the CPU computes; GA_NO_REASON is the device */
	GaFullSum floats; /* the sum of all elements so far, or ... */
	GaIntSum ints;

	/* of a stored array, which need not be read: */
	GaArray *array;	  /* NULL: the elements are passed */
	bool is_resident; /* the device may have it */
	GaStoredKey key;
	size_t n_before; /* elements before the first one */
	size_t n_done;	 /* elements before the next ones */
} GaTotalsState;

/* A run of elements whose totals the device computes. */
typedef struct GaTotalsRun
{
	GaTotalsState *totals;
	const char *in; /* NULL: the elements of totals->array */
	char *out;
	size_t n;
	size_t n_out;	 /* totals that are computed, and in out */
	GaReason reason; /* why the device did not go on */
	bool overflow;	 /* of the next total */
	bool is_missing; /* the array is not resident */
	bool has_loaded; /* the caller had it loaded */

	/* of totals.c alone: */
	size_t segment; /* elements in a segment */
	size_t n_in;	/* elements that were sent */
	size_t n_begun; /* totals that there were at the call */
	uint32 device;	/* that computes it */
	int n_sent;		/* segments under way */
	bool is_doubt;	/* it is missing because its id is in doubt */
	bool checks;	/* segments bring what settles a doubt */
} GaTotalsRun;

extern void ga_totals_by_device(GaTotalsRun *run);

/* Return the sum of all elements so far. */
static inline void *
ga_totals_sum(GaTotalsState *totals)
{
	return ga_element_is_float(totals->type) ?
			   (void *) ga_full_sum(&totals->floats) :
			   (void *) &totals->ints;
}

/* Return the bytes of a total of elements of a type. */
static inline size_t
ga_totals_size(GaElementType type)
{
	return type == GA_int8	 ? sizeof(GaInt128) :
		   type == GA_float4 ? sizeof(float4) :
							   sizeof(int64);
}

#endif /* GA_TOTALS_H */
