/*
 * stored.h
 *		Stored arrays, summed by the device without being read.
 */
#ifndef GA_STORED_H
#define GA_STORED_H

#include "slots.h"

extern void ga_stored_add(GaOwner *owner, void *sum, GaElementType type,
						  const GaStoredKey *key, const GaStoredWanted *wanted);
extern void ga_stored_note(GaOwner *owner, void *sum, GaElementType type,
						   const GaStoredKey *key, GaReason reason);
extern void ga_stored_load(GaOwner *owner, GaElementType type,
						   const GaStoredKey *key);
extern void ga_stored_finish(void);

extern bool ga_stored_are_wanted(void);
extern void ga_stored_cancel(const GaOwner *owner);
extern void ga_stored_end_level(int level);
extern bool ga_stored_reset(void);
extern void ga_stored_connection_lost(void);

#endif /* GA_STORED_H */
