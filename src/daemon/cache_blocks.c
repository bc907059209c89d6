/*
 * cache_blocks.c
 *		The pages of resident values, and which of them go first.
 *
 * Blocks are in two lists by their last use.  One that was used by one scan (a
 * statement, mostly) is on probation; a second scan has it protected.  Half of
 * the memory can be protected, and what was not used for longest goes back on
 * probation when there is more.  Only blocks on probation are evicted, and none
 * by the scan that used it last: a scan of more than there is room for keeps
 * what it loaded first, which the next one finds, instead of washing out
 * itself and everything else.
 *
 * Small values share a page, in the order in which they came: those that are
 * used together mostly lie together, and go together.
 */
#include <stdlib.h>
#include <string.h>

#include "cache_blocks.h"

/* Values of less than that share pages. */
#define SHARED_BYTES	(GA_PAGE_BYTES / 2)

/* Where values begin in a shared page: at multiples of this. */
#define ALIGN_BYTES		64

bool
ga_blocks_open(GaBlocks *blocks, const GaOpenDevice *device, uint64_t n_bytes,
			   void (*evict) (GaBlocks *blocks, GaBlock *block))
{
	TAILQ_INIT(&blocks->probation);
	TAILQ_INIT(&blocks->protected);
	blocks->n_protected = 0;
	blocks->open = NULL;
	blocks->evict = evict;
	return ga_pages_open(&blocks->pages, device, n_bytes);
}

/* The list that a block is in. */
static GaBlockList *
list_of(GaBlocks *blocks, const GaBlock *block)
{
	return block->is_protected ? &blocks->protected : &blocks->probation;
}

static void
remove_from_list(GaBlocks *blocks, GaBlock *block)
{
	TAILQ_REMOVE(list_of(blocks, block), block, by_use);
	if (block->is_protected)
		blocks->n_protected -= block->n_pages;
}

static void
insert_into_list(GaBlocks *blocks, GaBlock *block, bool is_protected)
{
	block->is_protected = is_protected;
	TAILQ_INSERT_HEAD(list_of(blocks, block), block, by_use);
	if (is_protected)
		blocks->n_protected += block->n_pages;
}

/* No more than half of all memory stays protected. */
static void
limit_protected(GaBlocks *blocks)
{
	const uint64_t most = (uint64_t) blocks->pages.max_segments *
		blocks->pages.segment_pages / 2;

	while (blocks->n_protected > most)
	{
		GaBlock    *block = TAILQ_LAST(&blocks->protected, GaBlockList);

		remove_from_list(blocks, block);
		insert_into_list(blocks, block, false);
	}
}

/* A scan uses a block. */
void
ga_blocks_use(GaBlocks *blocks, GaBlock *block, uint64_t scan)
{
	bool		is_protected = block->is_protected || block->scan != scan;

	block->scan = scan;
	if (is_protected == block->is_protected &&
		TAILQ_FIRST(list_of(blocks, block)) == block)
		return;
	remove_from_list(blocks, block);
	insert_into_list(blocks, block, is_protected);
	limit_protected(blocks);
}

