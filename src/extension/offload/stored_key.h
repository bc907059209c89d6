/*
 * stored_key.h
 *		Stored arrays as requests name them.
 */
#ifndef GA_STORED_KEY_H
#define GA_STORED_KEY_H

#include "extension/input/toast.h"
#include "wire/protocol.h"

extern bool ga_stored_key(Datum array, GaStoredKey *key);
extern struct varatt_external ga_stored_pointer(const GaStoredKey *key);
extern uint64 ga_stored_database_hash(void);
extern void ga_stored_how(GaStoredLookup *lookup, const GaOidSample *sample);
extern void ga_stored_check(GaStoredRef *ref, GaToastRelation *relation,
							GaOidSample *sample, bool is_first);

#endif /* GA_STORED_KEY_H */
