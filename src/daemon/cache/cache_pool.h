/*
 * cache_pool.h
 *		Host memory of a cache: pools of items of one size.
 */
#ifndef GA_CACHE_POOL_H
#define GA_CACHE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

/* The host memory of one cache. */
typedef struct GaHostBudget
{
	uint64_t n_bytes; /* allocated */
	uint64_t limit;
} GaHostBudget;

typedef struct GaPoolChunk
{
	TAILQ_ENTRY(GaPoolChunk) in_list;
	uint32_t n_used;
	uint32_t n_fresh;	 /* items from the start that have been used ever */
	uint32_t first_free; /* of those: the first one's number, from 1 */
	bool has_memory;
} GaPoolChunk;

typedef TAILQ_HEAD(GaPoolChunkList, GaPoolChunk) GaPoolChunkList;

/* Items have numbers from 1, and addresses that do not change. */
typedef struct GaPool
{
	GaHostBudget *budget;
	bool is_limited; /* no chunk more than the budget allows */
	char *start;
	size_t item_bytes;
	uint32_t chunk_items;
	uint32_t max_chunks;
	uint32_t n_chunks; /* of addresses that are in use, some without memory */
	GaPoolChunk *chunks;
	GaPoolChunk *spare;			/* perhaps an empty one, which is kept */
	GaPoolChunkList with_space; /* for an item at least */
	GaPoolChunkList without_memory;
} GaPool;

/* cache_pool.c */
extern char *ga_host_reserve(uint64_t n_bytes);
extern bool ga_host_commit(char *start, size_t n_bytes);
extern void ga_host_release(char *start, size_t n_bytes);

extern bool ga_pool_open(GaPool *pool, GaHostBudget *budget, bool is_limited,
						 size_t item_bytes);
extern void *ga_pool_allocate(GaPool *pool);
extern void ga_pool_free(GaPool *pool, void *item);
extern uint32_t ga_pool_next(const GaPool *pool, uint32_t i);

/* Return the item of a number. */
static inline void *
ga_pool_item(const GaPool *pool, uint32_t i)
{
	return pool->start + (size_t) (i - 1) * pool->item_bytes;
}

/* Return the number of an item. */
static inline uint32_t
ga_pool_number(const GaPool *pool, const void *item)
{
	return (uint32_t) ((size_t) ((const char *) item - pool->start) /
					   pool->item_bytes) +
		   1;
}

/* Does a number have memory, of an item or one that is free? */
static inline bool
ga_pool_has(const GaPool *pool, uint32_t i)
{
	return i > 0 && (i - 1) / pool->chunk_items < pool->n_chunks;
}

#endif /* GA_CACHE_POOL_H */
