/*
 * stored_parts.c
 *		Resident arrays as the contiguous parts that a device sums.
 *
 * Owns the buffers `parts` and `part_sums` of an active request.  A resident
 * array is one part, or several if its pages lie apart, whose sums are added
 * up here.  Called by request_stored.c and request_coalesce.c.
 */
#include <stdlib.h>

#include "stored_parts.h"

#define MIN_CAPACITY 1024

/* Reserve the capacity for n parts and their sums.  False: no memory. */
bool
ga_parts_reserve(GaActiveRequest *active, uint32_t n)
{
	uint32_t capacity = active->parts_capacity < MIN_CAPACITY ?
							MIN_CAPACITY :
							active->parts_capacity;
	GaDeviceArray *parts;
	GaPartialSum *sums;

	if (n <= active->parts_capacity)
		return true;
	while (capacity < n)
		capacity *= 2;
	parts = realloc(active->parts, capacity * sizeof(*parts));
	if (parts != NULL)
		active->parts = parts;
	sums = realloc(active->part_sums, capacity * sizeof(*sums));
	if (sums != NULL)
		active->part_sums = sums;
	if (parts == NULL || sums == NULL)
		return false;
	active->parts_capacity = capacity;
	return true;
}

/*
 * Append an entry to those that a request uses, and its parts to the others.
 * Return false if there is no memory.
 */
bool
ga_parts_add_entry(GaActiveRequest *active, GaEntry *entry)
{
	const GaCache *cache = ga_cache_of(active->lease->device);
	const size_t size = ga_element_size((GaElementType) entry->type);
	GaSumRequest *sum = &active->u.stored.request;
	uint64_t left = (uint64_t) entry->n * size;
	uint64_t at = ga_entry_at(entry);
	uint32_t n = 0;

	active->entries[active->n_entries++] = entry;
	do
	{
		GaDeviceArray *part;
		uint64_t n_there = 0;

		if (!ga_parts_reserve(active, sum->n_arrays + 1))
			return false;
		part = &active->parts[sum->n_arrays++];
		part->data = 0;
		if (left > 0)
			ga_extents_find(&cache->extents, ga_cache_extent(cache, entry), at,
							left, &part->data, &n_there);
		part->n = n_there / size;
		at += n_there;
		left -= n_there;
		n++;
	} while (left > 0);
	active->u.stored.n_parts[active->n_entries - 1] = n;
	return true;
}

/*
 * Add the sum of a part.  A full record lies in the slot, where the client can
 * change it: it is read once.  Return false if there is no valid record.
 */
static bool
add_part(const GaActiveRequest *active, uint32_t i, GaScanPrefix *total)
{
	const int64_t n = (int64_t) active->parts[i].n;
	GaPartialSum part = active->part_sums[i];
	GaFullRecord full;

	if (part.kind == GA_PARTIAL_NO_CAPACITY)
		return false;
	if (part.kind == GA_PARTIAL_FULL)
	{
		full = *(volatile GaFullRecord *) &active->u.stored.request
					.full[part.limb[0]];
		part.limb[0] = 0;
		if (!ga_partial_is_float(&part, n, &full))
			return false;
	}
	ga_scan_prefix_add(total, n, &part, &full);
	return true;
}

/*
 * Return the sum of n parts of an entry, from one on.  If it needs a full
 * record that goes behind those of the request.
 */
GaPartialSum
ga_parts_sum(GaActiveRequest *active, uint32_t first, uint32_t n)
{
	GaSumRequest *sum = &active->u.stored.request;
	GaScanPrefix total;
	uint32_t i;

	if (n == 1)
		return active->part_sums[first];
	ga_scan_prefix_begin(&total, sum->type);
	for (i = first; i < first + n; i++)
	{
		if (!add_part(active, i, &total))
			return (GaPartialSum){.kind = GA_PARTIAL_NO_CAPACITY};
	}
	return ga_scan_prefix_partial(&total, sum->full, sum->full_capacity,
								  &sum->n_full);
}
