/*
 * cache_hints.c
 *		What a device learned of a resident value's elements by scanning them.
 *
 * Running totals go over a value in runs: of what a request is about, that
 * which lies together.  A note is of one run, and is given to the device when
 * just these elements are scanned again, and with no others: what is new to the
 * device is no slower than ever.  It knows nothing of what came before the
 * run, which is the rest of the value, most often; whatever else it is, a note
 * that is wrong costs time, and no bits.
 */
#include "cache.h"

/*
 * How many notes there is room for: two for each page, of the run that begins
 * with it, since pages may lie apart, and of one that begins within it, as a
 * request may.  Integers need none.
 */
uint32_t
ga_cache_count_hints(GaElementType type, uint32_t n_bytes)
{
	return ga_element_is_float(type) ?
			   (n_bytes + GA_PAGE_BYTES - 1) / GA_PAGE_BYTES * 2 :
			   0;
}

/* Which one is of a run that begins with an element; n_hints if none is. */
static uint32_t
place_of(const GaEntry *entry, uint64_t from)
{
	const uint64_t at = from * ga_element_size(entry->type);
	const uint64_t i = at / GA_PAGE_BYTES * 2 + (at % GA_PAGE_BYTES > 0);

	return i < entry->n_hints ? (uint32_t) i : entry->n_hints;
}

/* The hint for n elements from one on; none if they were not scanned so. */
GaScanHint
ga_cache_hint(const GaEntry *entry, uint64_t from, uint64_t n)
{
	const uint32_t i = place_of(entry, from);

	if (i < entry->n_hints && entry->notes[i].from == from &&
		entry->notes[i].n == n)
		return entry->notes[i].hint;
	return (GaScanHint){0};
}

/* They were scanned, and this is what the device says. */
void
ga_cache_add_hint(GaEntry *entry, uint64_t from, uint64_t n, GaScanHint hint)
{
	const uint32_t i = place_of(entry, from);

	if (n > 0 && i < entry->n_hints)
		entry->notes[i] = (GaCacheHint){(uint32_t) from, (uint32_t) n, hint};
}
