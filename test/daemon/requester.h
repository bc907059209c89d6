/*
 * requester.h
 *		Clients that request the sums of arrays at once, each of its own.
 *
 * The arrays are the arrays of a set.  A lookup slot names them, and
 * slot 1 loads them.
 */
#ifndef REQUESTER_H
#define REQUESTER_H

#include "client.h"

#define N_REQUESTERS 8

typedef struct Requester
{
	Client client;
	ArraySet set;
	uint32_t relation;
} Requester;

extern Daemon gpuaggd;
extern Requester requesters[N_REQUESTERS];

/* Start a gpuaggd with an option, or NULL, and all requesters; end them. */
extern void requesters_start(const char *option);
extern void requesters_close(void);
extern void requesters_stop(void);

/* A connection and a lease for one. */
extern void requester_open(Requester *requester);

/* Name all its arrays in a lookup slot; the request is to be sent. */
extern GaRequest requester_name(Requester *requester, bool loads);
extern GaStoredRef *requester_refs(const Requester *requester);

/* Load the arrays that the answer says to load.  False: no memory for all. */
extern bool requester_load_missing(Requester *requester);
/* Look the arrays up, and load them. */
extern bool requester_load(Requester *requester);

/* All its arrays must be resident, with the right sums. */
extern void requester_check(Requester *requester, const GaReply *reply);
/* Receive the next reply, and check it so. */
extern void requester_receive(Requester *requester);

/* Send all requests while gpuaggd is stopped, the first client's first. */
extern void requesters_send(bool loads);

/* Load all, and have them summed some times. */
extern void requesters_check(int n_times);

#endif /* REQUESTER_H */
