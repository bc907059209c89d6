/*
 * cache.h
 *		The stored arrays that are resident on one device.
 */
#ifndef GA_CACHE_H
#define GA_CACHE_H

#include "cache_extents.h"
#include "cache_table.h"
#include "wire/protocol.h"

/* What precedes the elements of an array of one dimension, with its length. */
#define GA_ARRAY_HEAD_BYTES 24

/* The identity of a stored array: see doc/architecture.md. */
typedef struct GaIdentity
{
	GaStoredKey key;
	uint32_t database;
	uint64_t database_hash;
} GaIdentity;

/* What the caches know of a session, which embeds it. */
typedef struct GaCacheClient
{
	uint32_t database; /* whose stored arrays it looks up */
	uint64_t database_hash;
	TAILQ_HEAD(, GaCacheLoad) loads; /* what it is loading */
	int64_t load_ns;				 /* when it last sent a part of that */
} GaCacheClient;

/* The resident arrays of one TOAST relation; an item of a pool. */
typedef struct GaRelation
{
	LIST_ENTRY(GaRelation) next;
	LIST_ENTRY(GaRelation) in_bucket;
	uint32_t relation;
	uint32_t database;
	uint64_t database_hash;
	uint64_t n_entries;
	uint64_t n_bytes;		 /* of elements */
	uint64_t n_packed_bytes; /* that these take on the device */
	uint64_t n_hits;
	int64_t used_us;
	GaEntryList entries;
	bool is_to_clear; /* all entries are being removed */
} GaRelation;

LIST_HEAD(GaRelationList, GaRelation);

/* Buckets by which relations are found; a power of two. */
#define GA_RELATION_BUCKETS 4096

/* What the device learned of a run of elements by scanning it. */
typedef struct GaCacheHint
{
	uint32_t from; /* elements of the array before the run */
	uint32_t n;
	GaScanHint hint;
} GaCacheHint;

/* The load of an entry; an item of a pool. */
typedef struct GaCacheLoad
{
	TAILQ_ENTRY(GaCacheLoad) in_client;
	struct GaCache *cache;
	struct GaEntry *entry;
	GaCacheClient *client;
} GaCacheLoad;

typedef enum GaEntryState
{
	GA_ENTRY_FREE = 0,
	GA_ENTRY_LOADING,
	GA_ENTRY_RESIDENT,
	GA_ENTRY_REMOVED /* not found any more; its memory is in use */
} GaEntryState;

typedef struct GaEntryLink
{
	uint32_t next;
	uint32_t prev;
} GaEntryLink;

/*
 * An array that is resident or being loaded; an item of a pool.  A lookup
 * cannot find it any more once it is removed; its memory stays until its last
 * user releases it.  There may be tens of millions, so it is packed: other
 * items are named by their numbers, 0 being none.
 */
typedef struct GaEntry
{
	uint32_t value_id; /* as in GaStoredKey */
	uint32_t raw_bytes;
	uint32_t ext_info;
	uint32_t xmin;	   /* raw, of its first chunk */
	uint64_t oid_mark; /* of the OID counter, before it was read */
	union
	{
		GaCacheLoad *load;	/* while it is being loaded */
		GaCacheHint *hints; /* or NULL: see cache_hints.c */
	} u;
	uint32_t next; /* in the same bucket */
	uint32_t relation;
	uint32_t extent;
	GaEntryLink in_relation;
	uint32_t next_in_extent;
	uint32_t next_row;	 /* see cache_rows.c */
	uint32_t n;			 /* elements, as many as are there */
	uint32_t n_users;	 /* requests, and its load */
	uint16_t at;		 /* in its extent, in units of GA_EXTENT_ALIGN */
	uint8_t type;		 /* a GaElementType */
	uint8_t state : 4;	 /* a GaEntryState */
	uint8_t is_line : 1; /* as in GaLoadSegment */

	/* Its extent has headers, payloads from the last page of these on. */
	uint8_t is_packed : 1;
	uint8_t is_packing : 1; /* as an item of its load; see load_pack_items.c */
} GaEntry;

_Static_assert(sizeof(GaEntry) == 72, "an entry is not packed");

/* The last entry that a session made of a relation. */
typedef struct GaMaker
{
	const GaCacheClient *client; /* to compare only: it may have ended */
	uint32_t relation;			 /* number of the relation */
	uint32_t last;				 /* number of the entry */
} GaMaker;

#define GA_MAKERS 32

/* How a session looks arrays up. */
typedef struct GaCacheLookup
{
	GaCacheClient *client;
	GaElementType type;
	uint64_t oid_now;  /* the OID counter, as oid_guard.h defines it */
	uint64_t oid_mark; /* of the requesting session's sample */
	uint64_t statement_id;
	int64_t now_us;
	GaStoredLoads loads;
	bool waits;	 /* until another session has loaded an array */
	bool counts; /* count hits and misses */
} GaCacheLookup;

