/*
 * cache_table.h
 *		The hash table by which entries are found.
 */
#ifndef GA_CACHE_TABLE_H
#define GA_CACHE_TABLE_H

#include "cache_pool.h"

/* Buckets, each with the number of its first entry. */
typedef struct GaTable
{
	GaHostBudget *budget;
	uint32_t *buckets;
	uint32_t n_buckets;
	uint32_t half;		  /* a power of two: half <= n_buckets < 2 * half */
	uint64_t n_committed; /* buckets that have memory */
	uint64_t max_buckets;
} GaTable;

struct GaCache;
struct GaEntry;
struct GaIdentity;

extern bool ga_table_open(GaTable *table, GaHostBudget *budget,
						  uint64_t max_entries);
extern struct GaEntry *ga_table_find(const struct GaCache *cache,
									 const struct GaIdentity *identity);
extern void ga_table_insert(struct GaCache *cache, struct GaEntry *entry);
extern void ga_table_remove(struct GaCache *cache, struct GaEntry *entry);

#endif /* GA_CACHE_TABLE_H */
