/*
 * cache_extents.c
 *		The extents of resident arrays, and which of them are evicted first.
 *
 * Owns the extents of one device; called by cache.c and cache_entries.c, by
 * what loads an extent or sends it to the device, and by request.c and
 * request_pool.c when the device has no memory left.  An extent is the pages of
 * one array; small arrays share one of a single page, in the order in which
 * they came: those that are used together mostly lie together, and are evicted
 * together.  Removing the entries of an extent is the cache's: the function
 * given at open does it.
 *
 * Extents are in two lists by their last use; to find an array in doubt is a
 * use, too.  An extent that one statement has used is on probation; the second
 * statement protects it.  Up to half of the memory is protected; beyond that,
 * the least recently used extent goes back on probation.  Only extents on
 * probation are evicted, and none that the requesting statement used last: a
 * statement over more data than there is memory for keeps what it loaded first,
 * which the next one finds, instead of evicting its own data and everything
 * else.
 */
#include <stdlib.h>
#include <string.h>

#include "cache_extents.h"

/* Arrays of less than that share pages. */
#define SHARED_BYTES (GA_PAGE_BYTES / 2)

/*
 * Open an empty set of extents of up to n_bytes, which count in the host's
 * budget; evict is called for an extent without users, to remove its entries.
 * Return false if there is no memory.
 */
bool
ga_extents_open(GaExtents *extents, const GaOpenDevice *device,
				uint64_t n_bytes, GaHostBudget *host,
				void (*evict)(GaExtents *extents, GaExtent *extent))
{
	TAILQ_INIT(&extents->probation);
	TAILQ_INIT(&extents->protected);
	extents->n_protected = 0;
	extents->open = NULL;
	extents->evict = evict;
	return ga_pool_open(&extents->items, host, true, sizeof(GaExtent)) &&
		   ga_pages_open(&extents->pages, device, n_bytes);
}

/* Return the list that an extent is in. */
static GaExtentList *
list_of(GaExtents *extents, const GaExtent *extent)
{
	return extent->is_protected ? &extents->protected : &extents->probation;
}

static void
remove_from_list(GaExtents *extents, GaExtent *extent)
{
	TAILQ_REMOVE(list_of(extents, extent), extent, by_use);
	if (extent->is_protected)
		extents->n_protected -= extent->n_pages;
}

static void
insert_into_list(GaExtents *extents, GaExtent *extent, bool is_protected)
{
	extent->is_protected = is_protected;
	TAILQ_INSERT_HEAD(list_of(extents, extent), extent, by_use);
	if (is_protected)
		extents->n_protected += extent->n_pages;
}

/* Put extents back on probation until half of the memory is protected. */
static void
limit_protected(GaExtents *extents)
{
	const uint64_t most =
		(uint64_t) extents->pages.max_slabs * extents->pages.slab_pages / 2;

	while (extents->n_protected > most)
	{
		GaExtent *extent = TAILQ_LAST(&extents->protected, GaExtentList);

		remove_from_list(extents, extent);
		insert_into_list(extents, extent, false);
	}
}

/* Note that a statement uses an extent. */
void
ga_extents_use(GaExtents *extents, GaExtent *extent, uint64_t statement_id)
{
	bool is_protected =
		extent->is_protected || extent->statement_id != statement_id;

	extent->statement_id = statement_id;
	if (is_protected == extent->is_protected &&
		TAILQ_FIRST(list_of(extents, extent)) == extent)
		return;
	remove_from_list(extents, extent);
	insert_into_list(extents, extent, is_protected);
	limit_protected(extents);
}

/* Return the extent to evict first for a statement; NULL if there is none. */
static GaExtent *
find_victim(GaExtents *extents, uint64_t statement_id)
{
	GaExtent *extent;

	TAILQ_FOREACH_REVERSE(extent, &extents->probation, GaExtentList, by_use)
	{
		if (extent->statement_id == statement_id)
			return NULL;
		if (extent->n_users == 0)
			return extent;
	}
	return NULL;
}

/*
 * Evict the extent that comes first for a statement.  Return false if there is
 * none.
 */
bool
ga_extents_evict_one(GaExtents *extents, uint64_t statement_id)
{
	GaExtent *victim = find_victim(extents, statement_id);

	if (victim != NULL)
		extents->evict(extents, victim);
	return victim != NULL;
}

