/*
 * caches.h
 *		The caches of all devices.
 */
#ifndef GA_CACHES_H
#define GA_CACHES_H

#include "cache.h"

extern void ga_caches_open(uint64_t request_bytes, void (*load_ended)(void));
extern uint64_t ga_caches_rows(GaCacheRow *rows, uint64_t capacity);
extern void ga_caches_fill(GaStatRow *row);
extern GaCache *ga_cache_of(const GaOpenDevice *device);

#endif /* GA_CACHES_H */
