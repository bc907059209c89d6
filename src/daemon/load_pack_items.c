/*
 * load_pack_items.c
 *		The arrays that a request packs, and their memory.
 *
 * Owns the items of a GaPacking, and what the device gets of them: the pieces
 * of the plain elements, and the pages for the packed ones.  Called by
 * load_pack.c.
 */
#include <stdlib.h>
#include <string.h>

#include "load_pack_items.h"
#include "options.h"

/* An array is packed if it then takes this part of its pages at most. */
#define MOST_NUMERATOR	 4
#define MOST_DENOMINATOR 5

/* Pieces that there is memory for at first. */
#define MIN_PIECES 32

/* Does the request's session still load an entry? */
bool
ga_pack_is_loading(const GaActiveRequest *active, const GaEntry *entry)
{
	return active->session != NULL &&
		   ga_entry_loader(entry) == &active->session->client;
}

/* Free an extent that no entry has. */
static void
free_extent(const GaActiveRequest *active, GaPackItem *item)
{
	if (item->extent == NULL)
		return;
	item->extent->n_users--;
	ga_extents_free(&ga_cache_of(active->device)->extents, item->extent);
	item->extent = NULL;
}

/* The entry of an item is none any more. */
static void
free_item(const GaActiveRequest *active, GaPackItem *item)
{
	item->entry->is_packing = false;
	free_extent(active, item);
}

/* Return a new GaPacking for as many items as may be; NULL: no memory. */
GaPacking *
ga_pack_begin(const GaActiveRequest *active)
{
	const uint32_t n = active->n_entries;
	GaPacking *packing = calloc(1, sizeof(*packing));

	if (packing == NULL)
		return NULL;
	packing->items = calloc(n, sizeof(*packing->items));
	packing->arrays = calloc(n, sizeof(*packing->arrays));
	if (packing->items != NULL && packing->arrays != NULL)
		return packing;
	free(packing->items);
	free(packing->arrays);
	free(packing);
	return NULL;
}

/*
 * Is an entry to be surveyed?  One that shares a page takes no less if it is
 * packed, but all are packed if the setting says so.
 */
bool
ga_pack_is_candidate(const GaActiveRequest *active, const GaEntry *entry)
{
	const GaExtent *extent =
		ga_cache_extent(ga_cache_of(active->device), entry);

	/* it may have been named twice */
	return ga_pack_is_loading(active, entry) && entry->n > 0 &&
		   !entry->is_packing &&
		   (ga_options.packing == GA_PACKS_ALL ||
			(!extent->is_shared && extent->n_pages > 1));
}

/* Append a piece.  False: no memory. */
static bool
add_piece(GaPacking *packing, const GaPackPiece *piece)
{
	const uint32_t n = packing->request.n_pieces;

	if (n == packing->capacity)
	{
		const uint32_t capacity = n == 0 ? MIN_PIECES : 2 * n;
		GaPackPiece *pieces =
			realloc(packing->pieces, capacity * sizeof(*pieces));

		if (pieces == NULL)
			return false;
		packing->pieces = pieces;
		packing->capacity = capacity;
	}
	packing->pieces[n] = *piece;
	packing->request.n_pieces++;
	return true;
}

/*
 * Append the pieces of an item, which end where its elements are not
 * contiguous, or its headers.  False: no memory.
 */
static bool
add_pieces(const GaActiveRequest *active, const GaPackItem *item,
		   GaPackArray *array)
{
	const GaCache *cache = ga_cache_of(active->device);
	GaPacking *packing = active->u.load.packing;
	const uint32_t n = item->entry->n;
	uint32_t from = 0;

	while (from < n)
	{
		const uint64_t at = from / GA_PACKED_VECTOR * sizeof(GaPackedHeader);
		uint64_t n_there, n_bytes;
		GaPackPiece piece;

		piece.data =
			ga_cache_find(cache, item->entry, from, n - from, &n_there);
		ga_extents_find(&cache->extents, item->extent, at,
						item->n_header_bytes - at, &piece.headers, &n_bytes);
		n_bytes = n_bytes / sizeof(GaPackedHeader) * GA_PACKED_VECTOR;
		piece.n = (uint32_t) (n_there < n_bytes ? n_there : n_bytes);
		if (!add_piece(packing, &piece))
			return false;
		array->n_pieces++;
		from += piece.n;
	}
	return true;
}

