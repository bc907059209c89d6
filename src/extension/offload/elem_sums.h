/*
 * elem_sums.h
 *		Sums of stored arrays position by position, by the device.
 */
#ifndef GA_ELEM_SUMS_H
#define GA_ELEM_SUMS_H

#include "exact/elem_form.h"
#include "slots.h"

/* Segments that are under way, or whose results are to be taken. */
#define GA_ELEM_SEGMENTS (GA_LEASE_SLOTS + 1)

/* What gpuaggd has of an array, if it has not all that are asked for. */
typedef enum GaElemFound
{
	GA_ELEM_HERE = 0,
	GA_ELEM_MISSING,
	GA_ELEM_UNLIKE, /* it is resident, but not as the others */
	GA_ELEM_DOUBT	/* its id may have been reused */
} GaElemFound;

/* Arrays of one length and shape, without NULLs, which one device may have. */
typedef struct GaElemRun
{
	GaElementType type;
	const GaStoredKey *keys;
	uint32 n_arrays; /* 1 to GA_SLOT_ARRAYS */
	uint32 n;		 /* positions: the elements of each array */
	uint32 n_wanted; /* the first ones, whose results are wanted */
	uint32 device;
	GaElemForm form; /* of the results; one that the type has */
	bool lines;		 /* nobody looked if the arrays are (GaLoadSegment) */
	bool has_loaded; /* the caller had the arrays loaded */

	/* Takes the records of n positions, from one on.  May throw. */
	void (*take)(void *target, uint32 at, const GaPartialSum *records,
				 uint32 n);
	void *target;

	/* Of forms other than records: where the values go. */
	char *values;

	uint32 n_done;	 /* positions whose results were taken */
	GaReason reason; /* why the device did not go on */
	bool is_refused; /* a position has no value, but a record */
	bool is_missing; /* some arrays are not resident, or not as the others */
	uint8 *found;	 /* of each array, then: a GaElemFound */

	/* of elem_sums.c alone: */
	GaStoredRef *refs; /* what the arrays are asked for with */
	bool has_doubts;   /* some array is in doubt */
	bool checks;	   /* requests bring what settles doubts */
	GaOidSample sample;
	uint32 segment;	   /* positions of one */
	uint32 n_begun;	   /* positions that were done at the call */
	uint32 n_asked;	   /* positions that were asked for */
	uint32 n_received; /* positions whose results are here */
	int n_sent;		   /* segments under way */
	GaPartialSum *records;
} GaElemRun;

extern void ga_elem_by_device(GaElemRun *run);

#endif /* GA_ELEM_SUMS_H */
