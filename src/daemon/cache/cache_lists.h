/*
 * cache_lists.h
 *		The lists of a cache's entries, by relation and by extent.
 */
#ifndef GA_CACHE_LISTS_H
#define GA_CACHE_LISTS_H

#include "cache.h"

extern void ga_lists_enter_extent(GaCache *cache, GaExtent *extent,
								  GaEntry *entry);
extern void ga_lists_enter_relation(GaCache *cache, GaRelation *relation,
									GaEntry *entry,
									const GaCacheClient *client);
extern void ga_lists_leave_extent(GaCache *cache, GaExtent *extent,
								  GaEntry *entry);
extern void ga_lists_leave_relation(GaCache *cache, GaRelation *relation,
									GaEntry *entry);

#endif /* GA_CACHE_LISTS_H */
