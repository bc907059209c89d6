/*
 * lookup_memory.c
 *		The memory of sessions' lookup slots.
 *
 * Owns it, and lists of what is free.  A session has small slots, some
 * kilobytes, as long as it is connected; and large ones, of which there are
 * few, while it asks about many arrays.  No device reads or writes here, so it
 * is not registered with any.
 *
 * Several small ones lie in one memfd, so that sessions take few descriptors.
 * The memory is kept for sessions to come.
 */
#include <stdlib.h>

#include "lookup_memory.h"
#include "shared_memory.h"

/* How many lie in one memfd, small and large ones. */
#define PER_FILE_SMALL 32
#define PER_FILE_LARGE 1

/* The most large ones; a session may keep its own while half are free. */
#define MAX_LARGE 32

#define PAGE_BYTES 4096

static SLIST_HEAD(MemoryList, GaLookupMemory) free_lists[2];
static uint32_t n_large;	  /* that were made */
static uint32_t n_free_large; /* of these */

/* Make what lies in one file, and add it to its free list. */
static void
make(bool is_large)
{
	const GaLookupShape shape = is_large ? GA_LOOKUP_LARGE : GA_LOOKUP_SMALL;
	const uint32_t n = is_large ? PER_FILE_LARGE : PER_FILE_SMALL;
	const size_t n_bytes =
		(ga_lookup_bytes(shape) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	GaLookupMemory *made = calloc(n, sizeof(*made));
	const char *failed_call;
	char *start = NULL;
	uint32_t i;
	int fd;

	if (made != NULL)
		start = ga_shared_memory_make("gpuagg lookups", n * n_bytes, &fd,
									  &failed_call);
	if (start == NULL)
	{
		free(made);
		return;
	}
	for (i = n; i-- > 0;)
	{
		made[i] = (GaLookupMemory){.start = start + i * n_bytes,
								   .fd = fd,
								   .offset = i * n_bytes,
								   .shape = shape,
								   .is_large = is_large};
		SLIST_INSERT_HEAD(&free_lists[is_large], &made[i], next_free);
	}
	n_large += is_large;
	n_free_large += is_large;
}

/* Return lookup slots for a session; NULL if all are taken. */
GaLookupMemory *
ga_lookup_memory_take(bool is_large)
{
	struct MemoryList *list = &free_lists[is_large];
	GaLookupMemory *memory;
	uint32_t i;

	if (SLIST_EMPTY(list) && !(is_large && n_large == MAX_LARGE))
		make(is_large);
	memory = SLIST_FIRST(list);
	if (memory == NULL)
		return NULL;
	SLIST_REMOVE_HEAD(list, next_free);
	n_free_large -= is_large;
	memory->is_held = true;
	((GaLookupHead *) memory->start)->lease_is_wanted = 0;
	for (i = GA_LEASE_SLOTS; i < GA_SLOTS; i++)
		ga_lookup_memory_slot(memory, i).reply->state = GA_REPLY_BY_SOCKET;
	return memory;
}

static void
free_if_unused(GaLookupMemory *memory)
{
	if (memory->is_held || memory->n_busy > 0)
		return;
	SLIST_INSERT_HEAD(&free_lists[memory->is_large], memory, next_free);
	n_free_large += memory->is_large;
}

/* The session has no more use for it; NULL: it has none. */
void
ga_lookup_memory_release(GaLookupMemory *memory)
{
	if (memory == NULL)
		return;
	memory->is_held = false;
	free_if_unused(memory);
}

/* A request about it is finished. */
void
ga_lookup_memory_idle(GaLookupMemory *memory)
{
	memory->n_busy--;
	free_if_unused(memory);
}

/* May a session keep it while it is idle? */
bool
ga_lookup_memory_keeps(const GaLookupMemory *memory)
{
	return !memory->is_large || n_large - n_free_large <= MAX_LARGE / 2;
}
