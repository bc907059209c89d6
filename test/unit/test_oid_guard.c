/*
 * test_oid_guard.c
 *		No array is served for another one that has its id; and each rule of
 *		oid_guard.h is needed for that.
 *
 * A model: a server with few ids (oid_world.h), clients that look arrays up in
 * a cache, and are slow, or cancelled with a message under way.  An array that
 * was served is compared with the one that the pointer meant.
 */
#include <string.h>

#include "oid_world.h"
#include "tap.h"

#define LIFE_STEPS 100000 /* of one server */
#define N_LIVES	   60

/* The rule that is left out. */
typedef enum Without
{
	WITHOUT_NOTHING,
	WITHOUT_GUARD,		   /* all is served */
	WITHOUT_STEP,		   /* of a standby: its bound is the counter */
	WITHOUT_GAP,		   /* after it, and for samples that are late */
	WITHOUT_REPLAYED_TIME, /* a standby's samples have the local time */
	WITHOUT_OWN_MARK,	   /* the clock's now, when an array comes */
	WITHOUT_XMAX		   /* deleted arrays get marks as well */
} Without;

typedef enum ClientState
{
	CLIENT_IDLE,
	CLIENT_HAS_POINTER,
	CLIENT_HAS_SAMPLE,
	CLIENT_READS, /* it has to look at the chunk */
	CLIENT_SENDS  /* what it saw is under way */
} ClientState;

typedef struct Client
{
	ClientState state;
	uint32_t id; /* its pointer, and what that means */
	uint32_t serial;
	GaOidSample sample;
	uint64_t mark;
	bool is_slow; /* this time */
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
	long n_stale;
	long n_doubts; /* of what was right */
	long n_reused;
} Model;

static Model model;

static GaOidSample
take_sample(const Model *m)
{
	GaOidSample sample;

	sample.is_standby = world_is_standby(&m->world);
	sample.next_oid = m->world.here->next_oid;
	sample.taken_ms = sample.is_standby && m->without != WITHOUT_REPLAYED_TIME ?
						  m->world.here->replayed_ms :
						  m->world.ms;
	return sample;
}

static uint64_t
take_in(Model *m, GaOidSample sample)
{
	uint64_t mark;

	mark = ga_oid_sample(&m->space, &m->clock, &sample);
	if (m->without == WITHOUT_STEP && sample.is_standby &&
		mark != GA_OID_NO_MARK)
		mark += STEP;
	return mark;
}

/* Find an array, as a query does. */
static void
client_begin(Model *m, Client *client)
{
	const Node *here = m->world.here;
	int tries;

	for (tries = 0; tries < 8; tries++)
	{
		const Chunk *chunk;

		client->id = world_random_id(&m->world);
		chunk = &here->chunks[client->id];
		if (chunk->serial == 0 || chunk->deleted != 0)
			continue;
		client->serial = chunk->serial;
		m->world.snapshots[client - m->clients] = here->change;
		client->state = CLIENT_HAS_POINTER;
		client->is_slow = rng_chance(&m->world.rng, 300);
		return;
	}
}

static void
client_end(Model *m, Client *client)
{
	m->world.snapshots[client - m->clients] = 0;
	client->state = CLIENT_IDLE;
}

/* Its request comes: it is served, or has to look at the chunk. */
static void
client_ask(Model *m, Client *client)
{
	const Entry *entry = &m->entries[client->id];

	client->mark = take_in(m, client->sample);
	client->state = CLIENT_READS;
	if (entry->serial == 0)
		return;
	if (m->without != WITHOUT_GUARD &&
		!ga_oid_guard(&m->space, m->clock.now, entry->mark, client->id))
	{
		m->n_doubts += entry->serial == client->serial;
		return;
	}
	m->n_served++;
	m->n_stale += entry->serial != client->serial;
	client_end(m, client);
}

