/*
 * server_memory.c
 *		The memory of a server, for server_stubs.c: malloc(), and a list of
 *		what a query has allocated.
 */
#include "postgres.h"

#include <sys/queue.h>

#include "utils/memutils.h"

#include "server_stubs.h"

MemoryContext TopMemoryContext = (MemoryContext) &TopMemoryContext;
MemoryContext CurrentMemoryContext = (MemoryContext) &CurrentMemoryContext;
MemoryContext TopTransactionContext;

typedef struct Chunk
{
	LIST_ENTRY(Chunk) all;
	bool stays; /* it is of TopMemoryContext, and in no list */
	char bytes[] pg_attribute_aligned(16);
} Chunk;

static LIST_HEAD(, Chunk) chunks = LIST_HEAD_INITIALIZER(chunks);

static Chunk *
chunk_of(void *pointer)
{
	return (Chunk *) ((char *) pointer - offsetof(Chunk, bytes));
}

/* A limit stands for the server's memory. */
static void *
allocate(Size n_bytes, bool stays)
{
	Chunk *chunk;

	if (n_bytes > ((Size) 64 << 20))
		pg_re_throw();
	chunk = malloc(sizeof(*chunk) + n_bytes);
	chunk->stays = stays;
	if (!stays)
		LIST_INSERT_HEAD(&chunks, chunk, all);
	return chunk->bytes;
}

/* All contexts are one, but for TopMemoryContext. */
MemoryContext
AllocSetContextCreateInternal(MemoryContext parent, const char *name,
							  Size least, Size first, Size most)
{
	return CurrentMemoryContext;
}

void
MemoryContextDelete(MemoryContext context)
{
}

void *
MemoryContextAlloc(MemoryContext context, Size n_bytes)
{
	return allocate(n_bytes, context == TopMemoryContext);
}

void *
MemoryContextAllocZero(MemoryContext context, Size n_bytes)
{
	return memset(MemoryContextAlloc(context, n_bytes), 0, n_bytes);
}

void *
MemoryContextAllocHuge(MemoryContext context, Size n_bytes)
{
	return MemoryContextAlloc(context, n_bytes);
}

void *
palloc(Size n_bytes)
{
	return allocate(n_bytes, false);
}

void *
palloc0(Size n_bytes)
{
	return memset(palloc(n_bytes), 0, n_bytes);
}

void *
palloc_extended(Size n_bytes, int flags)
{
	return palloc(n_bytes);
}

void *
repalloc_huge(void *pointer, Size n_bytes)
{
	Chunk *chunk = chunk_of(pointer);

	if (!chunk->stays)
		LIST_REMOVE(chunk, all);
	chunk = realloc(chunk, sizeof(*chunk) + n_bytes);
	if (!chunk->stays)
		LIST_INSERT_HEAD(&chunks, chunk, all);
	return chunk->bytes;
}

void *
repalloc(void *pointer, Size n_bytes)
{
	return repalloc_huge(pointer, n_bytes);
}

void
pfree(void *pointer)
{
	Chunk *chunk = chunk_of(pointer);

	if (!chunk->stays)
		LIST_REMOVE(chunk, all);
	free(chunk);
}

void
stubs_reset(void)
{
	Chunk *chunk;

	while ((chunk = LIST_FIRST(&chunks)) != NULL)
	{
		LIST_REMOVE(chunk, all);
		free(chunk);
	}
}
