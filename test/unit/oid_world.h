/*
 * oid_world.h
 *		A server in small, that gives ids to arrays: for oid_model.c.
 *
 * 1024 ids, so that the counter goes round all the time.  What is like the real
 * thing: an id is taken from the counter first and looked for among the chunks
 * later; chunks are removed when no snapshot needs them; the counter's bound is
 * logged in steps; a standby replays all that late, in its order, and waits for
 * its readers or cancels them.  Time is in milliseconds of three ids each.
 */
#ifndef OID_WORLD_H
#define OID_WORLD_H

#include "wire/oid_guard.h"
#include "random_floats.h"

#define N_IDS	 1024
#define FIRST_ID 16 /* behind it the counter goes on */
#define STEP	 32
#define GAP_MS	 64

#define N_CLIENTS	12
#define N_WRITERS	4
#define WAL_RECORDS 4096

/* What lies under an id; its serial is its xmin as well. */
typedef struct Chunk
{
	uint32_t serial;  /* 0: nothing */
	uint64_t deleted; /* by what change; 0: not */
} Chunk;

typedef struct Node
{
	Chunk chunks[N_IDS];
	uint32_t next_oid;
	uint32_t oid_count;	 /* ids before the bound is logged again */
	uint64_t change;	 /* the last one that is seen here */
	int64_t replayed_ms; /* the time of that, on a standby */
} Node;

typedef enum RecordKind
{
	RECORD_NEXT_OID,
	RECORD_SHUTDOWN,
	RECORD_CREATE,
	RECORD_DELETE,
	RECORD_REMOVE
} RecordKind;

typedef struct Record
{
	RecordKind kind;
	uint32_t id;
	uint32_t serial;
	uint64_t change;
	int64_t ms;
} Record;

/* A session that took an id, and has yet to look whether it is in use. */
typedef struct Writer
{
	bool is_busy;
	bool is_slow; /* to look */
	uint32_t id;
	uint64_t snapshot;
} Writer;

typedef struct World
{
	Rng rng;
	int64_t ms;
	int ids_in_ms;
	uint32_t n_serials;
	bool is_paused; /* the replay */
	Node nodes[2];
	Node *writer; /* the primary */
	Node *here;	  /* whose clients there are */
	Writer writers[N_WRITERS];
	Record wal[WAL_RECORDS];
	uint64_t n_logged;
	uint64_t n_replayed;

	/* The clients' snapshots; 0 is none, also if it was cancelled. */
	uint64_t snapshots[N_CLIENTS];
	long n_reused; /* ids that were given again */
} World;

extern void world_begin(World *world, uint64_t seed, bool has_standby);
extern uint32_t world_random_id(World *world);
extern void world_step(World *world);
extern void world_idle(World *world);
extern void world_promote(World *world);

static inline bool
world_is_standby(const World *world)
{
	return world->here != world->writer;
}

#endif /* OID_WORLD_H */