static void
client_read(Model *m, Client *client)
{
	const Chunk *chunk = &m->world.here->chunks[client->id];

	tap_check(chunk->serial == client->serial,
			  "the model lost an array that somebody sees");
	if (chunk->deleted != 0 && m->without != WITHOUT_XMAX)
		client->mark = GA_OID_NO_MARK;
	client->state = CLIENT_SENDS;
	m->world.snapshots[client - m->clients] = 0;
}

/* What a client saw comes, perhaps long after the client went. */
static void
client_arrive(Model *m, Client *client)
{
	Entry *entry = &m->entries[client->id];
	uint64_t mark = client->mark;

	if (m->without == WITHOUT_OWN_MARK && mark != GA_OID_NO_MARK)
		mark = m->clock.now - (m->clock.is_standby ? STEP : 0);
	if (entry->serial != client->serial)
	{
		entry->serial = client->serial;
		entry->mark = mark;
	}
	else if (mark > entry->mark)
		entry->mark = mark;
	client_end(m, client);
}

static void
client_step(Model *m, Client *client)
{
	/* a cancelled query is known only by what it sent */
	if (m->world.snapshots[client - m->clients] == 0 &&
		client->state != CLIENT_SENDS)
		client->state = CLIENT_IDLE;
	switch (client->state)
	{
		case CLIENT_IDLE:
			client_begin(m, client);
			break;
		case CLIENT_HAS_POINTER:
			client->sample = take_sample(m);
			client->state = CLIENT_HAS_SAMPLE;
			break;
		case CLIENT_HAS_SAMPLE:
			client_ask(m, client);
			break;
		case CLIENT_READS:
			client_read(m, client);
			break;
		case CLIENT_SENDS:
			client_arrive(m, client);
			break;
	}
}

/* Does this client wait?  Some do, in the state in which this life has it. */
static bool
waits(Model *m, const Client *client)
{
	return client->is_slow && client->state == m->slow_state &&
		   !rng_chance(&m->world.rng, m->slow_turns);
}

/* Something happens. */
static void
model_step(Model *m)
{
	int i = (int) rng_below(&m->world.rng, N_CLIENTS);

	if (rng_chance(&m->world.rng, 2))
		world_step(&m->world);
	if (!waits(m, &m->clients[i]))
		client_step(m, &m->clients[i]);
	if (rng_chance(&m->world.rng, 20))
		(void) take_in(m, take_sample(m));
	if (rng_chance(&m->world.rng, 100))
		m->entries[rng_below(&m->world.rng, N_IDS)].serial = 0;
	if (rng_chance(&m->world.rng, 50000))
		world_idle(&m->world);
}

/* In which state are clients slow in this life?  As the missing rule has it. */
static ClientState
slow_state(Without without, uint64_t seed)
{
	static const ClientState states[3] = {CLIENT_HAS_POINTER, CLIENT_HAS_SAMPLE,
										  CLIENT_SENDS};

	switch (without)
	{
		case WITHOUT_OWN_MARK:
		case WITHOUT_STEP:
			return CLIENT_SENDS;
		default:
			return states[seed % 3];
	}
}

/* The life of a server, and of its gpuaggd; a standby's with a promotion. */
static void
live(Model *m, uint64_t seed, bool is_standby)
{
	int i;

	world_begin(&m->world, seed, is_standby);
	memset(&m->clock, 0, sizeof(m->clock));
	memset(m->entries, 0, sizeof(m->entries));
	memset(m->clients, 0, sizeof(m->clients));
	m->slow_state = slow_state(m->without, seed);
	m->slow_turns = (int) (seed % 5) * 150 + 10;
	for (i = 0; i < LIFE_STEPS; i++)
	{
		if (is_standby && i == LIFE_STEPS / 4 * 3)
			world_promote(&m->world);
		model_step(m);
	}
	m->n_reused += m->world.n_reused;
}

static void
run(Without without, bool is_standby, long n_lives)
{
	long i;

	memset(&model, 0, sizeof(model));
	model.without = without;
	model.space.mask = N_IDS - 1;
	model.space.step = STEP;
	model.space.gap_ms = without == WITHOUT_GAP ? INT64_MAX : GAP_MS;
	for (i = 0; i < n_lives; i++)
		live(&model, (uint64_t) i, is_standby);
	tap_note("%ld served, %ld in needless doubt, %ld ids given again, "
			 "%ld stale",
			 model.n_served, model.n_doubts, model.n_reused, model.n_stale);
}

