/*
 * cache_extents.c
 *		The pages of resident values, and which of them go first.
 *
 * Blocks are in two lists by their last use.  One that was used by one scan (a
 * statement, mostly) is on probation; a second scan has it protected.  Half of
 * the memory can be protected, and what was not used for longest goes back on
 * probation when there is more.  Only extents on probation are evicted, and none
 * by the scan that used it last: a scan of more than there is room for keeps
 * what it loaded first, which the next one finds, instead of washing out
 * itself and everything else.
 *
 * Small values share a page, in the order in which they came: those that are
 * used together mostly lie together, and go together.
 */
#include <stdlib.h>
#include <string.h>

#include "cache_extents.h"

/* Values of less than that share pages. */
#define SHARED_BYTES (GA_PAGE_BYTES / 2)

/* Where values begin in a shared page: at multiples of this. */
#define ALIGN_BYTES 64

bool
ga_extents_open(GaExtents *extents, const GaOpenDevice *device,
				uint64_t n_bytes,
				void (*evict)(GaExtents *extents, GaExtent *block))
{
	TAILQ_INIT(&extents->probation);
	TAILQ_INIT(&extents->protected);
	extents->n_protected = 0;
	extents->open = NULL;
	extents->evict = evict;
	return ga_pages_open(&extents->pages, device, n_bytes);
}

/* The list that a block is in. */
static GaExtentList *
list_of(GaExtents *extents, const GaExtent *block)
{
	return block->is_protected ? &extents->protected : &extents->probation;
}

static void
remove_from_list(GaExtents *extents, GaExtent *block)
{
	TAILQ_REMOVE(list_of(extents, block), block, by_use);
	if (block->is_protected)
		extents->n_protected -= block->n_pages;
}

static void
insert_into_list(GaExtents *extents, GaExtent *block, bool is_protected)
{
	block->is_protected = is_protected;
	TAILQ_INSERT_HEAD(list_of(extents, block), block, by_use);
	if (is_protected)
		extents->n_protected += block->n_pages;
}

/* No more than half of all memory stays protected. */
static void
limit_protected(GaExtents *extents)
{
	const uint64_t most =
		(uint64_t) extents->pages.max_slabs * extents->pages.slab_pages / 2;

	while (extents->n_protected > most)
	{
		GaExtent *block = TAILQ_LAST(&extents->protected, GaExtentList);

		remove_from_list(extents, block);
		insert_into_list(extents, block, false);
	}
}

/* A scan uses a block. */
void
ga_extents_use(GaExtents *extents, GaExtent *block, uint64_t scan)
{
	bool is_protected = block->is_protected || block->scan != scan;

	block->scan = scan;
	if (is_protected == block->is_protected &&
		TAILQ_FIRST(list_of(extents, block)) == block)
		return;
	remove_from_list(extents, block);
	insert_into_list(extents, block, is_protected);
	limit_protected(extents);
}

/* The block that is to go first for a scan; NULL if none may. */
static GaExtent *
find_victim(GaExtents *extents, uint64_t scan)
{
	GaExtent *block;

	TAILQ_FOREACH_REVERSE(block, &extents->probation, GaExtentList, by_use)
	{
		if (block->scan == scan)
			return NULL;
		if (block->n_users == 0)
			return block;
	}
	return NULL;
}

/* Is there room for so many, if nothing else is there? */
static bool
can_have(GaPages *pages, uint64_t n_pages)
{
	return n_pages <= ga_pages_limit(pages);
}

/* Have so many pages free, if that is possible. */
static bool
make_room(GaExtents *extents, uint64_t n_pages, uint64_t scan)
{
	GaPages *pages = &extents->pages;

	while (pages->n_free < n_pages)
	{
		GaExtent *victim;

		/* the device may turn out to have less than it was to have */
		if (!can_have(pages, n_pages))
			return false;
		if (ga_pages_grow(pages) || !can_have(pages, n_pages))
			continue;
		victim = find_victim(extents, scan);
		if (victim == NULL)
			return false;
		extents->evict(extents, victim);
	}
	return true;
}

