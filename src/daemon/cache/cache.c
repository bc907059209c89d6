/*
 * cache.c
 *		The stored arrays that are resident on one device.
 *
 * Decides what a lookup finds, and what is loaded; cache_entries.c has the
 * entries themselves.  The requests of stored arrays call it, and caches.c for
 * all devices.  It calls nothing above it but the function given at open, when
 * a load ended that sessions may wait for.
 *
 * Entries are found by their TOAST pointers, which name data that never
 * changes; the guard (wire/oid_guard.h) decides whether a pointer may name
 * other data by now.
 *
 * An array that is missing becomes an entry at once, with memory, which the
 * requesting session then loads: so no other session loads it as well.  When
 * that session ends first, or does not load it in time, the entry is removed.
 */
#include "cache.h"
#include "device/clock.h"
#include "daemon/stats.h"
#include "wire/oid_guard.h"

/*
 * A loading session that sent nothing for so long is not waited for; after the
 * longer time another session may load instead.
 */
#define IDLE_NS	   (1000 * GA_NS_PER_MS)
#define OVERDUE_NS (5000 * GA_NS_PER_MS)

/*
 * What the cache knows of its arrays may take this part of the memory that
 * they may take on the device, or a few entries.
 */
#define HOST_PART  16
#define HOST_LEAST (UINT64_C(1) << 20)

GaIdentity
ga_cache_identity(const GaCacheClient *client, const GaStoredKey *key)
{
	GaIdentity identity;

	identity.key = *key;
	identity.database = client->database;
	identity.database_hash = client->database_hash;
	return identity;
}

/* Is no other array named by an entry's pointer, as far as ids can tell? */
static bool
passes_guard(const GaCacheLookup *lookup, const GaEntry *entry)
{
	return ga_oid_guard(&ga_oid_space, lookup->oid_now, lookup->oid_mark,
						entry->oid_mark, entry->value_id);
}

/* Would a lookup find an entry, without anything that settles a doubt? */
bool
ga_cache_is_certain(const GaCacheLookup *lookup, const GaEntry *entry)
{
	return entry->state == GA_ENTRY_RESIDENT && entry->type == lookup->type &&
		   passes_guard(lookup, entry);
}

