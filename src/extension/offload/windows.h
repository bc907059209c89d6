/*
 * windows.h
 *		Values of windows over a stored array, by the device.
 */
#ifndef GA_OFFLOAD_WINDOWS_H
#define GA_OFFLOAD_WINDOWS_H

#include "exact/elem_form.h"
#include "exact/window.h"
#include "ahead.h"
#include "slots.h"

/*
 * All windows over a stored array, or a part of it; of neighbors those that
 * have two elements.
 */
typedef struct GaWindowsRun
{
	GaElementType type;
	GaElemForm form; /* one that the type has, and no record */
	GaStoredKey key;
	uint32 from;	   /* of the elements that are not NULL, the part's first */
	GaWindows windows; /* over the part, which has no NULLs */
	char *values;	   /* where they go, 8 bytes each */
	bool is_small;	   /* the array is not to be loaded for it */
	bool has_loaded;   /* the caller had the array loaded */
	GaAhead *ahead;	   /* of all buckets of an array; or NULL */

	uint32 n_done;	 /* windows whose values are there */
	GaReason reason; /* why the device did not go on */
	bool is_refused; /* a window has no value */
	bool is_missing; /* the array is not resident */

	/* of windows.c alone: */
	uint32 n; /* windows */
	uint32 device;
	uint32 n_asked;	 /* windows that were asked for */
	uint32 n_begun;	 /* that were done at the call */
	int n_sent;		 /* segments under way */
	bool is_doubt;	 /* it is missing because its id is in doubt */
	bool asks_again; /* alone, since a window had no value */
	bool is_alone;	 /* no other arrays are to follow */
	bool checks;	 /* segments bring what settles a doubt */
} GaWindowsRun;

extern void ga_windows_by_device(GaWindowsRun *run);

#endif /* GA_OFFLOAD_WINDOWS_H */
