/*
 * self_test_pack.c
 *		What a device packs in its self-test.
 *
 * Called by self_test.c, when the plain arrays are on the device; keeps
 * nothing.  All headers and payloads lie in one page: first the headers, then
 * for each array what it takes if no vector is smaller than before.
 */
#include "device_check.h"
#include "self_test_compute.h"

/* Where payloads begin: behind the headers of all arrays. */
#define PAYLOADS_AT 1024

_Static_assert((GA_SELF_TEST_ELEMENTS / GA_PACKED_VECTOR +
				GA_SELF_TEST_ARRAYS) *
					   sizeof(GaPackedHeader) <=
				   PAYLOADS_AT,
			   "headers are before payloads");

/* The arrays, plain and packed. */
typedef struct Arrays
{
	GaDeviceAddress page;
	GaPackPiece pieces[GA_SELF_TEST_ARRAYS];
	GaPackArray arrays[GA_SELF_TEST_ARRAYS];
} Arrays;

/* Wait for a submission, if there was one. */
static GaStatus
finish(const GaTestSide *side, GaStatus status)
{
	return status == GA_OK ? side->kind->wait(side->queue, side->failure) :
							 status;
}

/* Set where the arrays of a type are, and will be. */
static void
place(const GaTestSide *side, GaElementType type, Arrays *arrays,
	  GaDeviceArray packed[])
{
	const size_t size = ga_element_size(type);
	GaDeviceAddress data = side->memory;
	GaDeviceAddress headers = side->memory + GA_TEST_PACKED_AT;
	uint32_t at = PAYLOADS_AT;
	int i;

	arrays->page = headers;
	for (i = 0; i < GA_SELF_TEST_ARRAYS; i++)
	{
		const uint32_t n = ga_self_test_lengths[i];
		const uint32_t n_vectors =
			(n + GA_PACKED_VECTOR - 1) / GA_PACKED_VECTOR;

		arrays->pieces[i] = (GaPackPiece){data, n, headers};
		arrays->arrays[i] =
			(GaPackArray){.n_pieces = 1, .at = at, .pages = &arrays->page};
		packed[i] = (GaDeviceArray){ga_packed_address(headers, size), n};
		data += n * size;
		headers += n_vectors * sizeof(GaPackedHeader);
		at += n_vectors * GA_PACKED_VECTOR * (uint32_t) size;
	}
}

/* Pack the arrays.  *is_packed is false if they take too much, or are wrong. */
static GaStatus
pack(const GaTestSide *side, GaElementType type, Arrays *arrays,
	 bool *is_packed)
{
	GaPackRequest request = {.type = type,
							 .n_arrays = GA_SELF_TEST_ARRAYS,
							 .arrays = arrays->arrays,
							 .pieces = arrays->pieces,
							 .n_pieces = GA_SELF_TEST_ARRAYS,
							 .device_ms = -1};
	GaStatus status =
		finish(side, side->kind->survey(side->queue, &request, side->failure));
	int i;

	*is_packed = status == GA_OK;
	for (i = 0; i < GA_SELF_TEST_ARRAYS; i++)
		*is_packed = *is_packed && arrays->arrays[i].n_pages <= 1;
	if (!*is_packed)
		return status;
	status =
		finish(side, side->kind->pack(side->queue, &request, side->failure));
	*is_packed = status == GA_OK && request.n_wrong == 0;
	return status;
}

/*
 * Pack the arrays of a type, which the device has plain.  Set where they are
 * then; *is_packed is false if the device packs them wrong.
 */
GaStatus
ga_self_test_pack(const GaTestSide *side, GaElementType type,
				  GaDeviceArray packed[], bool *is_packed)
{
	Arrays arrays;

	place(side, type, &arrays, packed);
	return pack(side, type, &arrays, is_packed);
}
