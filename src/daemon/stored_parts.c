/*
 * stored_parts.c
 *		Resident arrays as the contiguous parts that a device reduces.
 *
 * Owns the buffers `parts`, `part_sums` and `part_full` of an active request,
 * which no client can write to.  What is wanted of a resident array is one
 * part, or several if its pages lie apart, whose sums are added up here.  One
 * without elements has a part without them.
 * Called by request_stored.c and request_coalesce.c.
 */
#include <stdlib.h>

#include "stored_parts.h"

#define MIN_CAPACITY 1024

/* Full records of a request's parts; sums beyond that are asked for again. */
#define FULL_CAPACITY 4096

/* Begin with no parts.  False: no memory. */
bool
ga_parts_begin(GaActiveRequest *active)
{
	if (active->part_full == NULL)
		active->part_full = malloc(FULL_CAPACITY * sizeof(GaFullRecord));
	active->u.stored.request = (GaSumRequest){
		.type = (GaElementType) active->request.u.stored.type,
		.full = active->part_full,
		.full_capacity = FULL_CAPACITY,
		.device_ms = -1,
	};
	return active->part_full != NULL;
}

/* Reserve the capacity for n parts and n records.  False: no memory. */
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
 * Append an entry to those that a request uses, and the parts of the elements
 * that are wanted, all of which it has, to the others.  Return false if there
 * is no memory.
 */
bool
ga_parts_add_entry(GaActiveRequest *active, GaEntry *entry, GaStoredPart wanted)
{
	const GaCache *cache = ga_cache_of(active->device);
	const size_t size = ga_element_size((GaElementType) entry->type);
	GaSumRequest *sum = &active->u.stored.request;
	uint64_t left = (uint64_t) wanted.n * size;
	uint64_t at = ga_entry_at(entry) + (uint64_t) wanted.from * size;
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

/* Add the sum of a part.  Return false if there is no record of it. */
static bool
add_part(const GaActiveRequest *active, uint32_t i, GaScanPrefix *total)
{
	const int64_t n = (int64_t) active->parts[i].n;
	const GaPartialSum *sum = &active->part_sums[i];
	const GaFullRecord *full = NULL;
	GaPartialSum part = *sum;

	if (part.kind == GA_PARTIAL_NO_CAPACITY)
		return false;
	if (part.kind == GA_PARTIAL_FULL)
	{
		full = &active->u.stored.request.full[part.limb[0]];
		part.limb[0] = 0;
	}
	ga_scan_prefix_add(total, n, &part, full);
	return true;
}

/* Put the full record of a part into the slot, if there is one. */
static GaPartialSum
part_sum(const GaActiveRequest *active, uint32_t i, uint32_t *n_full)
{
	GaPartialSum sum = active->part_sums[i];

	if (sum.kind != GA_PARTIAL_FULL)
		return sum;
	if (*n_full == active->lookup.shape.n_full)
		return (GaPartialSum){.kind = GA_PARTIAL_NO_CAPACITY};
	active->lookup.full[*n_full] = active->u.stored.request.full[sum.limb[0]];
	sum.limb[0] = (*n_full)++;
	return sum;
}

/*
 * Return the sum of n parts of an entry, from one on.  If it needs a full
 * record that goes to the slot, behind n_full others.
 */
GaPartialSum
ga_parts_sum(GaActiveRequest *active, uint32_t first, uint32_t n,
			 uint32_t *n_full)
{
	GaScanPrefix total;
	uint32_t i;

	if (n == 1)
		return part_sum(active, first, n_full);
	ga_scan_prefix_begin(&total, active->u.stored.request.type);
	for (i = first; i < first + n; i++)
	{
		if (!add_part(active, i, &total))
			return (GaPartialSum){.kind = GA_PARTIAL_NO_CAPACITY};
	}
	return ga_scan_prefix_partial(&total, active->lookup.full,
								  active->lookup.shape.n_full, n_full);
}
