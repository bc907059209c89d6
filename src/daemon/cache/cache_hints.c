/*
 * cache_hints.c
 *		What a device learned of a resident array's elements by scanning them.
 *
 * Running totals go over an array in runs: the part of a request whose
 * elements lie together.  A hint is of one run, and is passed to the device
 * when exactly these elements are scanned again: what is new to the device is
 * no slower than without hints.  A hint does not depend on what precedes the
 * run, mostly the rest of the array; and a hint that is wrong costs time, but
 * changes no bit.  Arrays that were never scanned have no memory for hints.
 */
#include <stdlib.h>

#include "cache.h"

/*
 * Return how many hints an entry may have: two for each page, for the run that
 * begins with it, since pages may lie apart, and for one that begins within
 * it, as a request may.  Integers need none.
 */
static uint32_t
count_hints(const GaEntry *entry)
{
	return ga_element_is_float((GaElementType) entry->type) ?
			   (ga_entry_capacity(entry) + GA_PAGE_BYTES - 1) / GA_PAGE_BYTES *
				   2 :
			   0;
}

/* Return the memory of an entry's hints, as it is counted. */
static size_t
hint_bytes(const GaEntry *entry)
{
	return count_hints(entry) * sizeof(GaCacheHint);
}

/*
 * Return the hint for a run that begins with an element; NULL if there is
 * none.
 */
static GaCacheHint *
find_hint(const GaEntry *entry, uint64_t from)
{
	const uint64_t at = from * ga_element_size((GaElementType) entry->type);
	const uint64_t i = at / GA_PAGE_BYTES * 2 + (at % GA_PAGE_BYTES > 0);

	return entry->u.hints != NULL && i < count_hints(entry) ?
			   &entry->u.hints[i] :
			   NULL;
}

/* Let an entry have hints, if the cache has memory for them. */
static void
allocate_hints(GaCache *cache, GaEntry *entry)
{
	const size_t n_bytes = hint_bytes(entry);

	if (entry->u.hints != NULL || n_bytes == 0 ||
		cache->host.n_bytes + n_bytes > cache->host.limit)
		return;
	entry->u.hints = calloc(1, n_bytes);
	if (entry->u.hints != NULL)
		cache->host.n_bytes += n_bytes;
}

/* Free the hints of an entry that is not being loaded. */
void
ga_cache_free_hints(GaCache *cache, GaEntry *entry)
{
	if (entry->u.hints == NULL)
		return;
	free(entry->u.hints);
	entry->u.hints = NULL;
	cache->host.n_bytes -= hint_bytes(entry);
}

/*
 * Return the hint for a run of n elements; an empty one if they were not
 * scanned as one run.
 */
GaScanHint
ga_cache_hint(const GaEntry *entry, uint64_t from, uint64_t n)
{
	const GaCacheHint *hint = find_hint(entry, from);

	if (hint != NULL && hint->from == from && hint->n == n)
		return hint->hint;
	return (GaScanHint){0};
}

/* Keep the hint that the device returned for a run of n elements. */
void
ga_cache_add_hint(GaCache *cache, GaEntry *entry, uint64_t from, uint64_t n,
				  GaScanHint hint)
{
	GaCacheHint *to;

	if (n == 0)
		return;
	allocate_hints(cache, entry);
	to = find_hint(entry, from);
	if (to != NULL)
		*to = (GaCacheHint){(uint32_t) from, (uint32_t) n, hint};
}
