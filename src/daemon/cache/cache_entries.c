/*
 * cache_entries.c
 *		The entries of a cache: they are made, used and removed.
 *
 * Owns the pools of entries, relations and loads, the lists of entries by
 * relation and by extent, and the hash table of relations.  cache.c makes
 * entries and says what they are; requests use and release them;
 * cache_extents.c has those of an extent evicted.
 */
#include "cache.h"
#include "cache_rows.h"
#include "device/clock.h"
#include "daemon/stats.h"

/* No stored array is larger. */
#define MAX_BYTES (UINT32_C(1) << 30)

GaIdentity
ga_entry_identity(const GaCache *cache, const GaEntry *entry)
{
	const GaRelation *relation = ga_cache_relation(cache, entry);

	return (GaIdentity){
		.key = {relation->relation, entry->value_id, entry->raw_bytes,
				entry->ext_info},
		.database = relation->database,
		.database_hash = relation->database_hash,
	};
}

/* Append an entry to the list of its relation. */
static void
enter_relation(GaCache *cache, GaRelation *relation, GaEntry *entry)
{
	GaEntryList *list = &relation->entries;
	const uint32_t number = ga_pool_number(&cache->entries, entry);

	entry->in_relation = (GaEntryLink){.next = 0, .prev = list->last};
	if (list->last != 0)
		ga_cache_entry(cache, list->last)->in_relation.next = number;
	else
		list->first = number;
	list->last = number;
}

static void
leave_relation(GaCache *cache, GaRelation *relation, GaEntry *entry)
{
	GaEntryList *list = &relation->entries;
	const GaEntryLink link = entry->in_relation;

	if (link.prev != 0)
		ga_cache_entry(cache, link.prev)->in_relation.next = link.next;
	else
		list->first = link.next;
	if (link.next != 0)
		ga_cache_entry(cache, link.next)->in_relation.prev = link.prev;
	else
		list->last = link.prev;
}

/* Append an entry to the list of its extent. */
static void
enter_extent(GaCache *cache, GaExtent *extent, GaEntry *entry)
{
	GaEntryList *list = &extent->entries;
	const uint32_t number = ga_pool_number(&cache->entries, entry);

	entry->next_in_extent = 0;
	if (list->last != 0)
		ga_cache_entry(cache, list->last)->next_in_extent = number;
	else
		list->first = number;
	list->last = number;
}

/*
 * Remove an entry from the list of its extent.  That is short, and those of a
 * relation are mostly removed in the order of the list.
 */
static void
leave_extent(GaCache *cache, GaExtent *extent, GaEntry *entry)
{
	GaEntryList *list = &extent->entries;
	const uint32_t number = ga_pool_number(&cache->entries, entry);
	uint32_t *link = &list->first;
	uint32_t prev = 0;

	while (*link != number)
	{
		prev = *link;
		link = &ga_cache_entry(cache, prev)->next_in_extent;
	}
	*link = entry->next_in_extent;
	if (list->last == number)
		list->last = prev;
}

/* Return the list of relations that an array's relation is in, if any is. */
static struct GaRelationList *
bucket_of(GaCache *cache, const GaIdentity *identity)
{
	uint32_t hash = identity->key.relation ^ identity->database;

	hash *= UINT32_C(0x9e3779b1);
	return &cache->relation_buckets[(hash >> 16) % GA_RELATION_BUCKETS];
}

/* Return the record of an array's relation, made if needed; or NULL. */
static GaRelation *
find_relation(GaCache *cache, const GaIdentity *identity)
{
	struct GaRelationList *bucket = bucket_of(cache, identity);
	GaRelation *relation;

	LIST_FOREACH(relation, bucket, in_bucket)
	{
		if (relation->relation == identity->key.relation &&
			relation->database == identity->database &&
			relation->database_hash == identity->database_hash)
			return relation;
	}
	relation = ga_pool_allocate(&cache->relations);
	if (relation == NULL)
		return NULL;
	relation->relation = identity->key.relation;
	relation->database = identity->database;
	relation->database_hash = identity->database_hash;
	LIST_INSERT_HEAD(&cache->all_relations, relation, next);
	LIST_INSERT_HEAD(bucket, relation, in_bucket);
	return relation;
}

