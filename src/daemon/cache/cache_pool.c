/*
 * cache_pool.c
 *		Host memory of a cache: pools of items of one size.
 *
 * Owns the memory of what a cache knows of its arrays.  There may be tens of
 * millions of them, so items are packed, have no header, and name each other by
 * numbers of four bytes.  Called by cache_entries.c, cache_table.c and
 * cache_extents.c.
 *
 * A pool has a range of addresses for all items that the limit allows.  Memory
 * comes to it in chunks, and goes back to the system when a chunk has no item
 * any more, but for one, so that a single item does not take and give one back
 * each time.  The addresses from the last chunk with memory on are only
 * reserved, which no system counts.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cache_pool.h"

/* Reserve addresses without memory.  NULL if there are none. */
char *
ga_host_reserve(uint64_t n_bytes)
{
	void *start = mmap(NULL, n_bytes, PROT_NONE,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return start == MAP_FAILED ? NULL : start;
}

/* Let reserved addresses have memory, all zero, as they are written. */
bool
ga_host_commit(char *start, size_t n_bytes)
{
	return mprotect(start, n_bytes, PROT_READ | PROT_WRITE) == 0;
}

/* Release memory; the addresses are only reserved then. */
void
ga_host_release(char *start, size_t n_bytes)
{
	(void) mmap(start, n_bytes, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static size_t
chunk_bytes(const GaPool *pool)
{
	return pool->chunk_items * pool->item_bytes;
}

static char *
chunk_start(const GaPool *pool, const GaPoolChunk *chunk)
{
	return pool->start + (size_t) (chunk - pool->chunks) * chunk_bytes(pool);
}

/*
 * Open an empty pool; one that is limited allocates no more than the budget
 * allows.  Return false if there is no memory.
 */
bool
ga_pool_open(GaPool *pool, GaHostBudget *budget, bool is_limited,
			 size_t item_bytes)
{
	*pool = (GaPool){
		.budget = budget,
		.is_limited = is_limited,
		.item_bytes = item_bytes,
		/* chunks of whole pages, since the size of items is 4 bytes times n */
		.chunk_items = (uint32_t) sysconf(_SC_PAGESIZE) / 4,
	};
	TAILQ_INIT(&pool->with_space);
	TAILQ_INIT(&pool->without_memory);
	pool->max_chunks = (uint32_t) (budget->limit / chunk_bytes(pool)) + 1;
	pool->start = ga_host_reserve(pool->max_chunks * chunk_bytes(pool));
	pool->chunks = calloc(pool->max_chunks, sizeof(*pool->chunks));
	return pool->start != NULL && pool->chunks != NULL;
}

/* Return a chunk without items that has memory; NULL if there is none. */
static GaPoolChunk *
add_chunk(GaPool *pool)
{
	GaHostBudget *budget = pool->budget;
	GaPoolChunk *chunk = TAILQ_FIRST(&pool->without_memory);

	if (pool->is_limited && budget->n_bytes + chunk_bytes(pool) > budget->limit)
		return NULL;
	if (chunk != NULL)
		TAILQ_REMOVE(&pool->without_memory, chunk, in_list);
	else
	{
		chunk = &pool->chunks[pool->n_chunks];
		if (pool->n_chunks == pool->max_chunks ||
			!ga_host_commit(chunk_start(pool, chunk), chunk_bytes(pool)))
			return NULL;
		pool->n_chunks++;
	}
	budget->n_bytes += chunk_bytes(pool);
	*chunk = (GaPoolChunk){.has_memory = true};
	TAILQ_INSERT_HEAD(&pool->with_space, chunk, in_list);
	return chunk;
}

/* Give the memory of a chunk without items back. */
static void
release_chunk(GaPool *pool, GaPoolChunk *chunk)
{
	pool->budget->n_bytes -= chunk_bytes(pool);
	chunk->has_memory = false;
	TAILQ_REMOVE(&pool->with_space, chunk, in_list);
	TAILQ_INSERT_HEAD(&pool->without_memory, chunk, in_list);
	(void) madvise(chunk_start(pool, chunk), chunk_bytes(pool), MADV_DONTNEED);
	while (pool->n_chunks > 0 && !pool->chunks[pool->n_chunks - 1].has_memory)
	{
		chunk = &pool->chunks[--pool->n_chunks];
		TAILQ_REMOVE(&pool->without_memory, chunk, in_list);
		ga_host_release(chunk_start(pool, chunk), chunk_bytes(pool));
	}
}

/* Return a new item, all zero; NULL if there is no memory, or at the limit. */
void *
ga_pool_allocate(GaPool *pool)
{
	GaPoolChunk *chunk = TAILQ_FIRST(&pool->with_space);
	uint32_t *item;

	if (chunk == NULL)
		chunk = add_chunk(pool);
	if (chunk == NULL)
		return NULL;
	if (chunk->first_free == 0)
		chunk->first_free = ++chunk->n_fresh;
	item = (uint32_t *) (chunk_start(pool, chunk) +
						 (chunk->first_free - 1) * pool->item_bytes);
	chunk->first_free = *item;
	*item = 0;
	if (++chunk->n_used == pool->chunk_items)
		TAILQ_REMOVE(&pool->with_space, chunk, in_list);
	return item;
}

/* Free an item; its memory is zero but for the link to the next free one. */
void
ga_pool_free(GaPool *pool, void *item)
{
	const uint32_t i = ga_pool_number(pool, item) - 1;
	GaPoolChunk *chunk = &pool->chunks[i / pool->chunk_items];

	memset(item, 0, pool->item_bytes);
	*(uint32_t *) item = chunk->first_free;
	chunk->first_free = i % pool->chunk_items + 1;
	if (chunk->n_used-- == pool->chunk_items)
		TAILQ_INSERT_HEAD(&pool->with_space, chunk, in_list);
	if (chunk->n_used > 0)
		return;
	if (pool->spare != NULL && pool->spare != chunk &&
		pool->spare->has_memory && pool->spare->n_used == 0)
		release_chunk(pool, chunk);
	else
		pool->spare = chunk;
}

/*
 * Return the number of the next place of an item behind number i that has
 * memory, whether it is free or not; 0 at the end.
 */
uint32_t
ga_pool_next(const GaPool *pool, uint32_t i)
{
	uint32_t number = i / pool->chunk_items;

	while (number < pool->n_chunks)
	{
		const GaPoolChunk *chunk = &pool->chunks[number];

		if (chunk->has_memory && i % pool->chunk_items < chunk->n_fresh)
			return i + 1;
		i = ++number * pool->chunk_items;
	}
	return 0;
}
