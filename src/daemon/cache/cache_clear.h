/*
 * cache_clear.h
 *		Removing resident arrays step by step, and overwriting their memory.
 */
#ifndef GA_CACHE_CLEAR_H
#define GA_CACHE_CLEAR_H

#include "cache.h"

/* How far a removal is. */
typedef struct GaCacheClear
{
	uint32_t extent; /* the last one that was overwritten where it is unused */
	GaPageRun run;	 /* the last free pages that were overwritten */
	uint32_t n_zeroed; /* places that this step overwrites */
} GaCacheClear;

extern void ga_cache_clear_begin(GaCache *cache, GaCacheClear *clear,
								 uint32_t relation, uint32_t database);
extern uint64_t ga_cache_clear_remove(GaCache *cache, uint64_t most);
extern GaStatus ga_cache_clear_zero(GaCache *cache, GaCacheClear *clear,
									GaDeviceQueue *queue,
									GaDeviceFailure *failure);
extern bool ga_cache_clear_release(GaCache *cache, bool is_overwritten);

#endif /* GA_CACHE_CLEAR_H */