/* Does the device have n_pages, used or not?  A lost one has none. */
static bool
fits_budget(GaPages *pages, uint64_t n_pages)
{
	return !pages->device->is_lost && n_pages <= ga_pages_limit(pages);
}

/* Free pages until n_pages are free.  Return false if that is impossible. */
static bool
free_pages(GaExtents *extents, uint64_t n_pages, uint64_t statement_id)
{
	GaPages *pages = &extents->pages;

	while (pages->n_free < n_pages)
	{
		/* the device may have less memory than its budget */
		if (!fits_budget(pages, n_pages))
			return false;
		if (ga_pages_grow(pages) || !fits_budget(pages, n_pages))
			continue;
		if (!ga_extents_evict_one(extents, statement_id))
			return false;
	}
	return true;
}

/* Release the memory of runs that an extent does not have. */
static void
shrink_runs(GaExtent *extent)
{
	GaPageRun *smaller =
		realloc(extent->runs, extent->n_runs * sizeof(GaPageRun));

	if (smaller != NULL)
		extent->runs = smaller;
}

/* Allocate the pages of an extent, which are free.  False: no memory here. */
static bool
allocate_runs(GaExtents *extents, GaExtent *extent)
{
	const uint32_t n_pages = extent->n_pages;

	extent->runs =
		n_pages == 1 ? &extent->run : malloc(n_pages * sizeof(GaPageRun));
	if (extent->runs == NULL)
		return false;
	extent->n_runs = ga_pages_allocate(&extents->pages, n_pages, extent->runs);
	if (n_pages > 1)
		shrink_runs(extent);
	return true;
}

/* Return a new extent of n_pages; NULL if there is no memory for it. */
static GaExtent *
make_extent(GaExtents *extents, uint32_t n_pages, uint64_t statement_id)
{
	GaExtent *extent;

	if (!free_pages(extents, n_pages, statement_id))
		return NULL;
	do
		extent = ga_pool_allocate(&extents->items);
	while (extent == NULL && ga_extents_evict_one(extents, statement_id));
	if (extent == NULL)
		return NULL;
	extent->statement_id = statement_id;
	extent->n_pages = n_pages;
	if (!allocate_runs(extents, extent))
	{
		ga_pool_free(&extents->items, extent);
		return NULL;
	}
	insert_into_list(extents, extent, false);
	return extent;
}

/* Allocate an extent of its own pages, as ga_extents_allocate(). */
GaExtent *
ga_extents_allocate_pages(GaExtents *extents, uint32_t n_pages,
						  uint64_t statement_id)
{
	GaExtent *extent = make_extent(extents, n_pages, statement_id);

	if (extent != NULL)
		extent->n_users++;
	return extent;
}

/*
 * Allocate n_pages more for an extent that has users, behind those that it has;
 * evict others for the statement that used it last.  Return false if there is
 * no memory, and nothing has changed.
 */
bool
ga_extents_grow(GaExtents *extents, GaExtent *extent, uint32_t n_pages)
{
	GaPageRun *runs;

	if (n_pages == 0)
		return true;
	if (!free_pages(extents, n_pages, extent->statement_id))
		return false;
	runs = malloc((extent->n_runs + n_pages) * sizeof(GaPageRun));
	if (runs == NULL)
		return false;
	memcpy(runs, extent->runs, extent->n_runs * sizeof(GaPageRun));
	if (extent->runs != &extent->run)
		free(extent->runs);
	extent->runs = runs;
	remove_from_list(extents, extent);
	extent->n_runs +=
		ga_pages_allocate(&extents->pages, n_pages, runs + extent->n_runs);
	extent->n_pages += n_pages;
	insert_into_list(extents, extent, extent->is_protected);
	shrink_runs(extent);
	return true;
}

