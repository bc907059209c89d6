/*
 * test_stored_random.c
 *		Random arrays, by several sessions, in any order, in little memory:
 *		sums and other results are always right, whatever ids are reused.
 */
#include <string.h>

#include "tap.h"
#include "stored_reduce.h"

#define N_CLIENTS 4
#define N_IDS	  150

static Daemon gpuaggd;
static Client clients[N_CLIENTS];

typedef struct Actor
{
	Client *client;
	uint32_t n; /* arrays that it has asked for; 0 is none */
	StoredArray arrays[20];
	GaStoredLookup lookup;
	GaReduction reduction;
} Actor;

static ArraySet contents;	 /* pairs of arrays of the same size */
static uint32_t what[N_IDS]; /* which array an id is */
static uint32_t xmins[N_IDS];
static GaOidSample sample = {.taken_ms = 1000, .next_oid = STORED_NEXT_OID};

static void
make_contents(Rng *rng, GaElementType type)
{
	const size_t size = ga_element_size(type);
	uint32_t i;
	int j;

	array_set_init(&contents, type);
	for (i = 0; i < N_IDS; i++)
	{
		size_t n = rng_below(rng, (i % 3 ? 20000 : 900000) / size);

		for (j = 0; j < 2; j++)
		{
			if (n < 1000)
				array_set_add_random(&contents, rng, n, 0, 0);
			else
				elements_fill_fast(type, rng, n,
								   array_set_add(&contents, "plain", n, 0, 0));
		}
		what[i] = 2 * i;
		xmins[i] = 1000;
	}
}

/* Has an actor a pointer with this id?  Then its array is not gone. */
static bool
is_held(const Actor *actors, uint32_t id)
{
	uint32_t i;
	uint32_t j;

	for (i = 0; i < N_CLIENTS; i++)
	{
		for (j = 0; j < actors[i].n; j++)
		{
			if (actors[i].arrays[j].key.value_id == STORED_FIRST + id)
				return true;
		}
	}
	return false;
}

/*
 * The counter comes round, in some minutes, and ids are other arrays' from now
 * on.
 */
static void
reuse_ids(Rng *rng, const Actor *actors, Client *who)
{
	GaRequest request = {
		.opcode = GA_REDUCE_STORED,
		.slot = CLIENT_LOOKUP,
		.u.stored = {.type = contents.type, .lookup = stored_lookup(1)}};
	uint32_t i;

	for (i = 0; i < 4; i++)
	{
		sample.next_oid += UINT32_C(1) << 30;
		sample.taken_ms += GA_OID_GAP_MS * 2 / 3;
		request.u.stored.lookup.sample = sample;
		tap_check(client_call(who, &request).status == GA_OK, "no answer");
	}
	for (i = 0; i < 10; i++)
	{
		uint32_t id = (uint32_t) rng_below(rng, N_IDS);

		if (is_held(actors, id))
			continue;
		what[id] ^= 1;
		xmins[id]++;
	}
}

/* Ask for some, one in some by its xmin. */
static void
actor_ask(Actor *actor, Rng *rng)
{
	static const GaStoredLoads loads[10] = {
		GA_LOADS_NOTHING, GA_LOADS_LATER, GA_LOADS_LATER, GA_LOADS_LATER,
		GA_LOADS_NOW,	  GA_LOADS_NOW,	  GA_LOADS_NOW,	  GA_LOADS_NOW,
		GA_LOADS_NOW,	  GA_LOADS_NOW};
	GaRequest request;
	uint32_t i;

	actor->n = 1 + (uint32_t) rng_below(rng, 20);
	for (i = 0; i < actor->n; i++)
	{
		uint32_t id = (uint32_t) rng_below(rng, N_IDS);

		actor->arrays[i] = stored_make(&contents, what[id], STORED_FIRST + id);
		actor->arrays[i].xmin = xmins[id];
		actor->arrays[i].lookup_xmin = rng_chance(rng, 4) ? xmins[id] : 0;
		actor->arrays[i].is_settled = !rng_chance(rng, 10);
	}
	actor->lookup = stored_lookup(rng_below(rng, 100));
	actor->lookup.sample = sample;
	actor->lookup.loads = loads[rng_below(rng, 10)];
	actor->reduction = (GaReduction) rng_below(rng, GA_N_REDUCTIONS);
	request =
		stored_name(actor->client, actor->arrays, actor->n, &actor->lookup);
	request.u.stored.reduction = actor->reduction;
	client_send(actor->client, &request);
}

