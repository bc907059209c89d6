/*
 * windows_ahead.h
 *		Buckets of arrays that a query has not come to, by the device.
 */
#ifndef GA_WINDOWS_AHEAD_H
#define GA_WINDOWS_AHEAD_H

#include "ahead.h"
#include "slots.h"

extern uint32 ga_windows_n_more(const GaReply *reply, GaElemForm form,
								uint32 n);
extern uint64 ga_windows_n_refused(int i, uint32 n);
extern void ga_windows_keep(GaAhead *ahead, int i, const GaReply *reply,
							uint32 n);
extern const void *ga_windows_take_ahead(GaAhead *ahead, const GaStoredKey *key,
										 uint32 *n);
extern bool ga_windows_send_many(GaAhead *ahead, GaAheadArray array);
extern void ga_windows_send_ahead(GaAhead *ahead);

#endif /* GA_WINDOWS_AHEAD_H */
