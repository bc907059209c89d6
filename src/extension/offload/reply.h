/*
 * reply.h
 *		Waiting for gpuaggd's replies, in slots and by the socket.
 */
#ifndef GA_REPLY_H
#define GA_REPLY_H

#include "extension/wait_event.h"
#include "wire/slot.h"
#include "extension/engine/reason.h"

/* A descriptor came, and this process has none left for it. */
#define GA_DESCRIPTOR_LOST (-2)

extern GaReason ga_reply_reason(int32 status);
extern void ga_reply_clean(GaReply *reply);
extern GaReason ga_reply_receive(int fd, GaReply *reply, int *descriptor,
								 bool *is_there);
extern GaReason ga_reply_wait(int fd, GaReply *reply, int *descriptor, long ms,
							  GaWaitEvent event);
extern bool ga_reply_poll(GaSlotReply *in_slot);

#endif /* GA_REPLY_H */
