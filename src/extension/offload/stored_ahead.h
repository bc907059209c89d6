/*
 * stored_ahead.h
 *		Reductions of arrays that a query has not come to, by the device.
 */
#ifndef GA_STORED_AHEAD_H
#define GA_STORED_AHEAD_H

#include "ahead.h"
#include "slots.h"

extern GaAhead *ga_stored_ahead(int i);
extern void ga_stored_keep_ahead(GaAhead *ahead, int i, const GaReply *reply);
extern const void *ga_stored_take_ahead(GaAhead *ahead, const GaStoredKey *key,
										uint32 *n);
extern bool ga_stored_send_many(GaAhead *ahead, const GaStoredKey *key);
extern void ga_stored_send_ahead(GaAhead *ahead);

#endif /* GA_STORED_AHEAD_H */
