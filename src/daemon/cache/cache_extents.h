/*
 * cache_extents.h
 *		The extents of resident arrays, and which of them are evicted first.
 */
#ifndef GA_CACHE_EXTENTS_H
#define GA_CACHE_EXTENTS_H

#include <sys/queue.h>

#include "cache_pages.h"
#include "cache_pool.h"

/* Arrays begin at multiples of this in a shared page. */
#define GA_EXTENT_ALIGN 64

/* Entries of a cache, by their numbers; 0: none. */
typedef struct GaEntryList
{
	uint32_t first;
	uint32_t last;
} GaEntryList;

/*
 * The unit of eviction: the pages of one large array, or one page of many
 * small ones.  An item of a pool.
 */
typedef struct GaExtent
{
	TAILQ_ENTRY(GaExtent) by_use;
	GaEntryList entries;
	uint64_t statement_id; /* that used it last */
	uint32_t n_users; /* requests and loads; not evicted while there are any */
	/* Of a shared one: bytes allocated so far; of packed elements: used. */
	uint32_t n_filled;
	bool is_shared;
	bool is_protected;
	bool has_holes; /* of arrays that were removed from a shared one */
	uint32_t n_pages;
	uint32_t n_runs;
	GaPageRun *runs; /* &run, or more of them */
	GaPageRun run;
} GaExtent;

typedef TAILQ_HEAD(GaExtentList, GaExtent) GaExtentList;

typedef struct GaExtents
{
	GaPages pages;
	GaPool items;
	GaExtentList probation; /* used by one statement; most recent first */
	GaExtentList protected; /* used by several statements */
	uint64_t n_protected;	/* pages of protected extents */
	GaExtent *open; /* the shared extent that is being filled, or NULL */
	void (*evict)(struct GaExtents *extents, GaExtent *extent);
} GaExtents;

extern bool ga_extents_open(GaExtents *extents, const GaOpenDevice *device,
							uint64_t n_bytes, GaHostBudget *host,
							void (*evict)(GaExtents *extents,
										  GaExtent *extent));
extern GaExtent *ga_extents_allocate(GaExtents *extents, uint64_t n_bytes,
									 uint64_t statement_id, uint32_t *at);
extern GaExtent *ga_extents_allocate_pages(GaExtents *extents, uint32_t n_pages,
										   uint64_t statement_id);
extern bool ga_extents_grow(GaExtents *extents, GaExtent *extent,
							uint32_t n_pages);
extern void ga_extents_use(GaExtents *extents, GaExtent *extent,
						   uint64_t statement_id);
extern bool ga_extents_evict_one(GaExtents *extents, uint64_t statement_id);
extern bool ga_extents_evict(GaExtents *extents, uint64_t n_bytes);
extern void ga_extents_free(GaExtents *extents, GaExtent *extent);
extern void ga_extents_find(const GaExtents *extents, const GaExtent *extent,
							uint64_t at, uint64_t n_bytes,
							GaDeviceAddress *address, uint64_t *n_there);

/* Return how many pages n_bytes take. */
static inline uint32_t
ga_extent_pages(uint64_t n_bytes)
{
	return (uint32_t) ((n_bytes + GA_PAGE_BYTES - 1) / GA_PAGE_BYTES);
}

#endif /* GA_CACHE_EXTENTS_H */
