/*
 * cache.c
 *		Stored values whose elements stay in a device's memory.
 *
 * Found by their TOAST pointers, which name something that never changes; the
 * guard (oid_guard.h) says when a pointer may name something else by now.
 *
 * A value that is not there becomes an entry at once, with room, which the
 * session that asked for it has to fill: so that no other loads it as well.
 * If that session ends, so does the entry.
 */
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "device/clock.h"
#include "daemon/stats.h"
#include "wire/oid_guard.h"
#include "daemon/session.h"

/* What an array of one dimension has before its elements, with its length. */
#define HEAD_BYTES 24

/* No value is larger. */
#define MAX_BYTES (UINT32_C(1) << 30)

#define FIRST_BUCKETS 1024

/* Who loads is not waited for if nothing of it came for so long. */
#define IDLE_NS (1000 * GA_NS_PER_MS)

GaIdentity
ga_cache_identity(const GaSession *session, const GaStoredKey *key)
{
	GaIdentity identity;

	identity.key = *key;
	identity.database = session->database;
	identity.database_xmin = session->database_xmin;
	return identity;
}

static bool
is_same(const GaIdentity *a, const GaIdentity *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static uint32_t
bucket_of(const GaCache *cache, const GaIdentity *identity)
{
	uint64_t h = identity->key.value_id * UINT64_C(0x9e3779b97f4a7c15);

	h ^= (identity->key.relation ^ (uint64_t) identity->database << 32) *
		 UINT64_C(0xc2b2ae3d27d4eb4f);
	return (uint32_t) (h >> 32) & (cache->n_buckets - 1);
}

GaEntry *
ga_cache_find(const GaCache *cache, const GaIdentity *identity)
{
	GaEntry *entry = cache->table[bucket_of(cache, identity)];

	while (entry != NULL && !is_same(&entry->identity, identity))
		entry = entry->next;
	return entry;
}

/* Twice as many buckets; stays as it is if there is no memory. */
static void
grow_table(GaCache *cache)
{
	const uint32_t n_old = cache->n_buckets;
	GaEntry **old = cache->table;
	GaEntry **table = calloc((size_t) n_old * 2, sizeof(*table));
	uint32_t i;

	if (table == NULL)
		return;
	cache->table = table;
	cache->n_buckets = n_old * 2;
	for (i = 0; i < n_old; i++)
	{
		GaEntry *entry = old[i];

		while (entry != NULL)
		{
			GaEntry *next = entry->next;
			GaEntry **to = &table[bucket_of(cache, &entry->identity)];

			entry->next = *to;
			*to = entry;
			entry = next;
		}
	}
	free(old);
}

/* The record of a value's relation, which is made if need be; or NULL. */
static GaRelation *
find_relation(GaCache *cache, const GaIdentity *identity)
{
	GaRelation *relation;

	LIST_FOREACH(relation, &cache->relations, next)
	{
		if (relation->relation == identity->key.relation &&
			relation->database == identity->database &&
			relation->database_xmin == identity->database_xmin)
			return relation;
	}
	relation = calloc(1, sizeof(*relation));
	if (relation == NULL)
		return NULL;
	relation->relation = identity->key.relation;
	relation->database = identity->database;
	relation->database_xmin = identity->database_xmin;
	TAILQ_INIT(&relation->entries);
	LIST_INSERT_HEAD(&cache->relations, relation, next);
	return relation;
}

/* A block without entries and users is no block. */
static void
settle_block(GaCache *cache, GaExtent *block)
{
	if (block->n_users == 0 && TAILQ_EMPTY(&block->entries))
		ga_extents_free(&cache->blocks, block);
}

/* It is in use, and keeps its memory. */
void
ga_cache_use(GaEntry *entry)
{
	entry->n_users++;
	entry->block->n_users++;
}

/* One user less. */
void
ga_cache_release(GaCache *cache, GaEntry *entry)
{
	GaExtent *block = entry->block;

	entry->n_users--;
	block->n_users--;
	if (entry->is_forgotten && entry->n_users == 0)
		free(entry);
	settle_block(cache, block);
}

/* Nobody loads it any more. */
static void
end_load(GaEntry *entry)
{
	TAILQ_REMOVE(&entry->loader->loads, entry, in_session);
	entry->loader = NULL;
	ga_sessions_retry();
}

/* Nobody is to find it any more. */
void
ga_cache_remove(GaCache *cache, GaEntry *entry)
{
	GaEntry **link = &cache->table[bucket_of(cache, &entry->identity)];
	GaRelation *relation = entry->relation;
	GaExtent *block = entry->block;
	const bool was_loading = entry->loader != NULL;

	while (*link != entry)
		link = &(*link)->next;
	*link = entry->next;
	entry->is_forgotten = true;
	cache->n_values--;
	cache->n_bytes -= entry->n_room;
	TAILQ_REMOVE(&block->entries, entry, in_block);
	TAILQ_REMOVE(&relation->entries, entry, in_relation);
	relation->n_bytes -= entry->n_room;
	if (--relation->n_values == 0)
	{
		LIST_REMOVE(relation, next);
		free(relation);
	}
	if (was_loading)
	{
		end_load(entry);
		ga_cache_release(cache, entry);
	}
	else if (entry->n_users == 0)
	{
		free(entry);
		settle_block(cache, block);
	}
}

/* All that a block has, and with it the block, which has no users. */
static void
evict(GaExtents *blocks, GaExtent *block)
{
	GaCache *cache = (GaCache *) blocks;
	GaEntry *entry = TAILQ_FIRST(&block->entries);

	while (entry != NULL)
	{
		GaEntry *next = TAILQ_NEXT(entry, in_block);

		ga_stats.n_evictions++;
		ga_cache_remove(cache, entry);
		entry = next;
	}
}

/* An entry with room that the session is to fill; NULL if there is none. */
static GaEntry *
begin_load(GaCache *cache, const GaAsk *ask, const GaIdentity *identity)
{
	const uint32_t raw_bytes = identity->key.raw_bytes;
	uint32_t n_hints;
	GaEntry *entry;

	if (raw_bytes <= HEAD_BYTES || raw_bytes > MAX_BYTES)
		return NULL;
	n_hints = ga_cache_count_hints(ask->type, raw_bytes - HEAD_BYTES);
	entry = calloc(1, sizeof(*entry) + n_hints * sizeof(*entry->notes));
	if (entry == NULL)
		return NULL;
	entry->n_hints = n_hints;
	entry->identity = *identity;
	entry->type = ask->type;
	entry->mark = ask->mark;
	entry->n_room = raw_bytes - HEAD_BYTES;
	entry->block = ga_extents_allocate(&cache->blocks, entry->n_room, ask->scan,
									   &entry->at);
	entry->relation =
		entry->block == NULL ? NULL : find_relation(cache, identity);
	if (entry->relation == NULL)
	{
		if (entry->block != NULL)
		{
			entry->block->n_users--;
			settle_block(cache, entry->block);
		}
		free(entry);
		return NULL;
	}
	entry->n_users = 1;
	entry->loader = ask->session;
	entry->loader->load_ns = ga_now_ns();
	return entry;
}

/* Have it found from now on. */
static void
remember(GaCache *cache, GaEntry *entry)
{
	GaEntry **to;

	if (cache->n_values >= cache->n_buckets)
		grow_table(cache);
	to = &cache->table[bucket_of(cache, &entry->identity)];
	entry->next = *to;
	*to = entry;
	cache->n_values++;
	cache->n_bytes += entry->n_room;
	entry->relation->n_values++;
	entry->relation->n_bytes += entry->n_room;
	TAILQ_INSERT_TAIL(&entry->relation->entries, entry, in_relation);
	TAILQ_INSERT_TAIL(&entry->block->entries, entry, in_block);
	TAILQ_INSERT_TAIL(&entry->loader->loads, entry, in_session);
}

/* Is what lies here still what the pointer names? */
static GaStoredState
check_guard(GaCache *cache, const GaAsk *ask, const GaStoredRef *ref,
			GaEntry *entry)
{
	if (ga_oid_guard(&ga_oid_space, ask->now, entry->mark,
					 entry->identity.key.value_id) == GA_GUARD_SERVE)
		return GA_STORED_RESIDENT;
	if (ref->xmin == 0)
		return GA_STORED_DOUBT;
	if (ref->xmin == entry->xmin)
	{
		if (ref->is_settled)
			entry->mark = ask->mark;
		return GA_STORED_RESIDENT;
	}
	ga_cache_remove(cache, entry);
	return GA_STORED_LOAD;
}

/*
 * It is being loaded: is that worth waiting for?  Not if its loader does
 * something else; nor if that is who asks and would wait, whose requests are
 * done in their order: what is not complete by now will not be.
 */
static bool
is_worth_waiting(const GaAsk *ask, const GaEntry *entry)
{
	return ga_now_ns() - entry->loader->load_ns <= IDLE_NS &&
		   (!ask->waits || entry->loader != ask->session);
}

/* Is a value to be waited for? */
bool
ga_cache_awaits(const GaCache *cache, const GaAsk *ask, const GaStoredKey *key)
{
	const GaIdentity identity = ga_cache_identity(ask->session, key);
	const GaEntry *entry = ga_cache_find(cache, &identity);

	return entry != NULL && entry->type == ask->type && entry->loader != NULL &&
		   is_worth_waiting(ask, entry);
}

/*
 * What there is of a value.  If it is resident, *entry is it, with one user
 * more.
 */
GaStoredState
ga_cache_ask(GaCache *cache, const GaAsk *ask, const GaStoredRef *ref,
			 GaEntry **entry)
{
	const GaIdentity identity = ga_cache_identity(ask->session, &ref->key);
	GaEntry *found = ga_cache_find(cache, &identity);
	GaStoredState state = GA_STORED_LOAD;

	if (found != NULL && found->type != ask->type)
		return GA_STORED_STREAM;
	if (found != NULL && found->loader != NULL)
		return is_worth_waiting(ask, found) ? GA_STORED_BUSY : GA_STORED_STREAM;
	if (found != NULL)
		state = check_guard(cache, ask, ref, found);
	if (state == GA_STORED_RESIDENT)
	{
		ga_cache_use(found);
		ga_extents_use(&cache->blocks, found->block, ask->scan);
		ga_stats.n_hits += ask->counts;
		found->relation->n_hits += ask->counts;
		found->relation->used_us = ask->now_us;
		*entry = found;
	}
	if (state != GA_STORED_LOAD)
		return state;

	found = ask->loads ? begin_load(cache, ask, &identity) : NULL;
	if (found == NULL)
	{
		ga_stats.n_streamed += ask->counts;
		return GA_STORED_STREAM;
	}
	ga_stats.n_misses++;
	found->relation->used_us = ask->now_us;
	remember(cache, found);
	return GA_STORED_LOAD;
}

/* All its elements are there. */
void
ga_cache_loaded(GaCache *cache, GaEntry *entry)
{
	end_load(entry);
	ga_cache_release(cache, entry);
}

/* A session will not load what it was told to. */
void
ga_cache_cancel_loads(GaCache *cache, GaSession *session)
{
	GaEntry *entry;

	while ((entry = TAILQ_FIRST(&session->loads)) != NULL)
		ga_cache_remove(cache, entry);
}

/* Begin with nothing; there may be so many bytes.  False: no memory. */
bool
ga_cache_open(GaCache *cache, const GaOpenDevice *device, uint64_t n_bytes)
{
	cache->n_buckets = FIRST_BUCKETS;
	cache->table = calloc(FIRST_BUCKETS, sizeof(*cache->table));
	LIST_INIT(&cache->relations);
	return cache->table != NULL &&
		   ga_extents_open(&cache->blocks, device, n_bytes, evict);
}
