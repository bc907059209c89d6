/*
 * packing_check.c
 *		Checks of what a device packed.
 *
 * Headers and pages are copies on the host, which the code of src/exact
 * decodes.
 */
#include <stdlib.h>

#include "exact/extreme.h"
#include "exact/packed_element.h"
#include "packing.h"
#include "tap.h"

/* Where the payloads of an array go next. */
typedef struct Place
{
	uint32_t page;
	uint32_t at;
	uint32_t n_pages;
	uint64_t n_bytes;
} Place;

static GaPackedHeader *
headers_of(const Packing *packing, const GaPackPiece *piece)
{
	return (GaPackedHeader *) (void *) (packing->image + piece->headers -
										packing->fixture->memory[FIXTURE_IN]);
}

static uint32_t
count_vectors(const GaPackPiece *piece)
{
	return (piece->n - 1) / GA_PACKED_VECTOR + 1;
}

/* Return the place of a payload among the pages of its array. */
static uint64_t
next_place(Place *place, uint32_t n_bytes)
{
	uint64_t result;

	if (place->at + n_bytes > GA_PACKED_PAGE_BYTES)
	{
		place->page++;
		place->at = 0;
	}
	result = (uint64_t) place->page * GA_PACKED_PAGE_BYTES + place->at;
	place->at += n_bytes;
	place->n_bytes += n_bytes;
	place->n_pages = place->page + 1;
	return result;
}

/* Are these the parts of a header that the type may have? */
static bool
is_header(GaElementType type, uint64_t code)
{
	const size_t size = ga_element_size(type);
	const unsigned form = ga_packed_form(code);
	const unsigned width = ga_packed_width(code);

	if (form == GA_PACKED_PLAIN)
		return width == 0 && ga_packed_exceptions(code) == 0;
	if (ga_packed_round_width(width) != width ||
		ga_packed_bytes(code, size) > GA_PACKED_VECTOR * size / 8 * 7)
		return false;
	if (form == GA_PACKED_INTEGERS)
		return true;
	if (form == GA_PACKED_MULTIPLES)
		return !ga_element_is_float(type) && !ga_packed_is_sparse(code) &&
			   ga_packed_count(code) > 0 &&
			   ga_packed_count(code) <= GA_PACKED_MULTIPLE_PLACES;
	return width <= 52 && (form < GA_PACKED_FLOATS ?
							   ga_element_is_float(type) :
							   type == GA_float8 && ga_packed_places(form) <=
														GA_PACKED_FLOAT_PLACES);
}

/* Check the headers of an array, and what the survey says of its pages. */
static void
check_places(const Packing *packing, uint32_t i)
{
	const GaPackArray *pack = &packing->pack[i];
	const PackingArray *array = &packing->arrays[i];
	const size_t size = ga_element_size(packing->type);
	Place place = {.at = pack->at};
	uint32_t p, v;

	for (p = array->first_piece; p < array->first_piece + pack->n_pieces; p++)
	{
		const GaPackPiece *piece = &packing->pieces[p];

		for (v = 0; v < count_vectors(piece); v++)
		{
			const uint64_t code = headers_of(packing, piece)[v].coding.code;
			const uint32_t n_bytes = ga_packed_bytes(code, size);

			tap_check(is_header(packing->type, code),
					  "array %u, %s: the header of vector %u is %llx",
					  (unsigned) i, array->name, (unsigned) v,
					  (unsigned long long) code);
			if (n_bytes > 0)
				tap_check(ga_packed_payload(code) ==
							  next_place(&place, n_bytes),
						  "array %u, %s: the place of vector %u is %llx",
						  (unsigned) i, array->name, (unsigned) v,
						  (unsigned long long) ga_packed_payload(code));
		}
	}
	tap_check(pack->n_pages == place.n_pages && pack->n_bytes == place.n_bytes,
			  "array %u, %s: %u pages, %llu bytes, must be %u, %llu",
			  (unsigned) i, array->name, (unsigned) pack->n_pages,
			  (unsigned long long) pack->n_bytes, (unsigned) place.n_pages,
			  (unsigned long long) place.n_bytes);
}

