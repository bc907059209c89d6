/*
 * stored.h
 *		Stored arrays, reduced by the device without being read.
 */
#ifndef GA_STORED_H
#define GA_STORED_H

#include "extension/engine/reduction_state.h"
#include "slots.h"

extern void ga_stored_add(GaOwner *owner, GaState state, const GaStoredKey *key,
						  const GaStoredWanted *wanted);
extern void ga_stored_add_pair(GaOwner *owner, GaState state,
							   const GaStoredKey keys[2]);
extern void ga_stored_note(GaOwner *owner, GaState state,
						   const GaStoredKey *key, const GaStoredWanted *wanted,
						   GaReason reason);
extern void ga_stored_note_pair(GaOwner *owner, GaState state,
								const GaStoredKey keys[2], GaReason reason);
extern void ga_stored_load(GaOwner *owner, GaElementType type,
						   const GaStoredKey *keys, uint32 n);
extern void ga_stored_finish(void);

extern bool ga_stored_are_wanted(void);
extern void ga_stored_cancel(const GaOwner *owner);
extern void ga_stored_cancel_level(int level);
extern void ga_stored_end_level(int level);
extern bool ga_stored_reset(void);
extern void ga_stored_connection_lost(void);

#endif /* GA_STORED_H */