/* Append an item, with memory for its headers, if there is any. */
void
ga_pack_add(const GaActiveRequest *active, GaEntry *entry)
{
	GaCache *cache = ga_cache_of(active->device);
	GaPacking *packing = active->u.load.packing;
	const uint32_t first_piece = packing->request.n_pieces;
	GaPackItem *item = &packing->items[packing->request.n_arrays];
	GaPackArray *array = &packing->arrays[packing->request.n_arrays];

	item->entry = entry;
	item->n_header_bytes = (entry->n + GA_PACKED_VECTOR - 1) /
						   GA_PACKED_VECTOR * sizeof(GaPackedHeader);
	item->extent = ga_extents_allocate_pages(
		&cache->extents, ga_extent_pages(item->n_header_bytes),
		ga_cache_extent(cache, entry)->statement_id);
	if (item->extent == NULL)
		return;
	/* headers fill the last page wholly, or leave a part of it */
	*array = (GaPackArray){
		.at = (item->n_header_bytes - 1) % GA_PAGE_BYTES + 1,
	};
	if (add_pieces(active, item, array))
	{
		packing->request.n_arrays++;
		entry->is_packing = true;
	}
	else
	{
		free_extent(active, item);
		packing->request.n_pieces = first_piece;
	}
}

/* Return the pages that payloads take besides the last one of headers. */
static uint32_t
more_pages(const GaPackArray *array)
{
	return array->n_pages > 0 ? array->n_pages - 1 : 0;
}

/*
 * Have the pages for an item that was surveyed.  False: it takes too many, or
 * is not to be packed any more.
 */
static bool
get_pages(const GaActiveRequest *active, const GaPackItem *item,
		  const GaPackArray *array)
{
	GaCache *cache = ga_cache_of(active->device);
	const GaExtent *plain = ga_cache_extent(cache, item->entry);
	const uint64_t n_pages =
		(uint64_t) item->extent->n_pages + more_pages(array);

	return ga_pack_is_loading(active, item->entry) && !cache->is_clearing &&
		   (ga_options.packing == GA_PACKS_ALL ||
			n_pages * MOST_DENOMINATOR <=
				(uint64_t) plain->n_pages * MOST_NUMERATOR) &&
		   ga_extents_grow(&cache->extents, item->extent, more_pages(array));
}

/* Keep the items that are to be packed, and free the extents of others. */
void
ga_pack_choose(const GaActiveRequest *active)
{
	GaPacking *packing = active->u.load.packing;
	GaPackRequest *request = &packing->request;
	const uint32_t n_arrays = request->n_arrays;
	const GaPackPiece *pieces = packing->pieces;
	uint32_t i;

	request->n_arrays = request->n_pieces = 0;
	for (i = 0; i < n_arrays; i++)
	{
		const GaPackArray array = packing->arrays[i];
		GaPackItem item = packing->items[i];

		packing->items[i].extent = NULL;
		if (get_pages(active, &item, &array))
		{
			memmove(packing->pieces + request->n_pieces, pieces,
					array.n_pieces * sizeof(*pieces));
			packing->items[request->n_arrays] = item;
			packing->arrays[request->n_arrays++] = array;
			request->n_pieces += array.n_pieces;
		}
		else
			free_item(active, &item);
		pieces += array.n_pieces;
	}
}

/* Write the addresses of an item's pages, from the last one of headers on. */
static void
list_pages(const GaCache *cache, const GaPackItem *item, GaPackArray *array,
		   GaDeviceAddress *pages)
{
	uint64_t at =
		(uint64_t) (item->extent->n_pages - array->n_pages) * GA_PAGE_BYTES;
	uint64_t n_bytes;
	uint32_t i;

	for (i = 0; i < array->n_pages; i++, at += GA_PAGE_BYTES)
		ga_extents_find(&cache->extents, item->extent, at, GA_PAGE_BYTES,
						&pages[i], &n_bytes);
	array->pages = pages;
}

/*
 * Have the pages of all items listed.  Return false if there is nothing to
 * pack, or no memory.
 */
bool
ga_pack_list_pages(const GaActiveRequest *active)
{
	GaPacking *packing = active->u.load.packing;
	uint64_t n_pages = 0;
	uint32_t i;

	if (packing->request.n_arrays == 0)
		return false;
	for (i = 0; i < packing->request.n_arrays; i++)
		n_pages += packing->arrays[i].n_pages;
	packing->pages = malloc((n_pages + 1) * sizeof(*packing->pages));
	if (packing->pages == NULL)
		return false;
	n_pages = 0;
	for (i = 0; i < packing->request.n_arrays; i++)
	{
		list_pages(ga_cache_of(active->device), &packing->items[i],
				   &packing->arrays[i], packing->pages + n_pages);
		n_pages += packing->arrays[i].n_pages;
	}
	return true;
}

/* Free a GaPacking, with the extents that are not used. */
void
ga_pack_free(const GaActiveRequest *active)
{
	GaPacking *packing = active->u.load.packing;
	uint32_t i;

	for (i = 0; i < packing->request.n_arrays; i++)
		free_item(active, &packing->items[i]);
	free(packing->items);
	free(packing->arrays);
	free(packing->pieces);
	free(packing->pages);
	free(packing);
}