/* Check that no byte changed but those of headers. */
static void
check_image(const Packing *packing)
{
	const GaDeviceAddress base = packing->fixture->memory[FIXTURE_IN];
	size_t at = 0;
	uint32_t p;

	for (p = 0; p <= packing->n_pieces; p++)
	{
		const size_t end = p == packing->n_pieces ?
							   packing->image_bytes :
							   packing->pieces[p].headers - base;

		tap_check(memcmp(packing->image + at, packing->before + at, end - at) ==
					  0,
				  "bytes beside headers changed, before those of piece %u",
				  (unsigned) p);
		if (p < packing->n_pieces)
			at = end +
				 count_vectors(&packing->pieces[p]) * sizeof(GaPackedHeader);
	}
}

void
packing_check_survey(Packing *packing)
{
	uint32_t i;

	check_image(packing);
	for (i = 0; i < packing->n_arrays; i++)
		check_places(packing, i);
}

/*
 * Check that a header has the address of the place that it had, and let it have
 * that of the copy.  Mark the payload in the map, a byte for 16.
 */
static void
check_payload(Packing *packing, uint32_t i, GaPackedHeader *header, char *map)
{
	const GaDeviceAddress base = packing->fixture->memory[FIXTURE_PAGES];
	const GaPackedHeader *before =
		(const void *) (packing->before + ((char *) header - packing->image));
	const uint32_t n_bytes =
		ga_packed_bytes(before->coding.code, ga_element_size(packing->type));
	const uint64_t place = ga_packed_payload(before->coding.code);
	uint64_t at;

	tap_check(header->coding.base == before->coding.base &&
				  ga_packed_place(header->coding.code, 0) ==
					  ga_packed_place(before->coding.code, 0) &&
				  header->least == before->least &&
				  header->largest == before->largest,
			  "array %u: a header changed", (unsigned) i);
	if (n_bytes == 0)
		return;
	at = packing->pack[i].pages[place / GA_PACKED_PAGE_BYTES] +
		 place % GA_PACKED_PAGE_BYTES - base;
	tap_check(ga_packed_payload(header->coding.code) == base + at,
			  "array %u: an address is %llx, must be %llx", (unsigned) i,
			  (unsigned long long) ga_packed_payload(header->coding.code),
			  (unsigned long long) (base + at));
	tap_check(memchr(map + at / 16, 1, n_bytes / 16) == NULL,
			  "array %u: a payload overlaps others", (unsigned) i);
	memset(map + at / 16, 1, n_bytes / 16);
	header->coding.code = ga_packed_place(
		header->coding.code, (uint64_t) (uintptr_t) packing->pages + at);
}

/* Check that bytes that belong to no payload are as they were. */
static void
check_guards(const Packing *packing, const char *map)
{
	char guard[16];
	size_t n_changed = 0;
	size_t i;

	memset(guard, PACKING_GUARD, sizeof(guard));
	for (i = 0; i < packing->pages_bytes / 16; i++)
		n_changed += map[i] == 0 &&
					 memcmp(packing->pages + 16 * i, guard, sizeof(guard)) != 0;
	tap_check(n_changed == 0, "%zu places outside of payloads changed",
			  n_changed);
}

/* Return the bits of an element. */
static unsigned long long
bits_at(const char *elements, uint32_t i, size_t size)
{
	unsigned long long bits = 0;

	memcpy(&bits, elements + i * size, size);
	return bits;
}

/* Decode elements from one of a piece on, and compare. */
static void
check_elements(const Packing *packing, const PackingArray *array,
			   const GaPackPiece *piece, const char *must, uint32_t from,
			   uint32_t n)
{
	const size_t size = ga_element_size(packing->type);
	const uint64_t address =
		ga_packed_address((uintptr_t) headers_of(packing, piece), size) +
		from * size;
	char *is = malloc((n + 1) * size);
	uint32_t i = 0;

	memset(is + n * size, PACKING_GUARD, size);
	if (n == 1)
		ga_packed_element(address, packing->type, is);
	else
		ga_packed_elements(address, n, packing->type, is);
	while (i < n && memcmp(is + i * size, must + (from + i) * size, size) == 0)
		i++;
	tap_check(
		i == n, "%s, %s: element %u of %u of a piece is %llx, must be %llx",
		ga_element_name(packing->type), array->name, (unsigned) (from + i),
		(unsigned) piece->n, bits_at(is, i < n ? i : 0, size),
		bits_at(must, i < n ? from + i : 0, size));
	for (i = 0; i < size; i++)
		tap_check((unsigned char) is[n * size + i] == PACKING_GUARD,
				  "%s, %s: elements behind %u from %u on are written",
				  ga_element_name(packing->type), array->name, (unsigned) n,
				  (unsigned) from);
	free(is);
}