/* Allocate a part of a page that small arrays share. */
static GaExtent *
allocate_shared(GaExtents *extents, uint32_t n_bytes, uint64_t statement_id,
				uint32_t *at)
{
	GaExtent *extent = extents->open;
	uint32_t n =
		(n_bytes + GA_EXTENT_ALIGN - 1) / GA_EXTENT_ALIGN * GA_EXTENT_ALIGN;

	if (extent == NULL || GA_PAGE_BYTES - extent->n_filled < n)
	{
		/* the full one is evicted like any other from now on */
		extents->open = NULL;
		extent = make_extent(extents, 1, statement_id);
		if (extent == NULL)
			return NULL;
		extent->is_shared = true;
		extents->open = extent;
	}
	else
		ga_extents_use(extents, extent, statement_id);
	*at = extent->n_filled;
	extent->n_filled += n;
	return extent;
}

/*
 * Allocate n_bytes for an array: return an extent, and set *at to the place in
 * it.  The extent gets one user more; the caller frees it once it has neither
 * entries nor users.  Return NULL if this statement cannot have the memory.
 */
GaExtent *
ga_extents_allocate(GaExtents *extents, uint64_t n_bytes, uint64_t statement_id,
					uint32_t *at)
{
	GaExtent *extent;

	*at = 0;
	if (n_bytes >= SHARED_BYTES)
		return ga_extents_allocate_pages(extents, ga_extent_pages(n_bytes),
										 statement_id);
	extent = allocate_shared(extents, (uint32_t) n_bytes, statement_id, at);
	if (extent != NULL)
		extent->n_users++;
	return extent;
}

/* Free an extent without entries and users. */
void
ga_extents_free(GaExtents *extents, GaExtent *extent)
{
	uint32_t i;

	if (extents->open == extent)
		extents->open = NULL;
	remove_from_list(extents, extent);
	for (i = 0; i < extent->n_runs; i++)
		ga_pages_free(&extents->pages, &extent->runs[i]);
	if (extent->runs != &extent->run)
		free(extent->runs);
	ga_pool_free(&extents->items, extent);
}

/* Are any pages of an extent in a slab? */
static bool
lies_in(const GaExtent *extent, uint32_t slab)
{
	uint32_t i;

	for (i = 0; i < extent->n_runs; i++)
	{
		if (extent->runs[i].slab == slab)
			return true;
	}
	return false;
}

/* Evict all extents of a slab that have no users, whatever used them last. */
static void
clear_slab(GaExtents *extents, GaExtentList *list, uint32_t slab)
{
	GaExtent *extent = TAILQ_FIRST(list);

	while (extent != NULL)
	{
		GaExtent *next = TAILQ_NEXT(extent, by_use);

		if (extent->n_users == 0 && lies_in(extent, slab))
			extents->evict(extents, extent);
		extent = next;
	}
}

/* Release a slab, with what lies in it if need be; false if all are in use. */
static bool
release_slab(GaExtents *extents)
{
	uint32_t i;

	for (i = 0; i < extents->pages.n_slabs; i++)
	{
		if (ga_pages_release(&extents->pages))
			return true;
		clear_slab(extents, &extents->probation, i);
		clear_slab(extents, &extents->protected, i);
	}
	return ga_pages_release(&extents->pages);
}

/*
 * Return slabs of n_bytes to the device, which has no memory left for a
 * request, and evict what lies in them; fewer if others are in use.  The memory
 * is not taken again at once.  Return false if all slabs are in use.
 */
bool
ga_extents_evict(GaExtents *extents, uint64_t n_bytes)
{
	GaPages *pages = &extents->pages;
	const uint64_t n_before = pages->n_all;

	while (n_before - pages->n_all < ga_extent_pages(n_bytes) &&
		   release_slab(extents))
		;
	if (pages->n_all == n_before)
		return false;
	ga_pages_set_limit(pages);
	return true;
}

/*
 * Find byte `at` of an extent, which is before its end: set its address, and
 * how many of n_bytes from there on are contiguous.
 */
void
ga_extents_find(const GaExtents *extents, const GaExtent *extent, uint64_t at,
				uint64_t n_bytes, GaDeviceAddress *address, uint64_t *n_there)
{
	const GaPageRun *run = extent->runs;
	uint64_t left; /* of the run */

	while (at >= (uint64_t) run->n_pages * GA_PAGE_BYTES)
		at -= (uint64_t) run++->n_pages * GA_PAGE_BYTES;
	left = (uint64_t) run->n_pages * GA_PAGE_BYTES - at;
	*address = ga_pages_address(&extents->pages, run) + at;
	*n_there = n_bytes < left ? n_bytes : left;
}
