/*
 * device_check_pack.c
 *		Checks of requests that survey and pack arrays, for all kinds of
 *		devices.
 *
 * The rules are those of device.h.  Called by the devices when a request is
 * submitted.  Addresses are compared, never dereferenced.
 */
#include "device_check.h"

/* Alignments of elements, and of pages. */
#define PIECE_ALIGNMENT 16
#define PAGE_ALIGNMENT	256

/* What is wrong with an address of plain memory; NULL is nothing. */
static const char *
address_fault(GaDeviceAddress address, size_t alignment)
{
	return address == 0								   ? "no address" :
		   ga_is_packed(address)					   ? "a packed address" :
		   address % alignment != 0					   ? "not aligned" :
		   address >> 4 >> GA_PACKED_ADDRESS_BITS != 0 ? "beyond 2^48" :
														 NULL;
}

/* What is wrong with the pieces of an array; NULL is nothing. */
static const char *
pieces_fault(const GaPackPiece *pieces, uint32_t n)
{
	const char *fault = NULL;
	uint32_t i;

	for (i = 0; i < n && fault == NULL; i++)
	{
		if (pieces[i].n == 0)
			return "a piece without elements";
		if (pieces[i].n > GA_DEVICE_MAX_ELEMENTS)
			return "too many elements";
		if (i + 1 < n && pieces[i].n % GA_PACKED_VECTOR != 0)
			return "a piece of no whole vectors";
		fault = address_fault(pieces[i].data, PIECE_ALIGNMENT);
		if (fault == NULL)
			fault = address_fault(pieces[i].headers, sizeof(GaPackedHeader));
	}
	return fault;
}

/* What is wrong with the memory of an array's payloads; NULL is nothing. */
static const char *
pages_fault(const GaPackArray *array, bool packs)
{
	const char *fault = NULL;
	uint32_t i;

	if (array->at > GA_PACKED_PAGE_BYTES || array->at % 16 != 0)
		return "no place in a page";
	if (!packs || array->n_pages == 0)
		return NULL;
	if (array->pages == NULL)
		return "no pages";
	for (i = 0; i < array->n_pages && fault == NULL; i++)
		fault = address_fault(array->pages[i], PAGE_ALIGNMENT);
	return fault;
}

/* What is wrong with a request, apart from its arrays; NULL is nothing. */
static const char *
request_fault(const GaPackRequest *request)
{
	uint64_t n_pieces = 0;
	uint32_t i;

	if ((unsigned) request->type >= GA_N_ELEMENT_TYPES)
		return "no such element type";
	if (request->n_arrays > GA_DEVICE_MAX_ARRAYS ||
		request->n_pieces > GA_DEVICE_MAX_ARRAYS)
		return "too many arrays";
	if (request->n_arrays > 0 && request->arrays == NULL)
		return "no arrays";
	if (request->n_pieces > 0 && request->pieces == NULL)
		return "no pieces";
	for (i = 0; i < request->n_arrays; i++)
	{
		if (request->arrays[i].n_pieces == 0)
			return "an array without pieces";
		n_pieces += request->arrays[i].n_pieces;
	}
	return n_pieces == request->n_pieces ? NULL : "pieces of no array";
}

/*
 * Check a request that surveys arrays, or packs them; returns GA_OK or
 * GA_BAD_REQUEST.
 */
GaStatus
ga_check_pack_request(const GaPackRequest *request, bool packs,
					  GaDeviceFailure *failure)
{
	const char *call = packs ? "pack" : "survey";
	const char *fault = request_fault(request);
	const GaPackPiece *pieces = request->pieces;
	uint32_t i;

	if (fault != NULL)
	{
		ga_device_failure(failure, call, "%s", fault);
		return GA_BAD_REQUEST;
	}
	for (i = 0; i < request->n_arrays; i++)
	{
		fault = pieces_fault(pieces, request->arrays[i].n_pieces);
		if (fault == NULL)
			fault = pages_fault(&request->arrays[i], packs);
		if (fault != NULL)
		{
			ga_device_failure(failure, call, "array %u: %s", (unsigned) i,
							  fault);
			return GA_BAD_REQUEST;
		}
		pieces += request->arrays[i].n_pieces;
	}
	return GA_OK;
}
