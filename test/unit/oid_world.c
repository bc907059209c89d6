/*
 * oid_world.c
 *		A server in small, that gives ids to arrays: for oid_model.c.
 */
#include <string.h>

#include "oid_world.h"

#define IDS_PER_MS 3
#define PATIENCE   50 /* a cancelled reader in so many tries */

/* Any id; most often one that the counter comes to soon, or came from. */
uint32_t
world_random_id(World *world)
{
	uint32_t id = (uint32_t) rng_below(&world->rng, N_IDS);

	if (rng_chance(&world->rng, 2))
		return id;
	return (world->writer->next_oid + N_IDS - 16 + id % 40) % N_IDS;
}

/* A standby sees it later. */
static void
log_record(World *world, RecordKind kind, uint32_t id)
{
	Record *record = &world->wal[world->n_logged % WAL_RECORDS];

	if (!world_is_standby(world))
		return;
	record->kind = kind;
	record->id = id;
	record->serial = world->writer->chunks[id].serial;
	record->change = world->writer->change;
	record->ms = world->ms;
	world->n_logged++;
}

static uint32_t
next_id(World *world)
{
	Node *node = world->writer;

	if (node->next_oid < FIRST_ID)
	{
		node->next_oid = FIRST_ID;
		node->oid_count = 0;
	}
	if (node->oid_count == 0)
	{
		log_record(world, RECORD_NEXT_OID, (node->next_oid + STEP) % N_IDS);
		node->oid_count = STEP;
	}
	if (++world->ids_in_ms == IDS_PER_MS)
	{
		world->ids_in_ms = 0;
		world->ms++;
	}
	node->oid_count--;
	node->next_oid = (node->next_oid + 1) % N_IDS;
	return (node->next_oid + N_IDS - 1) % N_IDS;
}

/* Ids for what leaves no trace. */
static void
burn(World *world, uint64_t n)
{
	while (n-- > 0)
		(void) next_id(world);
}

/* Take an id, or look for one that was taken, and make the array. */
static void
write_array(World *world)
{
	Writer *writer = &world->writers[rng_below(&world->rng, N_WRITERS)];
	Node *node = world->writer;
	Chunk *chunk;

	if (!writer->is_busy)
	{
		writer->is_busy = true;
		writer->snapshot = node->change;
		writer->id = next_id(world);
		writer->is_slow = rng_chance(&world->rng, 20);
	}
	if (writer->is_slow && !rng_chance(&world->rng, 20))
		return;
	chunk = &node->chunks[writer->id];
	if (chunk->serial != 0)
	{
		writer->id = next_id(world);
		return;
	}
	world->n_reused += chunk->deleted != 0;
	chunk->serial = ++world->n_serials;
	chunk->deleted = 0;
	node->change++;
	log_record(world, RECORD_CREATE, writer->id);
	writer->is_busy = false;
}

static void
delete_array(World *world)
{
	uint32_t id = world_random_id(world);
	Chunk *chunk = &world->writer->chunks[id];

	if (chunk->serial == 0 || chunk->deleted != 0)
		return;
	chunk->deleted = ++world->writer->change;
	log_record(world, RECORD_DELETE, id);
}

/* Up to which change does everybody there see all of them? */
static uint64_t
horizon(const World *world)
{
	uint64_t oldest = world->writer->change;
	int i;

	for (i = 0; i < N_WRITERS; i++)
	{
		if (world->writers[i].is_busy && world->writers[i].snapshot < oldest)
			oldest = world->writers[i].snapshot;
	}
	for (i = 0; i < N_CLIENTS && !world_is_standby(world); i++)
	{
		if (world->snapshots[i] != 0 && world->snapshots[i] < oldest)
			oldest = world->snapshots[i];
	}
	return oldest;
}

/* Remove what nobody sees, from some ids on. */
static void
vacuum(World *world)
{
	uint64_t oldest = horizon(world);
	uint32_t id = world_random_id(world);
	uint32_t end = id + 32;

	for (; id < end && id < N_IDS; id++)
	{
		Chunk *chunk = &world->writer->chunks[id];

		if (chunk->serial == 0 || chunk->deleted == 0 ||
			chunk->deleted > oldest)
			continue;
		chunk->serial = 0;
		log_record(world, RECORD_REMOVE, id);
	}
}

