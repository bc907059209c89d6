/*
 * cache.c
 *		The stored arrays that are resident on one device.
 *
 * Owns the entries, their hash table and the lists by relation.  The requests
 * of stored arrays call it, and caches.c for all devices.  It calls nothing
 * above it but the function given at open, when a load ended that sessions may
 * wait for.
 *
 * Entries are found by their TOAST pointers, which name data that never
 * changes; the guard (wire/oid_guard.h) decides whether a pointer may name
 * other data by now.
 *
 * An array that is missing becomes an entry at once, with memory, which the
 * requesting session then loads: so no other session loads it as well.  When
 * that session ends first, the entry is removed.
 */
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "device/clock.h"
#include "daemon/stats.h"
#include "wire/oid_guard.h"

/* What precedes the elements of an array of one dimension, with its length. */
#define HEAD_BYTES 24

/* No stored array is larger. */
#define MAX_BYTES (UINT32_C(1) << 30)

#define FIRST_BUCKETS 1024

/* A loading session that sent nothing for so long is not waited for. */
#define IDLE_NS (1000 * GA_NS_PER_MS)

GaIdentity
ga_cache_identity(const GaCacheClient *client, const GaStoredKey *key)
{
	GaIdentity identity;

	identity.key = *key;
	identity.database = client->database;
	identity.database_hash = client->database_hash;
	return identity;
}

