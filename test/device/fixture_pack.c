/*
 * fixture_pack.c
 *		Arrays that the device has as one packed array, with what lies between
 *		them.
 */
#include <stdlib.h>

#include "fixture.h"
#include "tap.h"

/* Return the most pages that payloads of so many elements take. */
static uint32_t
most_pages(uint32_t n_vectors, size_t size)
{
	const uint32_t in_page =
		GA_PACKED_PAGE_BYTES / (GA_PACKED_VECTOR * (uint32_t) size);

	return n_vectors / in_page + 1;
}

GaDeviceAddress
fixture_pack_image(Fixture *fixture, GaElementType type, GaDeviceAddress image,
				   size_t n_bytes)
{
	const size_t size = ga_element_size(type);
	const uint32_t n = (uint32_t) (n_bytes / size);
	const uint32_t n_vectors = (n - 1) / GA_PACKED_VECTOR + 1;
	const uint32_t n_pages = most_pages(n_vectors, size);
	const uint64_t pages_bytes = (uint64_t) n_pages * GA_PACKED_PAGE_BYTES;
	const GaDeviceAddress memory =
		fixture_memory(fixture, FIXTURE_PAGES,
					   pages_bytes + n_vectors * sizeof(GaPackedHeader));
	const GaPackPiece piece = {image, n, memory + pages_bytes};
	GaDeviceAddress *pages = malloc(n_pages * sizeof(*pages));
	GaPackArray array = {.n_pieces = 1, .pages = pages};
	GaPackRequest request = {.type = type,
							 .n_arrays = 1,
							 .arrays = &array,
							 .pieces = &piece,
							 .n_pieces = 1};
	uint32_t i;

	for (i = 0; i < n_pages; i++)
		pages[i] = memory + (uint64_t) i * GA_PACKED_PAGE_BYTES;
	fixture_survey(fixture, &request);
	tap_check(array.n_pages <= n_pages, "%u pages, at most %u",
			  (unsigned) array.n_pages, (unsigned) n_pages);
	fixture_pack(fixture, &request);
	tap_check(request.n_wrong == 0, "%llu vectors do not decode",
			  (unsigned long long) request.n_wrong);
	free(pages);
	return ga_packed_address(piece.headers, size);
}