/* Is an entry still what the pointer names? */
static GaStoredState
check_guard(GaCache *cache, const GaCacheLookup *lookup, const GaStoredRef *ref,
			GaEntry *entry)
{
	if (passes_guard(lookup, entry))
		return GA_STORED_RESIDENT;
	if (ref->xmin == 0)
		return GA_STORED_DOUBT;
	if (ref->xmin == entry->xmin)
	{
		if (ref->is_settled && lookup->oid_mark != GA_OID_NO_MARK)
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
	return ga_now_ns() - ga_entry_loader(entry)->load_ns <= IDLE_NS &&
		   (!lookup->waits || ga_entry_loader(entry) != lookup->client);
}

/* May a lookup's session load an array that another one has not loaded? */
static bool
is_overdue(const GaCacheLookup *lookup, const GaEntry *entry)
{
	return lookup->loads == GA_LOADS_NOW &&
		   ga_entry_loader(entry) != lookup->client &&
		   ga_now_ns() - ga_entry_loader(entry)->load_ns > OVERDUE_NS;
}

/* Does a lookup have to wait for another session's load? */
bool
ga_cache_must_wait(const GaCache *cache, const GaCacheLookup *lookup,
				   const GaStoredKey *key)
{
	const GaIdentity identity = ga_cache_identity(lookup->client, key);
	const GaEntry *entry = ga_table_find(cache, &identity);

	return entry != NULL && entry->type == lookup->type &&
		   entry->state == GA_ENTRY_LOADING && is_worth_waiting(lookup, entry);
}

/*
 * Use an entry for a lookup, which has found it, and which the caller has to
 * release; once for each time that it is named.
 */
void
ga_cache_use(GaCache *cache, const GaCacheLookup *lookup,
			 const GaStoredRef *ref, GaEntry *entry)
{
	const bool is_hit = lookup->counts && !ref->is_missed;
	GaRelation *relation = ga_cache_relation(cache, entry);

	ga_cache_acquire(cache, entry);
	ga_extents_use(&cache->extents, ga_cache_extent(cache, entry),
				   lookup->statement_id);
	ga_stats.n_hits += is_hit;
	relation->n_hits += is_hit;
	relation->used_us = lookup->now_us;
}

/* Return the state of an array that the lookup's session will not load now. */
static GaStoredState
left_out(const GaCacheLookup *lookup)
{
	return lookup->loads == GA_LOADS_LATER ? GA_STORED_MISSING :
											 GA_STORED_STREAM;
}

/*
 * Make an entry for the requesting session to load, if it can.  An array that
 * it missed before, whose load it cancelled, is not counted again.
 */
static GaStoredState
begin_load(GaCache *cache, const GaCacheLookup *lookup, const GaStoredRef *ref,
		   const GaIdentity *identity)
{
	GaEntry *entry = NULL;

	if (lookup->loads == GA_LOADS_NOW && !cache->is_clearing)
		entry = ga_entry_make(cache, identity, lookup->statement_id,
							  lookup->client);
	if (entry == NULL)
	{
		/* nobody loads an array for a small part of it */
		ga_stats.n_streamed +=
			lookup->counts && lookup->loads != GA_LOADS_LATER &&
			(lookup->loads == GA_LOADS_NOW || ref->part.n == 0);
		return left_out(lookup);
	}
	entry->type = (uint8_t) lookup->type;
	entry->oid_mark = lookup->oid_mark;
	ga_cache_relation(cache, entry)->used_us = lookup->now_us;
	ga_stats.n_misses += !ref->is_missed;
	return GA_STORED_LOAD;
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
	GaEntry *found = ga_table_find(cache, &identity);
	GaStoredState state = GA_STORED_LOAD;

	if (found != NULL && found->type != lookup->type)
		return GA_STORED_STREAM;
	if (found != NULL && found->state == GA_ENTRY_LOADING)
	{
		if (is_worth_waiting(lookup, found))
			return GA_STORED_BUSY;
		if (!is_overdue(lookup, found))
			return left_out(lookup);
		ga_cache_remove(cache, found);
	}
	else if (found != NULL)
		state = check_guard(cache, lookup, ref, found);
	/* the statement asks for it again: what it loads must not evict it */
	if (state == GA_STORED_DOUBT)
		ga_extents_use(&cache->extents, ga_cache_extent(cache, found),
					   lookup->statement_id);
	if (state == GA_STORED_RESIDENT)
	{
		ga_cache_use(cache, lookup, ref, found);
		*entry = found;
	}
	return state == GA_STORED_LOAD ? begin_load(cache, lookup, ref, &identity) :
									 state;
}

/* An entry's elements are complete: it is resident. */
void
ga_cache_loaded(GaCache *cache, GaEntry *entry)
{
	ga_entry_end_load(cache, entry);
	ga_cache_release(cache, entry);
}

/* Cancel all loads of a session, on all devices. */
void
ga_cache_cancel_loads(GaCacheClient *client)
{
	GaCacheLoad *load;

	while ((load = TAILQ_FIRST(&client->loads)) != NULL)
		ga_cache_remove(load->cache, load->entry);
}

/*
 * Open an empty cache of up to n_bytes.  load_ended is called whenever a load
 * is complete or cancelled.  Return false if there is no memory.
 */
bool
ga_cache_open(GaCache *cache, const GaOpenDevice *device, uint64_t n_bytes,
			  void (*load_ended)(void))
{
	GaHostBudget *host = &cache->host;
	uint32_t i;

	cache->load_ended = load_ended;
	LIST_INIT(&cache->all_relations);
	for (i = 0; i < GA_RELATION_BUCKETS; i++)
		LIST_INIT(&cache->relation_buckets[i]);
	host->limit = n_bytes / HOST_PART;
	if (host->limit < HOST_LEAST)
		host->limit = HOST_LEAST;
	/* relations and loads are few: they may go beyond the limit */
	return ga_pool_open(&cache->entries, host, true, sizeof(GaEntry)) &&
		   ga_pool_open(&cache->relations, host, false, sizeof(GaRelation)) &&
		   ga_pool_open(&cache->loads, host, false, sizeof(GaCacheLoad)) &&
		   ga_table_open(&cache->table, host, host->limit / sizeof(GaEntry)) &&
		   ga_extents_open(&cache->extents, device, n_bytes, host,
						   ga_cache_evict);
}
