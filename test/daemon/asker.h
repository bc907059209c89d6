/*
 * asker.h
 *		Clients that ask for the sums of values at once, each of its own.
 *
 * The values are the arrays of a batch.  Slot 0 names them, and slot 1 loads
 * them.
 */
#ifndef ASKER_H
#define ASKER_H

#include "client.h"

#define N_ASKERS 8

typedef struct Asker
{
	Client client;
	Batch batch;
	uint32_t relation;
} Asker;

extern Daemon gpuaggd;
extern Asker askers[N_ASKERS];

/* A gpuaggd with an option, or NULL, and all askers; and the end of them. */
extern void askers_start(const char *option);
extern void askers_close(void);
extern void askers_stop(void);

/* A connection and a window for one. */
extern void asker_open(Asker *asker);

/* Name all its values in slot 0; the request is to be sent. */
extern GaRequest asker_name(Asker *asker, bool loads);
extern GaStoredRef *asker_refs(const Asker *asker);

/* Load those that slot 0 says are to be loaded.  False: no room for all. */
extern bool asker_load_told(Asker *asker);
/* Ask, and load. */
extern bool asker_load(Asker *asker);

/* All its values must be resident, with the right sums. */
extern void asker_check(Asker *asker, const GaReply *reply);
/* The same with the next reply. */
extern void asker_receive(Asker *asker);

/* All ask while gpuaggd is stopped; the first one is the first it sees. */
extern void askers_send(bool loads);

/* Load all, and have them summed some times. */
extern void askers_check(int n_times);

#endif /* ASKER_H */