/* Take the answer; load, ask once more with what was looked up, or go. */
static uint32_t
actor_go_on(Actor *actor, Rng *rng)
{
	GaReply reply;
	uint32_t n_resident = 0;
	uint32_t i;

	tap_check(client_receive(actor->client, &reply), "no answer");
	n_resident = stored_check_reduction(actor->client, &reply, actor->reduction,
										actor->arrays, actor->n)
					 .n_resident;
	if (rng_chance(rng, 20))
	{
		client_close(actor->client);
		stored_open(actor->client, &gpuaggd, STORED_DATABASE);
	}
	else
	{
		stored_load(actor->client, actor->arrays, actor->n);
		for (i = 0; i < actor->n; i++)
			actor->arrays[i].lookup_xmin = actor->arrays[i].xmin;
		if (actor->lookup.loads == GA_LOADS_LATER)
			actor->lookup.loads = GA_LOADS_NOW;
		n_resident += stored_reduce(actor->client, actor->reduction,
									actor->arrays, actor->n, &actor->lookup)
						  .n_resident;
		stored_load(actor->client, actor->arrays, actor->n);
	}
	actor->n = 0;
	return n_resident;
}

static void
test_random(Rng *rng, GaElementType type)
{
	const long n_turns = tap_cases(300);
	Actor actors[N_CLIENTS] = {{.client = &clients[0]}};
	uint64_t n_resident = 0;
	GaStatRow stat;
	long i;

	tap_begin("%s: any arrays in little memory", ga_element_name(type));
	make_contents(rng, type);
	(void) stored_stat(&clients[0], true);
	for (i = 0; i < N_CLIENTS; i++)
		actors[i].client = &clients[i];
	for (i = 0; i < n_turns; i++)
	{
		Actor *actor = &actors[rng_below(rng, N_CLIENTS)];

		if (actor->n == 0)
			actor_ask(actor, rng);
		else
			n_resident += actor_go_on(actor, rng);
		if (i % 20 == 19)
		{
			if (actor->n > 0)
				n_resident += actor_go_on(actor, rng);
			reuse_ids(rng, actors, actor->client);
		}
		if (i % 100 == 99 && actor->n == 0)
			(void) stored_clear(actor->client, STORED_RELATION);
	}
	for (i = 0; i < N_CLIENTS; i++)
	{
		if (actors[i].n > 0)
			n_resident += actor_go_on(&actors[i], rng);
	}
	stat = stored_stat(&clients[0], false);
	tap_check(stat.n_hits == n_resident, "%llu hits, %llu sums",
			  (unsigned long long) stat.n_hits,
			  (unsigned long long) n_resident);
	tap_check(n_turns < 300 || (stat.n_evictions > 50 && n_resident > 1000),
			  "%llu evictions, %llu sums",
			  (unsigned long long) stat.n_evictions,
			  (unsigned long long) n_resident);
	tap_check(stat.n_cache_bytes <= stat.cache_bytes, "more than there is");
	array_set_free(&contents);
	stored_check_empty(&clients[0]);
	tap_end();
}

int
main(void)
{
	Rng rng = {83};
	int type;
	int i;

	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=16", NULL);
	for (i = 0; i < N_CLIENTS; i++)
		stored_open(&clients[i], &gpuaggd, STORED_DATABASE);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		test_random(&rng, (GaElementType) type);
	for (i = 0; i < N_CLIENTS; i++)
		client_close(&clients[i]);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	return tap_done();
}