/* With all rules: nothing is stale, and the guard is of use. */
static void
test_rules(bool is_standby, int percent)
{
	tap_begin("%s: nothing is stale",
			  is_standby ? "a standby, and its promotion" : "a primary");
	run(WITHOUT_NOTHING, is_standby, tap_cases(N_LIVES));
	tap_check(model.n_stale == 0, "%ld stale arrays", model.n_stale);
	tap_check(model.n_reused > 0, "no id was given again");
	tap_check(model.n_served * 100 >
				  (model.n_served + model.n_doubts) * percent,
			  "only %ld of %ld were served without need to look",
			  model.n_served, model.n_served + model.n_doubts);
	tap_end();
}

/* The model finds out if a rule is not kept. */
static void
test_without(Without without, bool is_standby, long n_lives, const char *name)
{
	tap_begin("%s: stale arrays without %s",
			  is_standby ? "a standby" : "a primary", name);
	run(without, is_standby, n_lives);
	tap_check(model.n_stale > 0, "the model did not find out");
	tap_end();
}

/* From its pointer to what came of it. */
static void
look_up(Model *m, Client *client)
{
	while (client->state != CLIENT_IDLE)
		client_step(m, client);
}

/* A client that has a pointer to this id. */
static void
give_pointer(Model *m, Client *client, uint32_t id)
{
	client->id = id;
	client->serial = m->world.here->chunks[id].serial;
	m->world.snapshots[client - m->clients] = m->world.here->change;
	client->state = CLIENT_HAS_POINTER;
}

/*
 * The one that chance does not find often enough.  A session takes an id, and
 * before it looks whether it is in use, the array is read by a client that
 * still sees it, and removed.
 */
static void
check_slow_writer(Without without)
{
	Model *m = &model;
	Node *node = &m->world.nodes[0];
	uint32_t id = 16;

	memset(m, 0, sizeof(*m));
	m->without = without;
	m->space = (GaOidSpace){N_IDS - 1, STEP, GAP_MS};
	world_begin(&m->world, 1, false);
	while (node->chunks[id].serial == 0)
		id++;

	give_pointer(m, &m->clients[0], id);
	node->chunks[id].deleted = ++node->change;
	node->next_oid = id + 1; /* the writer has taken it */
	look_up(m, &m->clients[0]);
	node->chunks[id].serial = 0;					/* by a vacuum */
	node->chunks[id].serial = ++m->world.n_serials; /* the writer goes on */
	node->chunks[id].deleted = 0;
	node->change++;
	give_pointer(m, &m->clients[1], id);
	look_up(m, &m->clients[1]);
}

static void
test_slow_writer(void)
{
	tap_begin("a reader of an array whose id is given again");
	check_slow_writer(WITHOUT_NOTHING);
	tap_check(model.n_stale == 0, "stale, with all rules");
	check_slow_writer(WITHOUT_XMAX);
	tap_check(model.n_stale == 1, "not stale without a look at xmax");
	tap_end();
}

int
main(void)
{
	test_rules(false, 60);
	test_rules(true, 60);
	test_without(WITHOUT_GUARD, false, 2, "a guard");
	test_without(WITHOUT_GUARD, true, 2, "a guard");
	test_without(WITHOUT_STEP, true, 30, "the step");
	test_without(WITHOUT_GAP, false, 10, "the gap");
	test_without(WITHOUT_GAP, true, 10, "the gap");
	test_without(WITHOUT_REPLAYED_TIME, true, 10, "the replayed time");
	test_without(WITHOUT_OWN_MARK, false, 30, "the reader's own mark");
	test_without(WITHOUT_OWN_MARK, true, 30, "the reader's own mark");
	test_slow_writer();
	return tap_done();
}
