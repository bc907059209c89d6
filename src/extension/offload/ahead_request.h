/*
 * ahead_request.h
 *		Requests for the results of arrays that a query has not come to.
 */
#ifndef GA_AHEAD_REQUEST_H
#define GA_AHEAD_REQUEST_H

#include "ahead.h"
#include "slots.h"

extern const void *ga_ahead_await(GaAhead *ahead, const GaSlotKind *kind,
								  const GaStoredKey *key, uint32 *n);
extern bool ga_ahead_send_many(GaAhead *ahead, const GaSlotKind *kind,
							   GaAheadArray array);
extern void ga_ahead_send_behind(GaAhead *ahead, const GaSlotKind *kind);

#endif /* GA_AHEAD_REQUEST_H */
