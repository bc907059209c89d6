/*
 * oid_model.c
 *		gpuaggd and its clients in small: for test_oid_guard.c.
 */
#include "oid_model.h"
#include "tap.h"

/* Take a sample, as a process of the server does. */
GaOidSample
model_sample(const Model *m)
{
	GaOidSample sample;

	sample.is_standby = world_is_standby(&m->world);
	sample.next_oid = m->world.here->next_oid;
	sample.taken_ms = sample.is_standby && m->without != WITHOUT_REPLAYED_TIME ?
						  m->world.here->replayed_ms :
						  m->world.ms;
	return sample;
}

/* Have gpuaggd take a sample in; return its mark. */
uint64_t
model_take_in(Model *m, GaOidSample sample)
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

		client->id = tries < 2 && client->kept.serial != 0 ?
						 client->kept.id :
						 world_random_id(&m->world);
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

/* Is what is resident under an id out of doubt? */
static bool
is_certain(const Model *m, const Client *client, uint32_t id)
{
	return m->without == WITHOUT_GUARD ||
		   ga_oid_guard(&m->space, m->clock.now, client->mark,
						m->entries[id].mark, id);
}

/* Serve an array. */
static void
serve(Model *m, Client *client, uint32_t serial)
{
	m->n_served++;
	m->n_stale += serial != client->serial;
	client_end(m, client);
}

/* Have the client keep another array, too. */
static void
keep_another(Model *m, Client *client)
{
	const uint32_t id = world_random_id(&m->world);

	if (m->entries[id].serial == 0 || !is_certain(m, client, id))
		return;
	client->kept.id = id;
	client->kept.serial = m->entries[id].serial;
	client->kept.sample = client->sample;
}

/* If what is resident under its id is out of doubt, it is served. */
static bool
is_served(Model *m, Client *client)
{
	if (!is_certain(m, client, client->id))
		return false;
	serve(m, client, m->entries[client->id].serial);
	keep_another(m, client);
	return true;
}

/* It has a sample: what it kept may be what it wants. */
static bool
is_kept(Model *m, Client *client)
{
	const Kept *kept = &client->kept;

	if (kept->serial == 0 || kept->id != client->id ||
		(m->without != WITHOUT_SECOND_SAMPLE &&
		 ga_oid_may_be_new(&m->space, &kept->sample, &client->sample,
						   kept->id)))
		return false;
	m->n_kept++;
	serve(m, client, kept->serial);
	return true;
}

/* Its request comes: it is served, or looks at the chunk, or loads. */
static void
client_ask(Model *m, Client *client)
{
	const Entry *entry = &m->entries[client->id];

	client->mark = model_take_in(m, client->sample);
	client->state = CLIENT_LOADS;
	if (entry->serial == 0 || is_served(m, client))
		return;
	m->n_doubts += entry->serial == client->serial;
	client->state = CLIENT_DOUBTS;
}

/* Look at the chunk: is it the same, and will it be there for a while? */
static void
client_look(Model *m, Client *client)
{
	const Chunk *chunk = &m->world.here->chunks[client->id];

	tap_check(chunk->serial == client->serial,
			  "the model lost an array that somebody sees");
	client->is_settled = chunk->deleted == 0 || m->without == WITHOUT_XMAX;
}

/* One half of a check: the sample first, and then the look. */
static void
client_check(Model *m, Client *client)
{
	const bool is_first = client->state == CLIENT_DOUBTS;

	if (is_first == (m->without != WITHOUT_ORDER))
		client->sample = model_sample(m);
	else
		client_look(m, client);
	client->state = is_first ? CLIENT_CHECKS : CLIENT_ASKS;

	/* it may be cancelled with its request under way */
	if (!is_first && rng_chance(&m->world.rng, 4))
		m->world.snapshots[client - m->clients] = 0;
}

/* Its request comes with what it saw, which tells arrays apart. */
static void
client_ask_again(Model *m, Client *client)
{
	Entry *entry = &m->entries[client->id];

	client->mark = model_take_in(m, client->sample);
	client->state = CLIENT_LOADS;
	if (entry->serial == 0 || is_served(m, client))
		return;
	if (entry->serial != client->serial)
	{
		entry->serial = 0;
		return;
	}
	if (client->is_settled && client->mark != GA_OID_NO_MARK)
		entry->mark = client->mark;
	client_end(m, client);
}

static void
client_load(Model *m, Client *client)
{
	client_look(m, client);
	if (!client->is_settled)
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

/* Have a client take its next step. */
void
model_step_client(Model *m, Client *client)
{
	/* a cancelled query is known only by what it sent */
	if (m->world.snapshots[client - m->clients] == 0 &&
		client->state != CLIENT_SENDS && client->state != CLIENT_ASKS)
		client->state = CLIENT_IDLE;
	switch (client->state)
	{
		case CLIENT_IDLE:
			client_begin(m, client);
			break;
		case CLIENT_HAS_POINTER:
			client->sample = model_sample(m);
			if (!is_kept(m, client))
				client->state = CLIENT_HAS_SAMPLE;
			break;
		case CLIENT_HAS_SAMPLE:
			client_ask(m, client);
			break;
		case CLIENT_DOUBTS:
		case CLIENT_CHECKS:
			client_check(m, client);
			break;
		case CLIENT_ASKS:
			client_ask_again(m, client);
			break;
		case CLIENT_LOADS:
			client_load(m, client);
			break;
		case CLIENT_SENDS:
			client_arrive(m, client);
			break;
	}
}

void
model_look_up(Model *m, Client *client)
{
	while (client->state != CLIENT_IDLE)
		model_step_client(m, client);
}

void
model_give_pointer(Model *m, Client *client, uint32_t id)
{
	client->id = id;
	client->serial = m->world.here->chunks[id].serial;
	m->world.snapshots[client - m->clients] = m->world.here->change;
	client->state = CLIENT_HAS_POINTER;
}
