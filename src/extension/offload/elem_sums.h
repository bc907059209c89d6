/*
 * elem_sums.h
 *		Sums of stored arrays position by position, by the device.
 */
#ifndef GA_ELEM_SUMS_H
#define GA_ELEM_SUMS_H

#include "slots.h"

/* Segments of positions that are under way, or whose sums are to be taken. */
#define GA_ELEM_SEGMENTS (GA_LEASE_SLOTS + 1)

/* Arrays of one length without NULLs, which one device may have. */
typedef struct GaElemRun
{
	GaElementType type;
	const GaStoredKey *keys;
	uint32 n_arrays; /* 1 to GA_SLOT_ARRAYS */
	uint32 n;		 /* positions: the elements of each array */
	uint32 device;
	bool has_loaded; /* the caller had them loaded */

	/* Takes the records of n positions, from one on.  May throw. */
	void (*take)(void *target, uint32 at, const GaPartialSum *records,
				 uint32 n);
	void *target;

	uint32 n_done;	  /* positions whose records were taken */
	GaReason reason;  /* why the device did not go on */
	bool is_missing;  /* some arrays are not resident */
	bool *is_without; /* of each array, then: whether it is one of them */

	/* of elem_sums.c alone: */
	uint32 segment;	   /* positions of one */
	uint32 n_begun;	   /* positions that were done at the call */
	uint32 n_asked;	   /* positions that were asked for */
	uint32 n_received; /* positions whose records are here */
	int n_sent;		   /* segments under way */
	GaPartialSum *records;
} GaElemRun;

extern void ga_elem_by_device(GaElemRun *run);

#endif /* GA_ELEM_SUMS_H */
