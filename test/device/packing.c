/*
 * packing.c
 *		Arrays that a device packs: where they lie, and the requests.
 */
#include <stdlib.h>

#include "packing.h"
#include "tap.h"

void
packing_init(Packing *packing, Fixture *fixture, GaElementType type)
{
	memset(packing, 0, sizeof(*packing));
	packing->fixture = fixture;
	packing->type = type;
}

void
packing_free(Packing *packing)
{
	uint32_t i;

	for (i = 0; i < packing->n_arrays; i++)
		free(packing->arrays[i].elements);
	free(packing->arrays);
	free(packing->pack);
	free(packing->pieces);
	free(packing->image);
	free(packing->before);
	free(packing->pages);
	free(packing->addresses);
}

/* Add the pieces of an array, without addresses. */
static uint32_t
add_pieces(Packing *packing, uint32_t n, uint32_t piece)
{
	const uint32_t first = packing->n_pieces;

	while (n > 0)
	{
		const uint32_t n_here = piece == 0 || n < piece ? n : piece;

		packing->pieces = realloc(packing->pieces, (packing->n_pieces + 1) *
													   sizeof(GaPackPiece));
		packing->pieces[packing->n_pieces++] = (GaPackPiece){.n = n_here};
		n -= n_here;
	}
	return packing->n_pieces - first;
}

void *
packing_add(Packing *packing, const char *name, uint32_t n, uint32_t piece,
			uint32_t at)
{
	PackingArray *array;

	if (packing->n_arrays == packing->capacity)
	{
		packing->capacity = 2 * packing->capacity + 8;
		packing->arrays =
			realloc(packing->arrays, packing->capacity * sizeof(PackingArray));
		packing->pack =
			realloc(packing->pack, packing->capacity * sizeof(GaPackArray));
	}
	array = &packing->arrays[packing->n_arrays];
	*array = (PackingArray){
		.name = name,
		.n = n,
		.elements = malloc((size_t) n * ga_element_size(packing->type)),
		.first_piece = packing->n_pieces,
	};
	packing->pack[packing->n_arrays++] =
		(GaPackArray){.n_pieces = add_pieces(packing, n, piece), .at = at};
	return array->elements;
}

uint64_t
packing_plain_bytes(const Packing *packing, uint32_t array)
{
	return (uint64_t) (packing->arrays[array].n + GA_PACKED_VECTOR - 1) /
		   GA_PACKED_VECTOR * GA_PACKED_VECTOR * ga_element_size(packing->type);
}

/*
 * Place the pieces in the image, and set their offsets.  Gaps are behind each
 * array, and behind each piece if they are scattered.
 */
static void
place_pieces(Packing *packing)
{
	const size_t size = ga_element_size(packing->type);
	size_t at = 0;
	uint32_t i, p;

	for (i = 0, p = 0; i < packing->n_arrays; i++)
	{
		const uint32_t end = p + packing->pack[i].n_pieces;

		for (; p < end; p++)
		{
			packing->pieces[p].data = at;
			at = (at + packing->pieces[p].n * size + 15) / 16 * 16;
			if (packing->is_scattered || p + 1 == end)
				at += 16 + 16 * (p % 5);
		}
	}
	packing->headers_at = at = (at + 255) / 256 * 256;
	for (i = 0, p = 0; i < packing->n_arrays; i++)
	{
		const uint32_t end = p + packing->pack[i].n_pieces;

		for (; p < end; p++)
		{
			packing->pieces[p].headers = at;
			at += ((packing->pieces[p].n - 1) / GA_PACKED_VECTOR + 1) *
				  sizeof(GaPackedHeader);
			if (packing->is_scattered || p + 1 == end)
				at += sizeof(GaPackedHeader);
		}
	}
	packing->image_bytes = at;
}

/* Fill the image, copy it to the device, and make addresses of offsets. */
static void
put_image(Packing *packing)
{
	const size_t size = ga_element_size(packing->type);
	const GaDeviceAddress base =
		fixture_memory(packing->fixture, FIXTURE_IN, packing->image_bytes);
	uint32_t i, p;

	/* addresses of its headers are aligned as those on the device */
	packing->image =
		aligned_alloc(256, (packing->image_bytes + 255) / 256 * 256);
	packing->before = malloc(packing->image_bytes);
	memset(packing->image, PACKING_GUARD, packing->image_bytes);
	for (i = 0, p = 0; i < packing->n_arrays; i++)
	{
		PackingArray *array = &packing->arrays[i];
		const uint32_t end = p + packing->pack[i].n_pieces;
		const char *from = array->elements;

		for (; p < end; p++)
		{
			GaPackPiece *piece = &packing->pieces[p];

			memcpy(packing->image + piece->data, from, piece->n * size);
			from += piece->n * size;
			piece->data += base;
			piece->headers += base;
		}
		array->plain = packing->pieces[array->first_piece].data;
		array->packed = ga_packed_address(
			packing->pieces[array->first_piece].headers, size);
	}
	memcpy(packing->before, packing->image, packing->image_bytes);
	fixture_copy_in(packing->fixture, base, packing->image,
					packing->image_bytes);
}

/* Place the pages that the survey asks for, and fill them with guards. */
static void
put_pages(Packing *packing)
{
	const size_t step = GA_PACKED_PAGE_BYTES + PACKING_GAP;
	GaDeviceAddress base;
	uint32_t i, page;

	packing->n_pages = 0;
	for (i = 0; i < packing->n_arrays; i++)
		packing->n_pages += packing->pack[i].n_pages;
	packing->pages_bytes = packing->n_pages * step + PACKING_GAP;
	base =
		fixture_memory(packing->fixture, FIXTURE_PAGES, packing->pages_bytes);
	packing->pages = malloc(packing->pages_bytes);
	memset(packing->pages, PACKING_GUARD, packing->pages_bytes);
	fixture_copy_in(packing->fixture, base, packing->pages,
					packing->pages_bytes);
	packing->addresses =
		malloc((packing->n_pages + 1) * sizeof(*packing->addresses));
	for (page = 0; page < packing->n_pages; page++)
		packing->addresses[page] =
			base + PACKING_GAP + (packing->n_pages - 1 - page) * step;
	for (i = 0, page = 0; i < packing->n_arrays; i++)
	{
		packing->pack[i].pages = packing->addresses + page;
		page += packing->pack[i].n_pages;
	}
}

/* Copy what the device has to the host. */
static void
get_image(Packing *packing)
{
	fixture_copy_out(packing->fixture, packing->image,
					 packing->fixture->memory[FIXTURE_IN],
					 packing->image_bytes);
}

void
packing_run(Packing *packing)
{
	GaPackRequest request = {
		.type = packing->type, .n_arrays = packing->n_arrays, .n_wrong = 77};

	place_pieces(packing);
	put_image(packing);
	request.arrays = packing->pack;
	request.pieces = packing->pieces;
	request.n_pieces = packing->n_pieces;
	fixture_survey(packing->fixture, &request);
	get_image(packing);
	packing_check_survey(packing);
	memcpy(packing->before, packing->image, packing->image_bytes);
	put_pages(packing);
	fixture_pack(packing->fixture, &request);
	tap_check(request.n_wrong == 0, "%s: %llu vectors do not decode",
			  ga_element_name(packing->type),
			  (unsigned long long) request.n_wrong);
	get_image(packing);
	fixture_copy_out(packing->fixture, packing->pages,
					 packing->fixture->memory[FIXTURE_PAGES],
					 packing->pages_bytes);
	packing_check_packed(packing);
}
