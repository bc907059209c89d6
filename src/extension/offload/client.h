/*
 * client.h
 *		A session's connection to gpuaggd.
 */
#ifndef GA_CLIENT_H
#define GA_CLIENT_H

#include "wire/slot.h"
#include "extension/engine/reason.h"

/* The lease: GA_LEASE_SLOTS slots.  NULL while there is none. */
extern char *ga_client_lease;

extern GaReason ga_client_open(bool waits);
extern void ga_client_close(void);
extern bool ga_client_send(const GaRequest *request);
extern bool ga_client_is_awaiting(int slot);
extern GaReason ga_client_receive(int slot, GaReply *reply, bool waits,
								  bool *is_there);
extern void ga_client_release_lease(void);
extern void ga_client_check(void);
extern const char *ga_client_trouble(void);
extern const char *ga_client_device_kind(void);

/* On any connection, for stat_client.c and ladder_client.c. */
extern GaReason ga_client_greet(int fd, long ms);
extern GaReason ga_client_ask(int fd, const GaRequest *request, GaReply *reply,
							  int *descriptor, long ms);
extern GaReason ga_client_wait(int fd, GaReply *reply, int *descriptor,
							   long ms);

/* Return the head of a slot of the lease. */
static inline GaSlot *
ga_client_slot(int i)
{
	return (GaSlot *) (ga_client_lease + (size_t) i * GA_SLOT_BYTES);
}

/* Return the data of a slot of the lease. */
static inline char *
ga_client_slot_data(int i)
{
	return ga_slot_data(ga_client_slot(i));
}

#endif /* GA_CLIENT_H */
