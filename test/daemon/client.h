/*
 * client.h
 *		A client of gpuaggd, as a backend would be one.
 *
 * What cannot fail unless the daemon is wrong ends the program, or fails the
 * test that is under way.  Nothing waits longer than CLIENT_WAIT_MS, which only
 * tests that fail take: gpuaggd may have sanitizers and a busy processor.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include "array_set.h"
#include "daemon.h"
#include "wire/slot.h"

#define CLIENT_WAIT_MS 60000

typedef struct Client
{
	int fd;
	uint32_t n_slots; /* of the lease, which are mapped */
	uint64_t offsets[GA_LEASE_SLOTS];
	GaSlot *slots[GA_LEASE_SLOTS];
	bool keeps;
	char *lookups; /* lookup slots, mapped, or NULL */
	GaLookupShape shape;
} Client;

/* The lookup slot that tests use. */
#define CLIENT_LOOKUP GA_LEASE_SLOTS

/* Connect; with the greeting, or without. */
extern void client_connect(Client *client, const Daemon *daemon);
extern void client_open(Client *client, const Daemon *daemon);
extern void client_close(Client *client);

extern void client_send(Client *client, const GaRequest *request);
extern void client_send_bytes(Client *client, const void *bytes, size_t n);

/* The next reply; false at the end of the connection. */
extern bool client_receive(Client *client, GaReply *reply);
/* The next reply with the descriptor that it brings, or -1. */
extern bool client_receive_file(Client *client, GaReply *reply, int *fd);
extern bool client_has_reply(Client *client, int timeout_ms);
extern bool client_is_closed(Client *client);
/* The client receives this reason and no more, and is closed. */
extern void client_check_turned_away(Client *client, GaStatus status,
									 const char *reason);
/* Check that there is no reply yet. */
extern void client_check_waits(Client *client);

/* Send a request and take its reply, which must be there. */
extern GaReply client_call(Client *client, const GaRequest *request);

extern GaRequest client_hello_request(void);
/* All slots of a lease, or as many as are free; waiting, if there is none. */
extern GaStatus client_lease(Client *client, bool waits);
extern void client_send_lease(Client *client, bool waits);
extern GaStatus client_receive_lease(Client *client);
extern void client_release_lease(Client *client);

/* Large or small lookup slots, instead of those that there are. */
extern GaStatus client_get_lookups(Client *client, bool is_large);
extern GaLookupSlot client_lookup(const Client *client, uint32_t slot);

extern GaSlot *client_slot(const Client *client, uint32_t slot);
extern char *client_data(const Client *client, uint32_t slot);

/* A slot with arrays of a set from one on: as many as fit. */
extern uint32_t client_fill(Client *client, uint32_t slot, const ArraySet *set,
							uint32_t first, GaRequest *request);

/*
 * The sum of the first elements of a set's first array, as bytes where a
 * request for running totals brings it; returns how many.
 */
extern uint32_t client_put_prefix(Client *client, uint32_t slot,
								  const ArraySet *set, size_t n);

/* The smallest request: the sum of one integer. */
extern GaRequest client_fill_one(Client *client, uint32_t slot, int64_t x);
extern bool client_is_one(const Client *client, const GaReply *reply,
						  int64_t x);
extern GaStatus client_sum_one(Client *client, uint32_t slot, int64_t x);

#endif /* CLIENT_H */
