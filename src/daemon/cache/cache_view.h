/*
 * cache_view.h
 *		What is resident, as rows in a memfd for a client.
 */
#ifndef GA_CACHE_VIEW_H
#define GA_CACHE_VIEW_H

#include <stdint.h>

extern int ga_cache_view(uint64_t *n_rows);

#endif /* GA_CACHE_VIEW_H */
