/*
 * cache.h
 *		The stored arrays that are resident on one device.
 */
#ifndef GA_CACHE_H
#define GA_CACHE_H

#include "cache_extents.h"
#include "wire/protocol.h"

/* The identity of a stored array: see doc/architecture.md. */
typedef struct GaIdentity
{
	GaStoredKey key;
	uint32_t database;
	uint64_t database_hash;
} GaIdentity;

/* What the cache knows of a session, which embeds it. */
typedef struct GaCacheClient
{
	uint32_t database; /* whose stored arrays it looks up */
	uint64_t database_hash;
	TAILQ_HEAD(, GaEntry) loads; /* what it is loading */
	int64_t load_ns;			 /* when it last sent a part of that */
} GaCacheClient;

/* The resident arrays of one TOAST relation. */
typedef struct GaRelation
{
	LIST_ENTRY(GaRelation) next;
	uint32_t relation;
	uint32_t database;
	uint64_t database_hash;
	uint64_t n_entries;
	uint64_t n_bytes;
	uint64_t n_hits;
	int64_t used_us;
	TAILQ_HEAD(, GaEntry) entries;
} GaRelation;

/* What the device learned of a run of elements by scanning it. */
typedef struct GaCacheHint
{
	uint32_t from; /* elements of the array before the run */
	uint32_t n;
	GaScanHint hint;
} GaCacheHint;

/*
 * An array that is resident or being loaded.  A lookup cannot find it any more
 * once it is removed; its memory stays until its last user releases it.
 */
typedef struct GaEntry
{
	GaIdentity identity;
	GaElementType type;
	uint32_t xmin;		  /* raw, of its first chunk */
	uint64_t oid_mark;	  /* of the OID counter, before it was read */
	struct GaEntry *next; /* in the same bucket */
	GaRelation *relation;
	GaExtent *extent;
	TAILQ_ENTRY(GaEntry) in_relation;
	TAILQ_ENTRY(GaEntry) in_extent;
	TAILQ_ENTRY(GaEntry) in_client; /* in the loading session's loads */
	GaCacheClient *loader;			/* the loading session; NULL: resident */
	uint32_t at;					/* bytes, in its extent */
	uint32_t n;						/* elements, as many as are there */
	uint32_t capacity;				/* bytes */
	uint32_t n_users;				/* requests, and its load */
	bool is_removed;
	uint32_t n_hints;
	GaCacheHint hints[]; /* see cache_hints.c */
} GaEntry;

/* How a session looks arrays up. */
typedef struct GaCacheLookup
{
	GaCacheClient *client;
	GaElementType type;
	uint64_t oid_now;  /* the OID counter, as oid_guard.h defines it */
	uint64_t oid_mark; /* of the requesting session's sample */
	uint64_t statement_id;
	int64_t now_us;
	bool loads;	 /* it can load what is missing */
	bool waits;	 /* until another session has loaded an array */
	bool counts; /* count hits and misses */
} GaCacheLookup;

typedef struct GaCache
{
	GaExtents extents; /* the first member */
	GaEntry **table;
	uint32_t n_buckets; /* a power of two */
	uint64_t n_entries;
	uint64_t n_bytes;
	LIST_HEAD(, GaRelation) relations;
	void (*load_ended)(void); /* lets waiting sessions try again */
} GaCache;

/* cache.c */
extern bool ga_cache_open(GaCache *cache, const GaOpenDevice *device,
						  uint64_t n_bytes, void (*load_ended)(void));
extern GaIdentity ga_cache_identity(const GaCacheClient *client,
									const GaStoredKey *key);
extern GaEntry *ga_cache_find(const GaCache *cache, const GaIdentity *identity);
extern GaStoredState ga_cache_lookup(GaCache *cache,
									 const GaCacheLookup *lookup,
									 const GaStoredRef *ref, GaEntry **entry);
extern bool ga_cache_must_wait(const GaCache *cache,
							   const GaCacheLookup *lookup,
							   const GaStoredKey *key);
extern void ga_cache_acquire(GaEntry *entry);
extern void ga_cache_release(GaCache *cache, GaEntry *entry);
extern void ga_cache_remove(GaCache *cache, GaEntry *entry);
extern void ga_cache_loaded(GaCache *cache, GaEntry *entry);
extern void ga_cache_cancel_loads(GaCache *cache, GaCacheClient *client);

/* cache_hints.c */
extern uint32_t ga_cache_count_hints(GaElementType type, uint32_t n_bytes);
extern GaScanHint ga_cache_hint(const GaEntry *entry, uint64_t from,
								uint64_t n);
extern void ga_cache_add_hint(GaEntry *entry, uint64_t from, uint64_t n,
							  GaScanHint hint);

#endif /* GA_CACHE_H */
