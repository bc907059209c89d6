/*
 * cache_extents.h
 *		The pages of resident values, and which of them go first.
 */
#ifndef GA_CACHE_EXTENTS_H
#define GA_CACHE_EXTENTS_H

#include <sys/queue.h>

#include "cache_pages.h"

struct GaEntry;

/*
 * What is evicted as a whole: the pages of one large value, or one page of
 * many small ones.
 */
typedef struct GaExtent
{
	TAILQ_ENTRY(GaExtent) by_use;
	TAILQ_HEAD(, GaEntry) entries;
	uint64_t scan;	   /* that used it last */
	uint32_t n_users;  /* requests and loads: it cannot be evicted */
	uint32_t n_filled; /* bytes that entries have had, of a shared one */
	bool is_shared;
	bool is_protected;
	uint32_t n_pages;
	uint32_t n_extents;
	GaPageRun extents[];
} GaExtent;

typedef TAILQ_HEAD(GaExtentList, GaExtent) GaExtentList;

typedef struct GaExtents
{
	GaPages pages;
	GaExtentList probation; /* used by one scan; the last one used first */
	GaExtentList protected; /* used by several */
	uint64_t n_protected;	/* pages in those */
	GaExtent *open;			/* the shared one that is being filled, or NULL */
	void (*evict)(struct GaExtents *extents, GaExtent *block);
} GaExtents;

extern bool ga_extents_open(GaExtents *extents, const GaOpenDevice *device,
							uint64_t n_bytes,
							void (*evict)(GaExtents *extents, GaExtent *block));
extern GaExtent *ga_extents_allocate(GaExtents *extents, uint64_t n_bytes,
									 uint64_t scan, uint32_t *at);
extern void ga_extents_use(GaExtents *extents, GaExtent *block, uint64_t scan);
extern bool ga_extents_evict(GaExtents *extents);
extern void ga_extents_free(GaExtents *extents, GaExtent *block);
extern uint32_t ga_extents_find(const GaExtents *extents, const GaExtent *block,
								uint64_t at, uint64_t n_bytes,
								GaDeviceAddress *address, uint64_t *n_there);

#endif /* GA_CACHE_EXTENTS_H */
