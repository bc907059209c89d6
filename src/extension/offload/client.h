/*
 * client.h
 *		A session's connection to gpuaggd.
 */
#ifndef GA_CLIENT_H
#define GA_CLIENT_H

#include "client_memory.h"

/* Is there a connection, with lookup slots? */
extern bool ga_client_is_open;

/* The devices that work, a bit for each; never 0. */
extern uint64 ga_client_devices;

/* Return a device for what may be computed on any, the same one each time. */
extern uint32 ga_client_any_device(void);

/* The socket, or -1; of the files client*.c alone. */
extern int ga_client_fd;

/* client_open.c */
extern GaReason ga_client_open(bool waits);

/* client.c */
extern GaReason ga_client_connect(bool waits);
extern void ga_client_close(void);
extern bool ga_client_send(const GaRequest *request);
extern bool ga_client_is_awaiting(int slot);
extern GaReason ga_client_receive(int slot, GaReply *reply, bool waits,
								  bool *is_there);
extern void ga_client_check(void);
extern const char *ga_client_trouble(void);
extern void ga_client_set_trouble(const char *format, ...)
	pg_attribute_printf(1, 2);
extern const char *ga_client_device_kind(void);
extern long ga_client_answer_ms(bool waits);

/* client_lease.c */
extern void ga_client_lease_begin(void);
extern GaReason ga_client_get_lookups(bool is_large, long ms);
extern GaReason ga_client_lease(int n_slots, bool waits);
extern bool ga_client_lease_is_refused(void);
extern bool ga_client_lease_is_wanted(void);
extern bool ga_client_release_lease(void);
extern GaReason ga_client_enlarge_lookups(void);
extern void ga_client_rest(void);

/* On any connection, for stat_client.c and ladder_client.c. */
extern GaReason ga_client_greet(int fd, long ms);
extern GaReason ga_client_ask(int fd, const GaRequest *request, GaReply *reply,
							  int *descriptor, long ms);
extern GaReason ga_client_wait(int fd, GaReply *reply, int *descriptor,
							   long ms);

#endif /* GA_CLIENT_H */
