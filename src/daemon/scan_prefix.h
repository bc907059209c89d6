/*
 * scan_prefix.h
 *		The sum of what a session has scanned so far.
 *
 * Long arrays come in segments; one that continues begins with the sum of
 * those before it.  The first may begin with a sum that the client sends.
 */
#ifndef GA_SCAN_PREFIX_H
#define GA_SCAN_PREFIX_H

#include "exact/element.h"
#include "exact/partial_sum.h"

typedef struct GaScanPrefix
{
	bool is_valid; /* all segments so far went well */
	GaElementType type;
	union
	{
		GaIntSum ints;
		GaFullSum floats; /* a GaExactSum */
	} u;
} GaScanPrefix;

extern void ga_scan_prefix_begin(GaScanPrefix *prefix, GaElementType type);
extern bool ga_scan_prefix_read(GaScanPrefix *prefix, const void *bytes,
								size_t n_bytes);
extern void ga_scan_prefix_add(GaScanPrefix *prefix, int64_t n,
							   const GaPartialSum *partial,
							   const GaFullRecord *full);
extern GaPartialSum ga_scan_prefix_partial(const GaScanPrefix *prefix,
										   GaFullRecord *full,
										   uint32_t full_capacity,
										   uint32_t *n_full);
extern const void *ga_scan_prefix_sum(const GaScanPrefix *prefix);

#endif /* GA_SCAN_PREFIX_H */