/* Check that what a last vector lacks are copies of its first element. */
static void
check_padding(const Packing *packing, const GaPackPiece *piece)
{
	const size_t size = ga_element_size(packing->type);
	const uint32_t from = (piece->n - 1) / GA_PACKED_VECTOR * GA_PACKED_VECTOR;
	char vector[GA_PACKED_VECTOR * sizeof(int64_t)];
	uint32_t i;

	ga_packed_elements(
		ga_packed_address((uintptr_t) headers_of(packing, piece), size) +
			from * size,
		GA_PACKED_VECTOR, packing->type, vector);
	for (i = piece->n - from; i < GA_PACKED_VECTOR; i++)
		tap_check(memcmp(vector, vector + i * size, size) == 0,
				  "missing element %u is no copy of the first", (unsigned) i);
}

/* Check the extremes of a piece's vectors. */
static void
check_extremes(const Packing *packing, const PackingArray *array,
			   const GaPackPiece *piece, const char *elements)
{
	const GaPackedHeader *headers = headers_of(packing, piece);
	uint32_t i, v;

	for (v = 0; v < count_vectors(piece); v++)
	{
		const uint32_t end = (v + 1) * GA_PACKED_VECTOR;
		int64_t least = INT64_MAX;
		int64_t largest = INT64_MIN;

		for (i = v * GA_PACKED_VECTOR; i < end && i < piece->n; i++)
		{
			const int64_t key = ga_element_key(
				packing->type, elements + i * ga_element_size(packing->type));

			least = key < least ? key : least;
			largest = key > largest ? key : largest;
		}
		tap_check(headers[v].least == least && headers[v].largest == largest,
				  "%s, %s: vector %u of a piece is from %llx to %llx, must be "
				  "from %llx to %llx",
				  ga_element_name(packing->type), array->name, (unsigned) v,
				  (unsigned long long) headers[v].least,
				  (unsigned long long) headers[v].largest,
				  (unsigned long long) least, (unsigned long long) largest);
	}
}

/* Decode pieces, and some of their elements alone. */
static void
check_array(const Packing *packing, uint32_t i)
{
	const PackingArray *array = &packing->arrays[i];
	const size_t size = ga_element_size(packing->type);
	const char *must = array->elements;
	const uint32_t step = array->n < 6000 ? 1 : 37;
	uint32_t p, from;

	for (p = array->first_piece;
		 p < array->first_piece + packing->pack[i].n_pieces; p++)
	{
		const GaPackPiece *piece = &packing->pieces[p];

		check_elements(packing, array, piece, must, 0, piece->n);
		check_elements(packing, array, piece, must, piece->n / 3,
					   piece->n - piece->n / 3);
		for (from = 0; from < piece->n; from += step)
			check_elements(packing, array, piece, must, from, 1);
		check_padding(packing, piece);
		check_extremes(packing, array, piece, must);
		must += piece->n * size;
	}
}

/* The headers on the host have addresses on the host then. */
void
packing_check_packed(Packing *packing)
{
	char *map = calloc(packing->pages_bytes / 16 + 1, 1);
	uint32_t i, p, v;

	check_image(packing);
	for (i = 0, p = 0; i < packing->n_arrays; i++)
	{
		const uint32_t end = p + packing->pack[i].n_pieces;

		for (; p < end; p++)
		{
			for (v = 0; v < count_vectors(&packing->pieces[p]); v++)
				check_payload(packing, i,
							  headers_of(packing, &packing->pieces[p]) + v,
							  map);
		}
	}
	check_guards(packing, map);
	for (i = 0; i < packing->n_arrays; i++)
		check_array(packing, i);
	free(map);
}
