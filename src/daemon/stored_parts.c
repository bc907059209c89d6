/*
 * stored_parts.c
 *		Resident arrays as the contiguous parts that a device reduces.
 *
 * Owns the buffers `parts`, `others`, `part_sums` and `part_full` of an active
 * request, which no client can write to.  What is wanted of a resident array is
 * one part, or several if its pages lie apart, whose sums are added up here.
 * One without elements has a part without them.  Called by request_stored.c,
 * request_coalesce.c and request_window.c.
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
	};
	active->u.stored.n_results = 0;
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
	GaDeviceArray *others;
	GaPartialSum *sums;

	if (n <= active->parts_capacity)
		return true;
	while (capacity < n)
		capacity *= 2;
	parts = realloc(active->parts, capacity * sizeof(*parts));
	if (parts != NULL)
		active->parts = parts;
	others = realloc(active->others, capacity * sizeof(*others));
	if (others != NULL)
		active->others = others;
	sums = realloc(active->part_sums, capacity * sizeof(*sums));
	if (sums != NULL)
		active->part_sums = sums;
	if (parts == NULL || others == NULL || sums == NULL)
		return false;
	active->parts_capacity = capacity;
	return true;
}

/* What is wanted of an entry, piece by piece of contiguous memory. */
typedef struct Pieces
{
	const GaCache *cache;
	const GaEntry *entry;
	uint64_t from; /* element */
	uint64_t left; /* elements */
} Pieces;

/* Begin with the elements of an entry that are wanted. */
static Pieces
begin_pieces(const GaActiveRequest *active, const GaEntry *entry,
			 GaStoredPart wanted)
{
	return (Pieces){.cache = ga_cache_of(active->device),
					.entry = entry,
					.from = wanted.from,
					.left = wanted.n};
}

/* Return where the next piece is, and set how many elements it has. */
static GaDeviceAddress
find_piece(const Pieces *pieces, uint64_t *n)
{
	return ga_cache_find(pieces->cache, pieces->entry, pieces->from,
						 pieces->left, n);
}

static void
skip(Pieces *pieces, uint64_t n)
{
	pieces->from += n;
	pieces->left -= n;
}

/*
 * Append the parts of an entry's elements that are wanted, all of which it has,
 * to n that there are.  Return false if there is no memory.
 */
bool
ga_parts_list(GaActiveRequest *active, const GaEntry *entry,
			  GaStoredPart wanted, uint32_t *n)
{
	Pieces pieces = begin_pieces(active, entry, wanted);

	do
	{
		GaDeviceArray *part;

		if (!ga_parts_reserve(active, *n + 1))
			return false;
		part = &active->parts[(*n)++];
		part->data = find_piece(&pieces, &part->n);
		skip(&pieces, part->n);
	} while (pieces.left > 0);
	return true;
}

/*
 * Append the parts of an entry's elements that are wanted to those of a
 * request, as a result.  Return false if there is no memory.
 */
bool
ga_parts_add_entry(GaActiveRequest *active, const GaEntry *entry,
				   GaStoredPart wanted)
{
	GaSumRequest *sum = &active->u.stored.request;
	const uint32_t first = sum->n_arrays;

	if (!ga_parts_list(active, entry, wanted, &sum->n_arrays))
		return false;
	active->u.stored.n_parts[active->u.stored.n_results++] =
		sum->n_arrays - first;
	return true;
}

/*
 * Append the parts of two entries, whose elements are paired, as many of each:
 * as ga_parts_add_entry(), cut where the pieces of either end.
 */
bool
ga_parts_add_pair(GaActiveRequest *active, const GaEntry *const pair[2],
				  const GaStoredPart wanted[2])
{
	GaSumRequest *sum = &active->u.stored.request;
	const uint32_t first = sum->n_arrays;
	Pieces x = begin_pieces(active, pair[0], wanted[0]);
	Pieces y = begin_pieces(active, pair[1], wanted[1]);

	do
	{
		GaDeviceArray *part, *other;
		uint64_t n_there, n_other;

		if (!ga_parts_reserve(active, sum->n_arrays + 1))
			return false;
		part = &active->parts[sum->n_arrays];
		other = &active->others[sum->n_arrays++];
		part->data = find_piece(&x, &n_there);
		other->data = find_piece(&y, &n_other);
		n_there = n_there < n_other ? n_there : n_other;
		part->n = other->n = n_there;
		skip(&x, n_there);
		skip(&y, n_there);
	} while (x.left > 0);
	active->u.stored.n_parts[active->u.stored.n_results++] =
		sum->n_arrays - first;
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