/* Free the record of a relation without entries. */
static void
free_unused_relation(GaCache *cache, GaRelation *relation)
{
	if (relation->n_entries > 0)
		return;
	LIST_REMOVE(relation, next);
	LIST_REMOVE(relation, in_bucket);
	ga_pool_free(&cache->relations, relation);
}

/* Free an extent that has neither entries nor users. */
static void
free_unused_extent(GaCache *cache, GaExtent *extent)
{
	if (extent->n_users == 0 && extent->entries.first == 0)
		ga_extents_free(&cache->extents, extent);
}

static void
free_entry(GaCache *cache, GaEntry *entry)
{
	ga_cache_free_hints(cache, entry);
	ga_pool_free(&cache->entries, entry);
}

/* Use an entry: it keeps its memory until it is released. */
void
ga_cache_acquire(GaCache *cache, GaEntry *entry)
{
	entry->n_users++;
	ga_cache_extent(cache, entry)->n_users++;
}

/* End a use; free what was removed meanwhile. */
void
ga_cache_release(GaCache *cache, GaEntry *entry)
{
	GaExtent *extent = ga_cache_extent(cache, entry);

	entry->n_users--;
	extent->n_users--;
	if (entry->state == GA_ENTRY_REMOVED && entry->n_users == 0)
		free_entry(cache, entry);
	free_unused_extent(cache, extent);
}

/* The entry's load is over, complete or not. */
void
ga_entry_end_load(GaCache *cache, GaEntry *entry)
{
	GaCacheLoad *load = entry->u.load;

	TAILQ_REMOVE(&load->client->loads, load, in_client);
	entry->u.hints = NULL;
	entry->state = GA_ENTRY_RESIDENT;
	ga_pool_free(&cache->loads, load);
	cache->load_ended();
}

/* Count the bytes of an entry (1), or no more (-1). */
static void
count_bytes(GaCache *cache, GaRelation *relation, const GaEntry *entry,
			int64_t sign)
{
	const int64_t n_bytes = sign * ga_entry_capacity(entry);
	const int64_t n_packed = sign * ga_entry_packed_bytes(cache, entry);

	cache->n_bytes += (uint64_t) n_bytes;
	relation->n_bytes += (uint64_t) n_bytes;
	cache->n_packed_bytes += (uint64_t) n_packed;
	relation->n_packed_bytes += (uint64_t) n_packed;
}

/* Remove an entry from all lists; cancel its load. */
void
ga_cache_remove(GaCache *cache, GaEntry *entry)
{
	GaRelation *relation = ga_cache_relation(cache, entry);
	GaExtent *extent = ga_cache_extent(cache, entry);
	const bool was_loading = entry->state == GA_ENTRY_LOADING;

	cache->n_entries--;
	count_bytes(cache, relation, entry, -1);
	ga_table_remove(cache, entry);
	leave_extent(cache, extent, entry);
	leave_relation(cache, relation, entry);
	relation->n_entries--;
	if (was_loading)
		ga_entry_end_load(cache, entry);
	entry->state = GA_ENTRY_REMOVED;
	extent->has_holes = extent->is_shared;
	free_unused_relation(cache, relation);
	if (was_loading)
		ga_cache_release(cache, entry);
	else if (entry->n_users == 0)
	{
		free_entry(cache, entry);
		free_unused_extent(cache, extent);
	}
}

/*
 * An entry that is being loaded lies packed in another extent, which has no
 * entry, and takes n_bytes there.  Nothing but its load and the caller use it,
 * which use the other extent from now on; its own is freed, unless other
 * arrays share it.
 */
void
ga_cache_exchange(GaCache *cache, GaEntry *entry, GaExtent *extent,
				  uint32_t n_bytes)
{
	GaRelation *relation = ga_cache_relation(cache, entry);
	GaExtent *plain = ga_cache_extent(cache, entry);

	count_bytes(cache, relation, entry, -1);
	leave_extent(cache, plain, entry);
	plain->n_users -= entry->n_users;
	plain->has_holes = plain->is_shared;
	entry->at = 0;
	entry->extent = ga_pool_number(&cache->extents.items, extent);
	entry->is_packed = true;
	extent->n_filled = n_bytes;
	extent->n_users += entry->n_users;
	enter_extent(cache, extent, entry);
	count_bytes(cache, relation, entry, 1);
	free_unused_extent(cache, plain);
}

