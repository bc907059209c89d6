/*
 * stored_parts.h
 *		Resident arrays as the contiguous parts that a device reduces.
 */
#ifndef GA_STORED_PARTS_H
#define GA_STORED_PARTS_H

#include "request.h"

extern bool ga_parts_begin(GaActiveRequest *active);
extern bool ga_parts_reserve(GaActiveRequest *active, uint32_t n);
extern bool ga_parts_list(GaActiveRequest *active, const GaEntry *entry,
						  GaStoredPart wanted, uint32_t *n);
extern bool ga_parts_add_entry(GaActiveRequest *active, const GaEntry *entry,
							   GaStoredPart wanted);
extern bool ga_parts_add_pair(GaActiveRequest *active,
							  const GaEntry *const pair[2],
							  const GaStoredPart wanted[2]);
extern GaPartialSum ga_parts_sum(GaActiveRequest *active, uint32_t first,
								 uint32_t n, uint32_t *n_full);

#endif /* GA_STORED_PARTS_H */
