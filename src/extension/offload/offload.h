/*
 * offload.h
 *		Work that the device does for this session, from start to finish.
 */
#ifndef GA_OFFLOAD_H
#define GA_OFFLOAD_H

#include "owner.h"
#include "slots.h"

extern GaReason ga_offload_choose(Datum array, bool is_alone);
extern GaReason ga_offload_choose_part(Datum array, bool is_alone,
									   uint64 n_bytes);
extern GaReason ga_offload_open(void);
extern GaOwner *ga_offload_owner(MemoryContext context);
extern void ga_offload_cancel(GaOwner *owner);
extern void ga_offload_load(GaCounters *counters, GaElementType type,
							const GaStoredKey *keys, uint32 n);
extern void ga_offload_finish_all(void);
extern bool ga_offload_has_pending;

#endif /* GA_OFFLOAD_H */