/* The primary stops and starts: its counter is exact then. */
static void
shut_down(World *world)
{
	memset(world->writers, 0, sizeof(world->writers));
	world->writer->oid_count = 0;
	log_record(world, RECORD_SHUTDOWN, world->writer->next_oid);
}

/* Does somebody here still see what is to be removed?  Not for ever. */
static bool
must_wait(World *world, uint64_t deleted)
{
	bool is_patient = world->n_logged - world->n_replayed < WAL_RECORDS - 64 &&
					  !rng_chance(&world->rng, PATIENCE);
	int i;

	for (i = 0; i < N_CLIENTS; i++)
	{
		if (world->snapshots[i] == 0 || world->snapshots[i] >= deleted)
			continue;
		if (is_patient)
			return true;
		world->snapshots[i] = 0;
	}
	return false;
}

/* Replay one record.  False if it has to wait, or there is none. */
static bool
replay(World *world)
{
	const Record *record = &world->wal[world->n_replayed % WAL_RECORDS];
	Node *node = world->here;
	Chunk *chunk = &node->chunks[record->id];

	if (world->n_replayed == world->n_logged)
		return false;
	switch (record->kind)
	{
		case RECORD_NEXT_OID:
		case RECORD_SHUTDOWN:
			node->next_oid = record->id;
			break;
		case RECORD_CREATE:
			chunk->serial = record->serial;
			chunk->deleted = 0;
			break;
		case RECORD_DELETE:
			chunk->deleted = record->change;
			break;
		case RECORD_REMOVE:
			if (must_wait(world, chunk->deleted))
				return false;
			chunk->serial = 0;
			break;
	}
	if (record->kind == RECORD_CREATE || record->kind == RECORD_DELETE)
		node->replayed_ms = record->ms;
	node->change = record->change;
	world->n_replayed++;
	return true;
}

/* Some of it; much at once behind a pause. */
static void
catch_up(World *world)
{
	uint64_t n =
		rng_below(&world->rng, rng_chance(&world->rng, 50) ? WAL_RECORDS : 8);

	if (rng_chance(&world->rng, 1000))
		world->is_paused = true;
	if (rng_chance(&world->rng, 3000))
		world->is_paused = false;
	while (!world->is_paused && n-- > 0 && replay(world))
		;
	while (world->n_logged - world->n_replayed > WAL_RECORDS - 256)
		(void) replay(world);
}

void
world_step(World *world)
{
	int what = rng_between(&world->rng, 0, 99);

	if (what < 40)
		write_array(world);
	else if (what < 60)
		delete_array(world);
	else if (what < 80)
		vacuum(world);
	else if (what < 90)
		world->ms += rng_between(&world->rng, 0, 2);
	else if (what < 92)
		burn(world, rng_below(&world->rng, 10));
	else if (what < 93 && world_is_standby(world) &&
			 rng_chance(&world->rng, 10))
		shut_down(world);
	if (world_is_standby(world))
		catch_up(world);
}

/* For long: nobody asks anything, but the counter may go on. */
void
world_idle(World *world)
{
	int n;

	if (rng_chance(&world->rng, 2))
		burn(world, rng_below(&world->rng, 3 * N_IDS));
	for (n = rng_between(&world->rng, 0, 3000); n > 0; n--)
		world_step(world);
	world->ms += rng_between(&world->rng, 0, 2 * GAP_MS);
}

/* The primary is lost, with what was not replayed. */
void
world_promote(World *world)
{
	world->n_logged = world->n_replayed;
	world->writer = world->here;
	world->writer->oid_count = 0;
	memset(world->writers, 0, sizeof(world->writers));
}

void
world_begin(World *world, uint64_t seed, bool has_standby)
{
	memset(world, 0, sizeof(*world));
	world->rng.state = seed;
	world->writer = &world->nodes[0];
	world->here = &world->nodes[has_standby ? 1 : 0];
	world->nodes[0].next_oid = (uint32_t) rng_below(&world->rng, N_IDS);
	world->nodes[1].next_oid = world->nodes[0].next_oid;
	world->nodes[0].change = world->nodes[1].change = 1;
	while (world->n_serials < N_IDS / 4)
	{
		write_array(world);
		while (has_standby && replay(world))
			;
	}
}
