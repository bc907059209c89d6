/*
 * stored_key.h
 *		Stored arrays as requests name them.
 */
#ifndef GA_STORED_KEY_H
#define GA_STORED_KEY_H

#include "extension/input/toast.h"
#include "wire/protocol.h"

/* The state of an array that gpuaggd has not answered; no GaStoredState. */
#define GA_STORED_NO_ANSWER UINT32_MAX

/*
 * Arrays of so many bytes are asked for without waiting for more of them: some
 * 200 us of a device's time.  It is at them while the next ones are noted here
 * and looked up by gpuaggd, and the sums of those before are added.
 */
#define GA_STORED_ASK_BYTES (UINT64_C(1) << 30)

/*
 * The same where no more bytes are under way, so that a device begins while the
 * first arrays are noted.
 */
#define GA_STORED_ASK_LEAST_BYTES (UINT64_C(256) << 20)

extern bool ga_stored_key(Datum array, GaStoredKey *key);
extern struct varatt_external ga_stored_pointer(const GaStoredKey *key);
extern uint64 ga_stored_database_hash(void);
extern void ga_stored_how(GaStoredLookup *lookup, const GaOidSample *sample);
extern void ga_stored_check(GaStoredRef *ref, GaToastRelation *relation,
							GaOidSample *sample, bool is_first);
extern void ga_stored_name(GaStoredRef *ref, GaStoredLookup *lookup,
						   const GaStoredKey *key, bool is_missed, bool checks);

#endif /* GA_STORED_KEY_H */
