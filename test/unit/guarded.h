/*
 * guarded.h
 *		Memory between two pages that fault when touched.
 *
 * What lies around the data is filled with bytes that make any sum wrong.
 */
#ifndef GUARDED_H
#define GUARDED_H

#include <stddef.h>

typedef struct Guarded
{
	char *map;
	size_t map_bytes; /* with both guard pages */
	char *start;	  /* the memory between them */
	char *end;
} Guarded;

extern void guarded_new(Guarded *guarded, size_t n_bytes);
extern void guarded_free(Guarded *guarded);

/* Copy data so that it begins, or ends, so many bytes off a guard page. */
extern void *guarded_at_start(Guarded *guarded, size_t offset, const void *data,
							  size_t n_bytes);
extern void *guarded_at_end(Guarded *guarded, size_t offset, const void *data,
							size_t n_bytes);

#endif /* GUARDED_H */