static bool
is_same(const GaIdentity *a, const GaIdentity *b)
{
	return memcmp(&a->key, &b->key, sizeof(a->key)) == 0 &&
		   a->database == b->database && a->database_hash == b->database_hash;
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

/* Double the buckets; leave them as they are if there is no memory. */
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

/* Return the record of an array's relation, made if needed; or NULL. */
static GaRelation *
find_relation(GaCache *cache, const GaIdentity *identity)
{
	GaRelation *relation;

	LIST_FOREACH(relation, &cache->relations, next)
	{
		if (relation->relation == identity->key.relation &&
			relation->database == identity->database &&
			relation->database_hash == identity->database_hash)
			return relation;
	}
	relation = calloc(1, sizeof(*relation));
	if (relation == NULL)
		return NULL;
	relation->relation = identity->key.relation;
	relation->database = identity->database;
	relation->database_hash = identity->database_hash;
	TAILQ_INIT(&relation->entries);
	LIST_INSERT_HEAD(&cache->relations, relation, next);
	return relation;
}

/* Free an extent that has neither entries nor users. */
static void
free_unused_extent(GaCache *cache, GaExtent *extent)
{
	if (extent->n_users == 0 && TAILQ_EMPTY(&extent->entries))
		ga_extents_free(&cache->extents, extent);
}

/* Use an entry: it keeps its memory until it is released. */
void
ga_cache_acquire(GaEntry *entry)
{
	entry->n_users++;
	entry->extent->n_users++;
}

/* End a use; free what was removed meanwhile. */
void
ga_cache_release(GaCache *cache, GaEntry *entry)
{
	GaExtent *extent = entry->extent;

	entry->n_users--;
	extent->n_users--;
	if (entry->is_removed && entry->n_users == 0)
		free(entry);
	free_unused_extent(cache, extent);
}

/* The entry's load is over, complete or not. */
static void
end_load(GaCache *cache, GaEntry *entry)
{
	TAILQ_REMOVE(&entry->loader->loads, entry, in_client);
	entry->loader = NULL;
	cache->load_ended();
}

/* Remove an entry from all lists; cancel its load. */
void
ga_cache_remove(GaCache *cache, GaEntry *entry)
{
	GaEntry **link = &cache->table[bucket_of(cache, &entry->identity)];
	GaRelation *relation = entry->relation;
	GaExtent *extent = entry->extent;
	const bool was_loading = entry->loader != NULL;

	while (*link != entry)
		link = &(*link)->next;
	*link = entry->next;
	entry->is_removed = true;
	cache->n_entries--;
	cache->n_bytes -= entry->capacity;
	TAILQ_REMOVE(&extent->entries, entry, in_extent);
	TAILQ_REMOVE(&relation->entries, entry, in_relation);
	relation->n_bytes -= entry->capacity;
	if (--relation->n_entries == 0)
	{
		LIST_REMOVE(relation, next);
		free(relation);
	}
	if (was_loading)
	{
		end_load(cache, entry);
		ga_cache_release(cache, entry);
	}
	else if (entry->n_users == 0)
	{
		free(entry);
		free_unused_extent(cache, extent);
	}
}

/* Remove all entries of an extent without users, which frees it. */
static void
evict(GaExtents *extents, GaExtent *extent)
{
	GaCache *cache = (GaCache *) extents;
	GaEntry *entry = TAILQ_FIRST(&extent->entries);

	while (entry != NULL)
	{
		GaEntry *next = TAILQ_NEXT(entry, in_extent);

		ga_stats.n_evictions++;
		ga_cache_remove(cache, entry);
		entry = next;
	}
}

/*
 * Make an entry for the requesting session to load; NULL if there is no
 * memory for it.
 */
static GaEntry *
begin_load(GaCache *cache, const GaCacheLookup *lookup,
		   const GaIdentity *identity)
{
	const uint32_t raw_bytes = identity->key.raw_bytes;
	uint32_t n_hints;
	GaEntry *entry;

	if (raw_bytes <= HEAD_BYTES || raw_bytes > MAX_BYTES)
		return NULL;
	n_hints = ga_cache_count_hints(lookup->type, raw_bytes - HEAD_BYTES);
	entry = calloc(1, sizeof(*entry) + n_hints * sizeof(*entry->hints));
	if (entry == NULL)
		return NULL;
	entry->n_hints = n_hints;
	entry->identity = *identity;
	entry->type = lookup->type;
	entry->oid_mark = lookup->oid_mark;
	entry->capacity = raw_bytes - HEAD_BYTES;
	entry->extent = ga_extents_allocate(&cache->extents, entry->capacity,
										lookup->statement_id, &entry->at);
	entry->relation =
		entry->extent == NULL ? NULL : find_relation(cache, identity);
	if (entry->relation == NULL)
	{
		if (entry->extent != NULL)
		{
			entry->extent->n_users--;
			free_unused_extent(cache, entry->extent);
		}
		free(entry);
		return NULL;
	}
	entry->n_users = 1;
	entry->loader = lookup->client;
	entry->loader->load_ns = ga_now_ns();
	return entry;
}

/* Let lookups find an entry from now on. */
static void
insert_entry(GaCache *cache, GaEntry *entry)
{
	GaEntry **to;

	if (cache->n_entries >= cache->n_buckets)
		grow_table(cache);
	to = &cache->table[bucket_of(cache, &entry->identity)];
	entry->next = *to;
	*to = entry;
	cache->n_entries++;
	cache->n_bytes += entry->capacity;
	entry->relation->n_entries++;
	entry->relation->n_bytes += entry->capacity;
	TAILQ_INSERT_TAIL(&entry->relation->entries, entry, in_relation);
	TAILQ_INSERT_TAIL(&entry->extent->entries, entry, in_extent);
	TAILQ_INSERT_TAIL(&entry->loader->loads, entry, in_client);
}

/* Is an entry still what the pointer names? */
static GaStoredState
check_guard(GaCache *cache, const GaCacheLookup *lookup, const GaStoredRef *ref,
			GaEntry *entry)
{
	if (ga_oid_guard(&ga_oid_space, lookup->oid_now, entry->oid_mark,
					 entry->identity.key.value_id))
		return GA_STORED_RESIDENT;
	if (ref->xmin == 0)
		return GA_STORED_DOUBT;
	if (ref->xmin == entry->xmin)
	{
		if (ref->is_settled)
			entry->oid_mark = lookup->oid_mark;
		return GA_STORED_RESIDENT;
	}
	ga_cache_remove(cache, entry);
	return GA_STORED_LOAD;
}

/*
 * Is the load of an entry worth waiting for?  Not if the loading session is
 * idle; nor if it is the requesting session itself and would wait: requests
 * are executed in their order, so a load that is incomplete by now stays so.
 */
static bool
is_worth_waiting(const GaCacheLookup *lookup, const GaEntry *entry)
{
	return ga_now_ns() - entry->loader->load_ns <= IDLE_NS &&
		   (!lookup->waits || entry->loader != lookup->client);
}

/* Does a lookup have to wait for another session's load? */
bool
ga_cache_must_wait(const GaCache *cache, const GaCacheLookup *lookup,
				   const GaStoredKey *key)
{
	const GaIdentity identity = ga_cache_identity(lookup->client, key);
	const GaEntry *entry = ga_cache_find(cache, &identity);

	return entry != NULL && entry->type == lookup->type &&
		   entry->loader != NULL && is_worth_waiting(lookup, entry);
}

/*
 * Look an array up, and begin its load if it is missing.  If it is resident,
 * set *entry, which the caller has to release.
 */
GaStoredState
ga_cache_lookup(GaCache *cache, const GaCacheLookup *lookup,
				const GaStoredRef *ref, GaEntry **entry)
{
	const GaIdentity identity = ga_cache_identity(lookup->client, &ref->key);
	GaEntry *found = ga_cache_find(cache, &identity);
	GaStoredState state = GA_STORED_LOAD;

	if (found != NULL && found->type != lookup->type)
		return GA_STORED_STREAM;
	if (found != NULL && found->loader != NULL)
		return is_worth_waiting(lookup, found) ? GA_STORED_BUSY :
												 GA_STORED_STREAM;
	if (found != NULL)
		state = check_guard(cache, lookup, ref, found);
	if (state == GA_STORED_RESIDENT)
	{
		ga_cache_acquire(found);
		ga_extents_use(&cache->extents, found->extent, lookup->statement_id);
		ga_stats.n_hits += lookup->counts;
		found->relation->n_hits += lookup->counts;
		found->relation->used_us = lookup->now_us;
		*entry = found;
	}
	if (state != GA_STORED_LOAD)
		return state;

	found = lookup->loads ? begin_load(cache, lookup, &identity) : NULL;
	if (found == NULL)
	{
		ga_stats.n_streamed += lookup->counts;
		return GA_STORED_STREAM;
	}
	ga_stats.n_misses++;
	found->relation->used_us = lookup->now_us;
	insert_entry(cache, found);
	return GA_STORED_LOAD;
}

/* An entry's elements are complete: it is resident. */
void
ga_cache_loaded(GaCache *cache, GaEntry *entry)
{
	end_load(cache, entry);
	ga_cache_release(cache, entry);
}

/* Cancel all loads of a session. */
void
ga_cache_cancel_loads(GaCache *cache, GaCacheClient *client)
{
	GaEntry *entry;

	while ((entry = TAILQ_FIRST(&client->loads)) != NULL)
		ga_cache_remove(cache, entry);
}

/*
 * Open an empty cache of up to n_bytes.  load_ended is called whenever a load
 * is complete or cancelled.  Return false if there is no memory.
 */
bool
ga_cache_open(GaCache *cache, const GaOpenDevice *device, uint64_t n_bytes,
			  void (*load_ended)(void))
{
	cache->load_ended = load_ended;
	cache->n_buckets = FIRST_BUCKETS;
	cache->table = calloc(FIRST_BUCKETS, sizeof(*cache->table));
	LIST_INIT(&cache->relations);
	return cache->table != NULL &&
		   ga_extents_open(&cache->extents, device, n_bytes, evict);
}
