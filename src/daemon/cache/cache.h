/*
 * cache.h
 *		Stored values whose elements stay in a device's memory.
 */
#ifndef GA_CACHE_H
#define GA_CACHE_H

#include "cache_extents.h"
#include "wire/slot.h"

struct GaSession;

/* All that tells a value from others: see doc/architecture.md. */
typedef struct GaIdentity
{
	GaStoredKey key;
	uint32_t database;
	uint32_t database_xmin;
} GaIdentity;

/* The values of one TOAST relation. */
typedef struct GaRelation
{
	LIST_ENTRY(GaRelation) next;
	uint32_t relation;
	uint32_t database;
	uint32_t database_xmin;
	uint64_t n_values;
	uint64_t n_bytes;
	uint64_t n_hits;
	int64_t used_us;
	TAILQ_HEAD(, GaEntry) entries;
} GaRelation;

/* What the device learned of elements that it scanned together. */
typedef struct GaCacheHint
{
	uint32_t from; /* elements of the value before them */
	uint32_t n;
	GaScanHint hint;
} GaCacheHint;

/*
 * A value.  Once it is forgotten nobody finds it any more; its memory stays
 * while it has users.
 */
typedef struct GaEntry
{
	GaIdentity identity;
	GaElementType type;
	uint32_t xmin;		  /* raw, of its first chunk */
	uint64_t mark;		  /* of the counter of OIDs, before it was read */
	struct GaEntry *next; /* of the same hash */
	GaRelation *relation;
	GaExtent *block;
	TAILQ_ENTRY(GaEntry) in_relation;
	TAILQ_ENTRY(GaEntry) in_block;
	TAILQ_ENTRY(GaEntry) in_session; /* of those that the loader loads */
	struct GaSession *loader;		 /* NULL once it is loaded */
	uint32_t at;					 /* bytes, in its block */
	uint32_t n;						 /* elements; those that are there, if it is
								 * being loaded */
	uint32_t n_room;				 /* bytes that it may have */
	uint32_t n_users;
	bool is_forgotten;
	uint32_t n_hints;
	GaCacheHint notes[]; /* see cache_hints.c */
} GaEntry;

/* Who asks for values, and how. */
typedef struct GaAsk
{
	struct GaSession *session;
	GaElementType type;
	uint64_t now;  /* the counter of OIDs, as oid_guard.h has it */
	uint64_t mark; /* of who asks */
	uint64_t scan;
	int64_t now_us;
	bool loads;	 /* may be told to load */
	bool waits;	 /* for values that are being loaded */
	bool counts; /* for the statistics */
} GaAsk;

typedef struct GaCache
{
	GaExtents blocks; /* the first member */
	GaEntry **table;
	uint32_t n_buckets; /* a power of two */
	uint64_t n_values;
	uint64_t n_bytes;
	LIST_HEAD(, GaRelation) relations;
} GaCache;

/* caches.c */
extern void ga_caches_open(uint64_t n_leases);
extern uint64_t ga_caches_spare(const GaOpenDevice *device, uint64_t n_leases);
extern uint64_t ga_caches_clear(const GaIdentity *of);
extern uint64_t ga_caches_rows(GaCacheRow *rows, uint64_t room);
extern void ga_caches_fill(GaStatRow *row);
extern GaCache *ga_cache_of(const GaOpenDevice *device);

/* cache.c */
extern bool ga_cache_open(GaCache *cache, const GaOpenDevice *device,
						  uint64_t n_bytes);
extern GaIdentity ga_cache_identity(const struct GaSession *session,
									const GaStoredKey *key);
extern GaEntry *ga_cache_find(const GaCache *cache, const GaIdentity *identity);
extern GaStoredState ga_cache_ask(GaCache *cache, const GaAsk *ask,
								  const GaStoredRef *ref, GaEntry **entry);
extern bool ga_cache_awaits(const GaCache *cache, const GaAsk *ask,
							const GaStoredKey *key);
extern void ga_cache_use(GaEntry *entry);
extern void ga_cache_release(GaCache *cache, GaEntry *entry);
extern void ga_cache_remove(GaCache *cache, GaEntry *entry);
extern void ga_cache_loaded(GaCache *cache, GaEntry *entry);
extern void ga_cache_cancel_loads(GaCache *cache, struct GaSession *session);

/* cache_hints.c */
extern uint32_t ga_cache_count_hints(GaElementType type, uint32_t n_bytes);
extern GaScanHint ga_cache_hint(const GaEntry *entry, uint64_t from,
								uint64_t n);
extern void ga_cache_add_hint(GaEntry *entry, uint64_t from, uint64_t n,
							  GaScanHint hint);

#endif /* GA_CACHE_H */