/* Remove all entries of an extent without users, which frees it. */
void
ga_cache_evict(GaExtents *extents, GaExtent *extent)
{
	GaCache *cache = (GaCache *) extents;
	uint32_t number = extent->entries.first;

	while (number != 0)
	{
		GaEntry *entry = ga_cache_entry(cache, number);

		number = entry->next_in_extent;
		ga_stats.n_evictions++;
		ga_cache_remove(cache, entry);
	}
}

/* Allocate an entry; evict others for a statement if the limit requires it. */
static GaEntry *
allocate_entry(GaCache *cache, uint64_t statement_id)
{
	GaEntry *entry;

	do
		entry = ga_pool_allocate(&cache->entries);
	while (entry == NULL &&
		   ga_extents_evict_one(&cache->extents, statement_id));
	return entry;
}

/*
 * Allocate what an entry needs besides itself: memory on the device, and the
 * records of its relation and load.  Return false if any is missing; what is
 * there then has to be freed.
 */
static bool
allocate_parts(GaCache *cache, GaEntry *entry, const GaIdentity *identity,
			   uint64_t statement_id)
{
	uint32_t at;
	GaExtent *extent = ga_extents_allocate(
		&cache->extents, ga_entry_capacity(entry), statement_id, &at);
	GaRelation *relation;

	if (extent == NULL)
		return false;
	entry->at = (uint16_t) (at / GA_EXTENT_ALIGN);
	entry->extent = ga_pool_number(&cache->extents.items, extent);
	entry->u.load = ga_pool_allocate(&cache->loads);
	relation = entry->u.load == NULL ? NULL : find_relation(cache, identity);
	if (relation != NULL)
		entry->relation = ga_pool_number(&cache->relations, relation);
	return relation != NULL;
}

/* Free an entry of which a part could not be allocated. */
static void
cancel_entry(GaCache *cache, GaEntry *entry)
{
	if (entry->u.load != NULL)
		ga_pool_free(&cache->loads, entry->u.load);
	if (entry->extent != 0)
	{
		GaExtent *extent = ga_cache_extent(cache, entry);

		extent->n_users--;
		free_unused_extent(cache, extent);
	}
	ga_pool_free(&cache->entries, entry);
}

/* Let lookups find an entry, whose session loads it, from now on. */
static void
insert_entry(GaCache *cache, GaEntry *entry, GaCacheClient *client)
{
	GaRelation *relation = ga_cache_relation(cache, entry);

	entry->n_users = 1;
	entry->state = GA_ENTRY_LOADING;
	entry->u.load->cache = cache;
	entry->u.load->entry = entry;
	entry->u.load->client = client;
	TAILQ_INSERT_TAIL(&client->loads, entry->u.load, in_client);
	client->load_ns = ga_now_ns();
	cache->n_entries++;
	count_bytes(cache, relation, entry, 1);
	relation->n_entries++;
	enter_relation(cache, relation, entry);
	enter_extent(cache, ga_cache_extent(cache, entry), entry);
	ga_rows_made(cache, client, entry);
	ga_table_insert(cache, entry);
}

/*
 * Make an entry for a session to load; NULL if there is no memory for it, on
 * the device or here.
 */
GaEntry *
ga_entry_make(GaCache *cache, const GaIdentity *identity, uint64_t statement_id,
			  GaCacheClient *client)
{
	const uint32_t raw_bytes = identity->key.raw_bytes;
	GaEntry *entry;

	if (raw_bytes <= GA_ARRAY_HEAD_BYTES || raw_bytes > MAX_BYTES)
		return NULL;
	entry = allocate_entry(cache, statement_id);
	if (entry == NULL)
		return NULL;
	entry->value_id = identity->key.value_id;
	entry->raw_bytes = raw_bytes;
	entry->ext_info = identity->key.ext_info;
	if (!allocate_parts(cache, entry, identity, statement_id))
	{
		cancel_entry(cache, entry);
		return NULL;
	}
	insert_entry(cache, entry, client);
	return entry;
}
