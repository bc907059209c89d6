/*
 * scan_prefix.h
 *		What a session's running totals came to so far.
 *
 * Long arrays come in pieces; a piece that continues begins where the one
 * before it ended.  The first may begin with a sum of the client's own.
 */
#ifndef GA_SCAN_PREFIX_H
#define GA_SCAN_PREFIX_H

#include "exact/element.h"
#include "exact/partial_sum.h"

typedef struct GaScanPrefix
{
	bool is_valid; /* all pieces so far went well */
	GaElementType type;
	union
	{
		GaIntSum ints;
		GaFullSum floats; /* a GaExactSum */
	} u;
} GaScanPrefix;

extern void ga_scan_prefix_begin(GaScanPrefix *carry, GaElementType type);
extern bool ga_scan_prefix_read(GaScanPrefix *carry, const void *bytes,
								size_t n_bytes);
extern void ga_scan_prefix_add(GaScanPrefix *carry, int64_t n,
							   const GaPartialSum *partial,
							   const GaFullRecord *wide);
extern GaPartialSum ga_scan_prefix_partial(const GaScanPrefix *carry,
										   GaFullRecord *wide,
										   uint32_t full_capacity,
										   uint32_t *n_full);
extern const void *ga_scan_prefix_sum(const GaScanPrefix *carry);

#endif /* GA_SCAN_PREFIX_H */
