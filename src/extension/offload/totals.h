/*
 * totals.h
 *		Running totals of elements that come in pieces.
 */
#ifndef GA_TOTALS_H
#define GA_TOTALS_H

#include "extension/input/array.h"
#include "exact/exact_sum.h"
#include "exact/int_sum.h"
#include "wire/slot.h"
#include "extension/engine/reason.h"

typedef struct GaScan
{
	GaElementType type;
	GaReason reason;  /* why the CPU does it; GA_NO_REASON is the
								 * device */
	GaFullSum floats; /* the total so far */
	GaIntSum ints;

	/* of a stored value: */
	GaArray *array;	  /* it, or NULL */
	bool is_resident; /* the device may have it */
	GaStoredKey key;
	size_t n_done; /* elements */
} GaScan;

/* Elements that the device takes at once. */
#define GA_SCAN_CHUNK (1 << 16)

extern void ga_scan_begin(GaScan *scan, GaElementType type, GaReason reason);
extern void ga_scan_begin_array(GaScan *scan, GaArray *array, Datum value,
								GaReason reason);
extern int ga_scan_next_run(GaScan *scan, GaArray *array, const void **run);
extern size_t ga_scan_run(GaScan *scan, const void *in, size_t n, void *out);

/* The sum that the totals come from. */
static inline void *
ga_scan_sum(GaScan *scan)
{
	return ga_element_is_float(scan->type) ?
			   (void *) ga_full_sum(&scan->floats) :
			   (void *) &scan->ints;
}

#endif /* GA_TOTALS_H */
