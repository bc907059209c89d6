/*
 * toast_chunk.h
 *		Chunks of a value, on a page of its TOAST relation.
 */
#ifndef GA_TOAST_CHUNK_H
#define GA_TOAST_CHUNK_H

#include "access/heaptoast.h"

#include "toast.h"

/* Full chunks that fill a page. */
#define GA_CHUNKS_FILL_PAGE ((int32) EXTERN_TUPLES_PER_PAGE)

/* Chunks of a value on one page at most; one of them may be small. */
#define GA_CHUNKS_ON_PAGE 8

/* A read of some bytes of one value. */
typedef struct GaChunkReader
{
	GaToastRelation *relation;
	const struct varatt_external *pointer;
	int32 from; /* bytes of the value as it is stored */
	int32 n;
	char *to;
	int32 first; /* chunks */
	int32 next;
	int32 last;
	int32 last_of_value;

	/* found on a page, and not copied yet; the last one is next - 1 */
	int n_found;
	const char *found[GA_CHUNKS_ON_PAGE];
} GaChunkReader;

extern void ga_chunk_reader_init(GaChunkReader *reader, int32 from, int32 n);
extern bool ga_chunk_find(GaChunkReader *reader, Buffer buffer, OffsetNumber at,
						  bool same_xmin);
extern void ga_chunk_copy(GaChunkReader *reader, Buffer ahead);

#endif /* GA_TOAST_CHUNK_H */
