/*
 * shared_memory.h
 *		Memory that gpuaggd shares with sessions.
 */
#ifndef GA_SHARED_MEMORY_H
#define GA_SHARED_MEMORY_H

#include <stddef.h>

extern char *ga_shared_memory_make(const char *name, size_t n_bytes, int *fd,
								   const char **failed_call);

#endif /* GA_SHARED_MEMORY_H */
