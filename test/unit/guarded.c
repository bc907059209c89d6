/*
 * guarded.c
 *		Memory between two pages that fault when touched.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guarded.h"

#define AROUND 256	/* bytes next to the data that are filled */
#define FILLER 0xff /* makes NaN of floats, and -1 of integers */

/* Capacity for n_bytes and for the offsets that may be asked for. */
void
guarded_new(Guarded *guarded, size_t n_bytes)
{
	size_t page = (size_t) sysconf(_SC_PAGESIZE);
	size_t inside = (n_bytes + AROUND + page - 1) / page * page;

	guarded->map_bytes = inside + 2 * page;
	guarded->map = mmap(NULL, guarded->map_bytes, PROT_NONE,
						MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guarded->map == MAP_FAILED ||
		mprotect(guarded->map + page, inside, PROT_READ | PROT_WRITE) != 0)
	{
		perror("mmap");
		exit(2);
	}
	guarded->start = guarded->map + page;
	guarded->end = guarded->start + inside;
}

void
guarded_free(Guarded *guarded)
{
	munmap(guarded->map, guarded->map_bytes);
}

static void *
place(Guarded *guarded, char *at, const void *data, size_t n_bytes)
{
	size_t before = (size_t) (at - guarded->start);
	size_t behind = (size_t) (guarded->end - at) - n_bytes;

	before = before < AROUND ? before : AROUND;
	behind = behind < AROUND ? behind : AROUND;
	memset(at - before, FILLER, before);
	if (n_bytes > 0)
		memcpy(at, data, n_bytes);
	memset(at + n_bytes, FILLER, behind);
	return at;
}

void *
guarded_at_start(Guarded *guarded, size_t offset, const void *data,
				 size_t n_bytes)
{
	return place(guarded, guarded->start + offset, data, n_bytes);
}

void *
guarded_at_end(Guarded *guarded, size_t offset, const void *data,
			   size_t n_bytes)
{
	return place(guarded, guarded->end - offset - n_bytes, data, n_bytes);
}