/* The block that is to go first for a scan; NULL if none may. */
static GaBlock *
find_victim(GaBlocks *blocks, uint64_t scan)
{
	GaBlock    *block;

	TAILQ_FOREACH_REVERSE(block, &blocks->probation, GaBlockList, by_use)
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
make_room(GaBlocks *blocks, uint64_t n_pages, uint64_t scan)
{
	GaPages    *pages = &blocks->pages;

	while (pages->n_free < n_pages)
	{
		GaBlock    *victim;

		/* the device may turn out to have less than it was to have */
		if (!can_have(pages, n_pages))
			return false;
		if (ga_pages_grow(pages) || !can_have(pages, n_pages))
			continue;
		victim = find_victim(blocks, scan);
		if (victim == NULL)
			return false;
		blocks->evict(blocks, victim);
	}
	return true;
}

/* A new block of so many pages, with one user; NULL if there is no room. */
static GaBlock *
make_block(GaBlocks *blocks, uint32_t n_pages, uint64_t scan)
{
	GaBlock    *block;
	GaBlock    *smaller;

	if (!make_room(blocks, n_pages, scan))
		return NULL;
	block = malloc(sizeof(GaBlock) + n_pages * sizeof(GaExtent));
	if (block == NULL)
		return NULL;
	memset(block, 0, sizeof(*block));
	block->scan = scan;
	block->n_pages = n_pages;
	block->n_extents = ga_pages_take(&blocks->pages, n_pages, block->extents);
	smaller = realloc(block, sizeof(GaBlock) +
					  block->n_extents * sizeof(GaExtent));
	if (smaller != NULL)
		block = smaller;
	TAILQ_INIT(&block->entries);
	insert_into_list(blocks, block, false);
	return block;
}

/* A place in a page that small values share. */
static GaBlock *
take_shared(GaBlocks *blocks, uint32_t n_bytes, uint64_t scan, uint32_t *at)
{
	GaBlock    *block = blocks->open;
	uint32_t	n = (n_bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;

	if (block == NULL || GA_PAGE_BYTES - block->n_filled < n)
	{
		/* the old one is evicted like any other from now on */
		blocks->open = NULL;
		block = make_block(blocks, 1, scan);
		if (block == NULL)
			return NULL;
		block->is_shared = true;
		blocks->open = block;
	}
	else
		ga_blocks_use(blocks, block, scan);
	*at = block->n_filled;
	block->n_filled += n;
	return block;
}

/*
 * Room for a value: a block, and where in it.  It has one user more, and is to
 * be given back when it has neither entries nor users.  NULL if there is no
 * room for this scan.
 */
GaBlock *
ga_blocks_take(GaBlocks *blocks, uint64_t n_bytes, uint64_t scan,
			   uint32_t *at)
{
	GaBlock    *block;

	*at = 0;
	if (n_bytes < SHARED_BYTES)
		block = take_shared(blocks, (uint32_t) n_bytes, scan, at);
	else
		block = make_block(blocks, (uint32_t) ((n_bytes + GA_PAGE_BYTES - 1) /
											   GA_PAGE_BYTES), scan);
	if (block != NULL)
		block->n_users++;
	return block;
}

/* A block that nobody has any use for. */
void
ga_blocks_give(GaBlocks *blocks, GaBlock *block)
{
	uint32_t	i;

	if (blocks->open == block)
		blocks->open = NULL;
	remove_from_list(blocks, block);
	for (i = 0; i < block->n_extents; i++)
		ga_pages_give(&blocks->pages, &block->extents[i]);
	free(block);
}

static bool
lies_in(const GaBlock *block, uint32_t segment)
{
	uint32_t	i;

	for (i = 0; i < block->n_extents; i++)
	{
		if (block->extents[i].segment == segment)
			return true;
	}
	return false;
}

/* Evict all that can be of a segment, whoever used it. */
static void
clear_segment(GaBlocks *blocks, GaBlockList *list, uint32_t segment)
{
	GaBlock    *block = TAILQ_FIRST(list);

	while (block != NULL)
	{
		GaBlock    *next = TAILQ_NEXT(block, by_use);

		if (block->n_users == 0 && lies_in(block, segment))
			blocks->evict(blocks, block);
		block = next;
	}
}

/*
 * The device has no memory for what is more urgent: give some back.  False if
 * there is none to be had, because all segments are in use.
 */
bool
ga_blocks_release(GaBlocks *blocks)
{
	uint32_t	i;

	for (i = 0; i < blocks->pages.n_segments; i++)
	{
		if (ga_pages_trim(&blocks->pages))
			return true;
		clear_segment(blocks, &blocks->probation, i);
		clear_segment(blocks, &blocks->protected, i);
	}
	return ga_pages_trim(&blocks->pages);
}

/*
 * Where byte `at` of a block is, and how many of n_bytes from there on lie one
 * behind the other.  Returns 1, or 0 if it is behind the block's end.
 */
uint32_t
ga_blocks_find(const GaBlocks *blocks, const GaBlock *block, uint64_t at,
			   uint64_t n_bytes, GaDeviceAddress *address, uint64_t *n_there)
{
	uint32_t	i;

	for (i = 0; i < block->n_extents; i++)
	{
		uint64_t	size = (uint64_t) block->extents[i].n_pages * GA_PAGE_BYTES;

		if (at < size)
		{
			*address = ga_pages_address(&blocks->pages, &block->extents[i]) + at;
			*n_there = n_bytes < size - at ? n_bytes : size - at;
			return 1;
		}
		at -= size;
	}
	return 0;
}
