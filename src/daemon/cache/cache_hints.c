/*
 * cache_hints.c
 *		What a device learned of a resident array's elements by scanning them.
 *
 * Running totals go over an array in runs: the part of a request whose
 * elements lie together.  A hint is of one run, and is passed to the device
 * when exactly these elements are scanned again: what is new to the device is
 * no slower than without hints.  A hint does not depend on what precedes the
 * run, mostly the rest of the array; and a hint that is wrong costs time, but
 * changes no bit.
 */
#include "cache.h"

/*
 * Return how many hints an entry has: two for each page, for the run that
 * begins with it, since pages may lie apart, and for one that begins within
 * it, as a request may.  Integers need none.
 */
uint32_t
ga_cache_count_hints(GaElementType type, uint32_t n_bytes)
{
	return ga_element_is_float(type) ?
			   (n_bytes + GA_PAGE_BYTES - 1) / GA_PAGE_BYTES * 2 :
			   0;
}

/*
 * Return the hint's index for a run that begins with an element; n_hints if
 * there is none.
 */
static uint32_t
place_of(const GaEntry *entry, uint64_t from)
{
	const uint64_t at = from * ga_element_size(entry->type);
	const uint64_t i = at / GA_PAGE_BYTES * 2 + (at % GA_PAGE_BYTES > 0);

	return i < entry->n_hints ? (uint32_t) i : entry->n_hints;
}

/*
 * Return the hint for a run of n elements; an empty one if they were not
 * scanned as one run.
 */
GaScanHint
ga_cache_hint(const GaEntry *entry, uint64_t from, uint64_t n)
{
	const uint32_t i = place_of(entry, from);

	if (i < entry->n_hints && entry->hints[i].from == from &&
		entry->hints[i].n == n)
		return entry->hints[i].hint;
	return (GaScanHint){0};
}

/* Keep the hint that the device returned for a run of n elements. */
void
ga_cache_add_hint(GaEntry *entry, uint64_t from, uint64_t n, GaScanHint hint)
{
	const uint32_t i = place_of(entry, from);

	if (n > 0 && i < entry->n_hints)
		entry->hints[i] = (GaCacheHint){(uint32_t) from, (uint32_t) n, hint};
}
