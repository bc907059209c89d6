/*
 * cache_rows.h
 *		Which array a query comes to after another one.
 */
#ifndef GA_CACHE_ROWS_H
#define GA_CACHE_ROWS_H

#include "cache.h"

extern void ga_rows_made(GaCache *cache, const GaCacheClient *client,
						 GaEntry *entry);
extern void ga_rows_learn(GaCache *cache, GaEntry *previous,
						  const GaEntry *entry);
extern uint32_t ga_rows_kept(const GaCache *cache, uint32_t number,
							 uint32_t relation);
extern uint32_t ga_rows_next(const GaCache *cache, uint32_t number);

#endif /* GA_CACHE_ROWS_H */
