/*
 * cache_table.c
 *		The hash table by which entries are found.
 *
 * Owns the buckets, one for each entry, which cache_entries.c inserts and
 * removes, and cache.c finds.  The table grows and shrinks by one bucket at a
 * time (linear hashing: Litwin, VLDB 1980), so that no insertion takes long
 * however many entries there are, and its memory is as small as their number.
 */
#include "cache.h"

/* Buckets that there are always, and that get memory together. */
#define MIN_BUCKETS	   1024
#define COMMIT_BUCKETS 16384

static uint32_t
hash_of(uint32_t value_id, uint32_t relation, uint32_t database)
{
	uint64_t h = value_id * UINT64_C(0x9e3779b97f4a7c15);

	h ^= (relation ^ (uint64_t) database << 32) * UINT64_C(0xc2b2ae3d27d4eb4f);
	return (uint32_t) (h >> 32);
}

static uint32_t
bucket_of(const GaTable *table, uint32_t hash)
{
	uint32_t i = hash & (2 * table->half - 1);

	return i < table->n_buckets ? i : i - table->half;
}

static uint32_t
hash_of_entry(const GaCache *cache, const GaEntry *entry)
{
	const GaRelation *relation = ga_cache_relation(cache, entry);

	return hash_of(entry->value_id, relation->relation, relation->database);
}

/* Let buckets up to n have memory.  Return false if there is none. */
static bool
commit(GaTable *table, uint64_t n)
{
	const size_t n_bytes = COMMIT_BUCKETS * sizeof(*table->buckets);

	if (n <= table->n_committed)
		return true;
	if (!ga_host_commit((char *) (table->buckets + table->n_committed),
						n_bytes))
		return false;
	table->n_committed += COMMIT_BUCKETS;
	table->budget->n_bytes += n_bytes;
	return true;
}

/* Release memory that buckets up to n do not need, nor a few more. */
static void
release(GaTable *table, uint64_t n)
{
	const size_t n_bytes = COMMIT_BUCKETS * sizeof(*table->buckets);

	while (table->n_committed >= n + 2 * COMMIT_BUCKETS)
	{
		table->n_committed -= COMMIT_BUCKETS;
		table->budget->n_bytes -= n_bytes;
		ga_host_release((char *) (table->buckets + table->n_committed),
						n_bytes);
	}
}

/* Open an empty table.  Return false if there is no memory. */
bool
ga_table_open(GaTable *table, GaHostBudget *budget, uint64_t max_entries)
{
	*table = (GaTable){
		.budget = budget,
		.n_buckets = MIN_BUCKETS,
		.half = MIN_BUCKETS,
		.max_buckets =
			(max_entries / COMMIT_BUCKETS + 1) * (uint64_t) COMMIT_BUCKETS,
	};
	table->buckets = (uint32_t *) ga_host_reserve(table->max_buckets *
												  sizeof(*table->buckets));
	return table->buckets != NULL && commit(table, MIN_BUCKETS);
}

/* Add a bucket, which takes half of another one's entries. */
static void
add_bucket(GaCache *cache)
{
	GaTable *table = &cache->table;
	uint32_t *link = &table->buckets[table->n_buckets - table->half];
	uint32_t *to = &table->buckets[table->n_buckets];

	if (table->n_buckets == table->max_buckets ||
		!commit(table, (uint64_t) table->n_buckets + 1))
		return;
	*to = 0;
	if (++table->n_buckets == 2 * table->half)
		table->half *= 2;
	while (*link != 0)
	{
		GaEntry *entry = ga_cache_entry(cache, *link);

		if (bucket_of(table, hash_of_entry(cache, entry)) ==
			table->n_buckets - 1)
		{
			uint32_t moved = *link;

			*link = entry->next;
			entry->next = *to;
			*to = moved;
		}
		else
			link = &entry->next;
	}
}

/* Remove the last bucket; its entries go to the one they came from. */
static void
remove_bucket(GaCache *cache)
{
	GaTable *table = &cache->table;
	uint32_t last = --table->n_buckets;
	uint32_t *link;

	if (last < table->half)
		table->half /= 2;
	link = &table->buckets[last - table->half];
	while (*link != 0)
		link = &ga_cache_entry(cache, *link)->next;
	*link = table->buckets[last];
	table->buckets[last] = 0;
	release(table, last);
}

static bool
is_same(const GaCache *cache, const GaEntry *entry, const GaIdentity *identity)
{
	const GaRelation *relation;

	if (entry->value_id != identity->key.value_id ||
		entry->raw_bytes != identity->key.raw_bytes ||
		entry->ext_info != identity->key.ext_info)
		return false;
	relation = ga_cache_relation(cache, entry);
	return relation->relation == identity->key.relation &&
		   relation->database == identity->database &&
		   relation->database_hash == identity->database_hash;
}

/* Return the entry of an array that is resident or being loaded; or NULL. */
GaEntry *
ga_table_find(const GaCache *cache, const GaIdentity *identity)
{
	const GaTable *table = &cache->table;
	const GaStoredKey *key = &identity->key;
	uint32_t i = table->buckets[bucket_of(
		table, hash_of(key->value_id, key->relation, identity->database))];

	while (i != 0)
	{
		GaEntry *entry = ga_cache_entry(cache, i);

		if (is_same(cache, entry, identity))
			return entry;
		i = entry->next;
	}
	return NULL;
}

/* Insert an entry, which the cache counts already. */
void
ga_table_insert(GaCache *cache, GaEntry *entry)
{
	GaTable *table = &cache->table;
	uint32_t *to;

	if (cache->n_entries > table->n_buckets)
		add_bucket(cache);
	to = &table->buckets[bucket_of(table, hash_of_entry(cache, entry))];
	entry->next = *to;
	*to = ga_pool_number(&cache->entries, entry);
}

/* Remove an entry, which the cache does not count any more. */
void
ga_table_remove(GaCache *cache, GaEntry *entry)
{
	GaTable *table = &cache->table;
	const uint32_t number = ga_pool_number(&cache->entries, entry);
	uint32_t *link =
		&table->buckets[bucket_of(table, hash_of_entry(cache, entry))];
	int i;

	while (*link != number)
		link = &ga_cache_entry(cache, *link)->next;
	*link = entry->next;
	/* two, so that it becomes smaller as fast as its entries go */
	for (i = 0; i < 2 && table->n_buckets > MIN_BUCKETS &&
				table->n_buckets > cache->n_entries + cache->n_entries / 4;
		 i++)
		remove_bucket(cache);
}