typedef struct GaCache
{
	GaExtents extents; /* the first member */
	GaHostBudget host;
	GaPool entries;
	GaPool relations;
	GaPool loads;
	GaTable table;
	GaMaker makers[GA_MAKERS];
	uint32_t next_maker; /* gives its place to another one */
	uint64_t n_entries;
	uint64_t n_bytes;		 /* as in GaRelation */
	uint64_t n_packed_bytes; /* likewise */
	struct GaRelationList all_relations;
	struct GaRelationList relation_buckets[GA_RELATION_BUCKETS];
	bool is_clearing;		  /* no load begins meanwhile */
	void (*load_ended)(void); /* lets waiting sessions try again */
} GaCache;

/* Return an entry by its number. */
static inline GaEntry *
ga_cache_entry(const GaCache *cache, uint32_t number)
{
	return ga_pool_item(&cache->entries, number);
}

static inline GaRelation *
ga_cache_relation(const GaCache *cache, const GaEntry *entry)
{
	return ga_pool_item(&cache->relations, entry->relation);
}

static inline GaExtent *
ga_cache_extent(const GaCache *cache, const GaEntry *entry)
{
	return ga_pool_item(&cache->extents.items, entry->extent);
}

/* Return the session that loads an entry; NULL if none does. */
static inline GaCacheClient *
ga_entry_loader(const GaEntry *entry)
{
	return entry->state == GA_ENTRY_LOADING ? entry->u.load->client : NULL;
}

/* Return where an entry begins in its extent, in bytes. */
static inline uint64_t
ga_entry_at(const GaEntry *entry)
{
	return (uint64_t) entry->at * GA_EXTENT_ALIGN;
}

/* Return the bytes that an entry's elements may take. */
static inline uint32_t
ga_entry_capacity(const GaEntry *entry)
{
	return entry->raw_bytes - GA_ARRAY_HEAD_BYTES;
}

/* Return the bytes that its elements take on the device, packed or not. */
static inline uint32_t
ga_entry_packed_bytes(const GaCache *cache, const GaEntry *entry)
{
	return entry->is_packed ? ga_cache_extent(cache, entry)->n_filled :
							  ga_entry_capacity(entry);
}

/* cache.c */
extern bool ga_cache_open(GaCache *cache, const GaOpenDevice *device,
						  uint64_t n_bytes, void (*load_ended)(void));
extern GaIdentity ga_cache_identity(const GaCacheClient *client,
									const GaStoredKey *key);
extern void ga_cache_use(GaCache *cache, const GaCacheLookup *lookup,
						 const GaStoredRef *ref, GaEntry *entry);
extern GaStoredState ga_cache_lookup(GaCache *cache,
									 const GaCacheLookup *lookup,
									 const GaStoredRef *ref, GaEntry **entry);
extern bool ga_cache_is_certain(const GaCacheLookup *lookup,
								const GaEntry *entry);
extern bool ga_cache_must_wait(const GaCache *cache,
							   const GaCacheLookup *lookup,
							   const GaStoredKey *key);
extern void ga_cache_loaded(GaCache *cache, GaEntry *entry);
extern void ga_cache_cancel_loads(GaCacheClient *client);

/* cache_entries.c */
extern GaIdentity ga_entry_identity(const GaCache *cache, const GaEntry *entry);
extern GaEntry *ga_entry_make(GaCache *cache, const GaIdentity *identity,
							  uint64_t statement_id, GaCacheClient *client);
extern void ga_entry_end_load(GaCache *cache, GaEntry *entry);
extern void ga_cache_acquire(GaCache *cache, GaEntry *entry);
extern void ga_cache_release(GaCache *cache, GaEntry *entry);
extern void ga_cache_remove(GaCache *cache, GaEntry *entry);
extern void ga_cache_exchange(GaCache *cache, GaEntry *entry, GaExtent *extent,
							  uint32_t n_bytes);
extern void ga_cache_evict(GaExtents *extents, GaExtent *extent);

/* cache_find.c */
extern GaDeviceAddress ga_cache_find(const GaCache *cache, const GaEntry *entry,
									 uint64_t from, uint64_t n,
									 uint64_t *n_there);

/* cache_hints.c */
extern GaScanHint ga_cache_hint(const GaEntry *entry, uint64_t from,
								uint64_t n);
extern void ga_cache_add_hint(GaCache *cache, GaEntry *entry, uint64_t from,
							  uint64_t n, GaScanHint hint);
extern void ga_cache_free_hints(GaCache *cache, GaEntry *entry);

#endif /* GA_CACHE_H */
