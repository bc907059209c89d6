/*
 * oid_model.h
 *		gpuaggd and its clients in small: for test_oid_guard.c.
 *
 * Clients look arrays up in a cache, and are slow, or cancelled with a message
 * under way.  They take their samples where the extension does: one before they
 * name arrays, another before they look at the chunk of an array that is in
 * doubt.  A client that is served may keep another array, and use that later.
 * An array that was served is compared with the one that the pointer meant.
 */
#ifndef OID_MODEL_H
#define OID_MODEL_H

#include "oid_world.h"

/* The rule that is left out. */
typedef enum Without
{
	WITHOUT_NOTHING,
	WITHOUT_GUARD,		   /* all is served */
	WITHOUT_STEP,		   /* of a standby: its bound is the counter */
	WITHOUT_GAP,		   /* after it, and for samples that are late */
	WITHOUT_REPLAYED_TIME, /* a standby's samples have the local time */
	WITHOUT_OWN_MARK,	   /* the clock's now, when an array comes */
	WITHOUT_ORDER,		   /* a look at the chunk, then the sample */
	WITHOUT_XMAX,		   /* deleted arrays get marks as well */
	WITHOUT_SECOND_SAMPLE  /* what is kept is of use for ever */
} Without;

typedef enum ClientState
{
	CLIENT_IDLE,
	CLIENT_HAS_POINTER,
	CLIENT_HAS_SAMPLE,
	CLIENT_DOUBTS, /* it has to look at the chunk: a sample, ... */
	CLIENT_CHECKS, /* ... and then the look */
	CLIENT_ASKS,   /* again, with what it saw */
	CLIENT_LOADS,  /* it has to read the array */
	CLIENT_SENDS   /* what it read is under way */
} ClientState;

/* What a client got besides what it asked for. */
typedef struct Kept
{
	uint32_t id;
	uint32_t serial; /* 0: nothing */
	GaOidSample sample;
} Kept;

typedef struct Client
{
	ClientState state;
	uint32_t id; /* its pointer, and what that means */
	uint32_t serial;
	GaOidSample sample;
	uint64_t mark;
	bool is_settled; /* what it saw of the chunk */
	bool is_slow;	 /* this time */
	Kept kept;
} Client;

typedef struct Entry
{
	uint32_t serial; /* 0: none */
	uint64_t mark;
} Entry;

/* gpuaggd, its clients, and what came of it. */
typedef struct Model
{
	World world;
	Without without;
	GaOidSpace space;
	GaOidClock clock;
	Entry entries[N_IDS];
	Client clients[N_CLIENTS];
	ClientState slow_state;
	int slow_turns;
	long n_served;
	long n_kept; /* that were of use */
	long n_stale;
	long n_doubts; /* of what was right */
	long n_reused;
} Model;

extern GaOidSample model_sample(const Model *m);
extern uint64_t model_take_in(Model *m, GaOidSample sample);
extern void model_step_client(Model *m, Client *client);

/* A client that has a pointer to this id. */
extern void model_give_pointer(Model *m, Client *client, uint32_t id);
/* From its pointer to what came of it. */
extern void model_look_up(Model *m, Client *client);

#endif /* OID_MODEL_H */
