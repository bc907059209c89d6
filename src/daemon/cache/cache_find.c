/*
 * cache_find.c
 *		Where the elements of an entry lie.
 *
 * Called by all that sends elements to the device.  Plain elements are
 * contiguous as far as the pages are; packed ones as far as the headers of
 * their vectors are, since headers say where payloads lie.
 */
#include "cache.h"

_Static_assert(GA_PAGE_BYTES == GA_PACKED_PAGE_BYTES,
			   "payloads lie in pages of an extent");
_Static_assert(GA_PAGE_BYTES % (GA_PACKED_VECTOR * sizeof(int64_t)) == 0,
			   "pages end where vectors do");

/* As ga_cache_find(), of packed elements; n is not 0. */
static GaDeviceAddress
find_packed(const GaCache *cache, const GaEntry *entry, uint64_t from,
			uint64_t n, uint64_t *n_there)
{
	const size_t size = ga_element_size((GaElementType) entry->type);
	const uint64_t first = from / GA_PACKED_VECTOR;
	const uint64_t last = (from + n - 1) / GA_PACKED_VECTOR;
	const uint64_t in_first = from % GA_PACKED_VECTOR;
	GaDeviceAddress headers = 0;
	uint64_t n_bytes = 0;
	uint64_t n_most;

	ga_extents_find(&cache->extents, ga_cache_extent(cache, entry),
					first * sizeof(GaPackedHeader),
					(last - first + 1) * sizeof(GaPackedHeader), &headers,
					&n_bytes);
	n_most = n_bytes / sizeof(GaPackedHeader) * GA_PACKED_VECTOR - in_first;
	*n_there = n < n_most ? n : n_most;
	return ga_packed_address(headers, size) + in_first * size;
}

/*
 * Return where the elements of an entry lie from one on, and set how many of n
 * are contiguous.  The entry has all of them.  No elements have no address.
 */
GaDeviceAddress
ga_cache_find(const GaCache *cache, const GaEntry *entry, uint64_t from,
			  uint64_t n, uint64_t *n_there)
{
	const size_t size = ga_element_size((GaElementType) entry->type);
	GaDeviceAddress address = 0;
	uint64_t n_bytes = 0;

	*n_there = 0;
	if (n == 0)
		return 0;
	if (entry->is_packed)
		return find_packed(cache, entry, from, n, n_there);
	ga_extents_find(&cache->extents, ga_cache_extent(cache, entry),
					ga_entry_at(entry) + from * size, n * size, &address,
					&n_bytes);
	*n_there = n_bytes / size;
	return address;
}