/* A new block of so many pages, with one user; NULL if there is no room. */
static GaExtent *
make_block(GaExtents *extents, uint32_t n_pages, uint64_t scan)
{
	GaExtent *block;
	GaExtent *smaller;

	if (!make_room(extents, n_pages, scan))
		return NULL;
	block = malloc(sizeof(GaExtent) + n_pages * sizeof(GaPageRun));
	if (block == NULL)
		return NULL;
	memset(block, 0, sizeof(*block));
	block->scan = scan;
	block->n_pages = n_pages;
	block->n_extents =
		ga_pages_allocate(&extents->pages, n_pages, block->extents);
	smaller =
		realloc(block, sizeof(GaExtent) + block->n_extents * sizeof(GaPageRun));
	if (smaller != NULL)
		block = smaller;
	TAILQ_INIT(&block->entries);
	insert_into_list(extents, block, false);
	return block;
}

/* A place in a page that small values share. */
static GaExtent *
take_shared(GaExtents *extents, uint32_t n_bytes, uint64_t scan, uint32_t *at)
{
	GaExtent *block = extents->open;
	uint32_t n = (n_bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;

	if (block == NULL || GA_PAGE_BYTES - block->n_filled < n)
	{
		/* the old one is evicted like any other from now on */
		extents->open = NULL;
		block = make_block(extents, 1, scan);
		if (block == NULL)
			return NULL;
		block->is_shared = true;
		extents->open = block;
	}
	else
		ga_extents_use(extents, block, scan);
	*at = block->n_filled;
	block->n_filled += n;
	return block;
}

/*
 * Room for a value: a block, and where in it.  It has one user more, and is to
 * be given back when it has neither entries nor users.  NULL if there is no
 * room for this scan.
 */
GaExtent *
ga_extents_allocate(GaExtents *extents, uint64_t n_bytes, uint64_t scan,
					uint32_t *at)
{
	GaExtent *block;

	*at = 0;
	if (n_bytes < SHARED_BYTES)
		block = take_shared(extents, (uint32_t) n_bytes, scan, at);
	else
		block = make_block(
			extents, (uint32_t) ((n_bytes + GA_PAGE_BYTES - 1) / GA_PAGE_BYTES),
			scan);
	if (block != NULL)
		block->n_users++;
	return block;
}

/* A block that nobody has any use for. */
void
ga_extents_free(GaExtents *extents, GaExtent *block)
{
	uint32_t i;

	if (extents->open == block)
		extents->open = NULL;
	remove_from_list(extents, block);
	for (i = 0; i < block->n_extents; i++)
		ga_pages_free(&extents->pages, &block->extents[i]);
	free(block);
}

static bool
lies_in(const GaExtent *block, uint32_t slab)
{
	uint32_t i;

	for (i = 0; i < block->n_extents; i++)
	{
		if (block->extents[i].slab == slab)
			return true;
	}
	return false;
}

/* Evict all that can be of a slab, whoever used it. */
static void
clear_slab(GaExtents *extents, GaExtentList *list, uint32_t slab)
{
	GaExtent *block = TAILQ_FIRST(list);

	while (block != NULL)
	{
		GaExtent *next = TAILQ_NEXT(block, by_use);

		if (block->n_users == 0 && lies_in(block, slab))
			extents->evict(extents, block);
		block = next;
	}
}

/*
 * The device has no memory for what is more urgent: give some back.  False if
 * there is none to be had, because all slabs are in use.
 */
bool
ga_extents_evict(GaExtents *extents)
{
	uint32_t i;

	for (i = 0; i < extents->pages.n_slabs; i++)
	{
		if (ga_pages_trim(&extents->pages))
			return true;
		clear_slab(extents, &extents->probation, i);
		clear_slab(extents, &extents->protected, i);
	}
	return ga_pages_trim(&extents->pages);
}

/*
 * Where byte `at` of a block is, and how many of n_bytes from there on lie one
 * behind the other.  Returns 1, or 0 if it is behind the block's end.
 */
uint32_t
ga_extents_find(const GaExtents *extents, const GaExtent *block, uint64_t at,
				uint64_t n_bytes, GaDeviceAddress *address, uint64_t *n_there)
{
	uint32_t i;

	for (i = 0; i < block->n_extents; i++)
	{
		uint64_t size = (uint64_t) block->extents[i].n_pages * GA_PAGE_BYTES;

		if (at < size)
		{
			*address =
				ga_pages_address(&extents->pages, &block->extents[i]) + at;
			*n_there = n_bytes < size - at ? n_bytes : size - at;
			return 1;
		}
		at -= size;
	}
	return 0;
}
