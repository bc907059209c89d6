/*
 * cache_clear.c
 *		Removing resident arrays step by step, and overwriting their memory.
 *
 * Called by clear.c, a step at a time, so that other requests are served
 * between steps: begin; remove until nothing is left; zero until all is
 * overwritten; release until no memory is left to release, which ends it.
 * Meanwhile no load begins, so that no page is taken that is to be overwritten,
 * and no removed array comes back.
 *
 * Free pages are overwritten, and the holes of pages that small arrays share.
 * The unused end of a larger array's last page is not: it may still have what
 * was in the page before.  A removed array that a request still uses keeps its
 * memory until the request is finished, which is waited for.
 */
#include "cache_clear.h"

/*
 * What is done in a step: pages that are overwritten, extents that are looked
 * at, and places in them that are overwritten.
 */
#define STEP_PAGES	 ((8 << 20) / GA_PAGE_BYTES)
#define STEP_EXTENTS 1024
#define STEP_HOLES	 256

/* Begin to remove the arrays of a database's relation, or all (0). */
void
ga_cache_clear_begin(GaCache *cache, GaCacheClear *clear, uint32_t relation,
					 uint32_t database)
{
	GaRelation *of;

	*clear = (GaCacheClear){.extent = 0};
	cache->is_clearing = true;
	cache->extents.open = NULL;
	LIST_FOREACH(of, &cache->all_relations, next)
	{
		of->is_to_clear = relation == 0 || (of->relation == relation &&
											of->database == database);
	}
}

/* Remove `most` arrays.  Return how many; it is less if none is left. */
uint64_t
ga_cache_clear_remove(GaCache *cache, uint64_t most)
{
	GaRelation *relation = LIST_FIRST(&cache->all_relations);
	uint64_t n = 0;

	while (relation != NULL && n < most)
	{
		GaRelation *next = LIST_NEXT(relation, next);
		uint64_t left = relation->is_to_clear ? relation->n_entries : 0;

		if (left > most - n)
			left = most - n;
		/* removing the last entry frees the record */
		for (n += left; left > 0; left--)
			ga_cache_remove(cache,
							ga_cache_entry(cache, relation->entries.first));
		relation = next;
	}
	return n;
}

/* Is any array that was removed from an extent in use? */
static bool
is_in_use(const GaCache *cache, const GaExtent *extent)
{
	uint32_t n_users = extent->n_users;
	uint32_t number = extent->entries.first;

	while (number != 0 && n_users > 0)
	{
		const GaEntry *entry = ga_cache_entry(cache, number);

		n_users -= entry->n_users;
		number = entry->next_in_extent;
	}
	return n_users > 0;
}

/* Overwrite bytes of an extent of one page, from one place to another. */
static GaStatus
zero_hole(GaCache *cache, GaCacheClear *clear, const GaExtent *extent,
		  uint64_t from, uint64_t to, GaDeviceQueue *queue,
		  GaDeviceFailure *failure)
{
	const GaPages *pages = &cache->extents.pages;

	if (from >= to)
		return GA_OK;
	clear->n_zeroed++;
	return pages->device->kind->zero(
		queue, ga_pages_address(pages, &extent->run) + from, to - from,
		failure);
}

/* Overwrite what no array has of a shared extent; they are in order there. */
static GaStatus
zero_holes(GaCache *cache, GaCacheClear *clear, const GaExtent *extent,
		   GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	uint32_t number = extent->entries.first;
	GaStatus status = GA_OK;
	uint64_t at = 0;

	while (number != 0 && status == GA_OK)
	{
		const GaEntry *entry = ga_cache_entry(cache, number);
		const uint64_t from = ga_entry_at(entry);

		status = zero_hole(cache, clear, extent, at, from, queue, failure);
		at = from + (ga_entry_capacity(entry) + GA_EXTENT_ALIGN - 1) /
						GA_EXTENT_ALIGN * GA_EXTENT_ALIGN;
		number = entry->next_in_extent;
	}
	return status == GA_OK ? zero_hole(cache, clear, extent, at, GA_PAGE_BYTES,
									   queue, failure) :
							 status;
}

/*
 * Overwrite the holes of the next extents.  Return as ga_cache_clear_zero(),
 * but GA_OK if there are no more extents.
 */
static GaStatus
zero_extents(GaCache *cache, GaCacheClear *clear, GaDeviceQueue *queue,
			 GaDeviceFailure *failure)
{
	const GaPool *items = &cache->extents.items;
	uint32_t number = ga_pool_next(items, clear->extent);
	GaStatus status = GA_OK;
	uint32_t i;

	clear->n_zeroed = 0;
	for (i = 0; i < STEP_EXTENTS && number != 0 && status == GA_OK &&
				clear->n_zeroed < STEP_HOLES;
		 i++)
	{
		GaExtent *extent = ga_pool_item(items, number);

		/* a free item has no pages */
		if (extent->n_pages > 0 && is_in_use(cache, extent))
			break;
		if (extent->n_pages > 0 && extent->has_holes)
			status = zero_holes(cache, clear, extent, queue, failure);
		/* what was refused is left to the next removal */
		extent->has_holes = status != GA_OK;
		clear->extent = number;
		number = ga_pool_next(items, number);
	}
	if (status != GA_OK || number == 0)
		return status == GA_OK && clear->n_zeroed > 0 ? GA_PENDING : status;
	return clear->n_zeroed > 0 ? GA_PENDING : GA_NO_CAPACITY;
}

/* Overwrite the next free pages.  Return as ga_cache_clear_zero(). */
static GaStatus
zero_pages(GaCache *cache, GaCacheClear *clear, GaDeviceQueue *queue,
		   GaDeviceFailure *failure)
{
	GaPages *pages = &cache->extents.pages;
	uint32_t n = 0;

	while (n < STEP_PAGES &&
		   ga_pages_find_stale(pages, &clear->run, STEP_PAGES - n))
	{
		GaStatus status = pages->device->kind->zero(
			queue, ga_pages_address(pages, &clear->run),
			(uint64_t) clear->run.n_pages * GA_PAGE_BYTES, failure);

		if (status != GA_OK)
			return status;
		ga_pages_zeroed(pages, &clear->run);
		clear->run.page += clear->run.n_pages;
		n += clear->run.n_pages;
	}
	return n > 0 ? GA_PENDING : GA_OK;
}

/*
 * Overwrite some more of the memory that no array has.  Return GA_PENDING:
 * continue when the queue has finished; GA_NO_CAPACITY: continue in the next
 * turn, since a request is to be waited for, or others are to be served; GA_OK:
 * all of it is overwritten; or why that is impossible.
 */
GaStatus
ga_cache_clear_zero(GaCache *cache, GaCacheClear *clear, GaDeviceQueue *queue,
					GaDeviceFailure *failure)
{
	GaStatus status = zero_extents(cache, clear, queue, failure);

	return status == GA_OK ? zero_pages(cache, clear, queue, failure) : status;
}

/*
 * Release some memory that no array has to the device, if it is overwritten;
 * otherwise it stays here, for the next removal.  Return false if there is no
 * more of it, and the removal has ended: loads begin again.
 */
bool
ga_cache_clear_release(GaCache *cache, bool is_overwritten)
{
	if (is_overwritten && ga_pages_release_slab(&cache->extents.pages))
		return true;
	/* the device may have as much as at the start by now */
	ga_pages_reset_limit(&cache->extents.pages);
	cache->is_clearing = false;
	return false;
}
