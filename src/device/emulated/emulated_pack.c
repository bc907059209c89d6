/*
 * emulated_pack.c
 *		The emulated device's requests that survey and pack arrays.
 *
 * Called by emulated_submit.c after the request was checked.
 */
#include "emulated_encode.h"
#include "emulated_memory.h"
#include "emulated_pack.h"
#include "exact/extreme.h"
#include "exact/packed_element.h"

/* Part of an array, which is surveyed or packed vector by vector. */
typedef struct Work
{
	GaPackRequest *request;
	GaPackArray *array;
	uint32_t page; /* where the next payload goes */
	uint32_t at;
} Work;

/* What is done with the n elements of a vector, and its header. */
typedef void (*Step)(Work *work, const char *elements, uint32_t n,
					 GaPackedHeader *header);

static void
do_piece(Work *work, const GaPackPiece *piece, Step step)
{
	const size_t size = ga_element_size(work->request->type);
	const char *elements = ga_emulated_pointer(piece->data);
	GaPackedHeader *header = ga_emulated_pointer(piece->headers);
	uint32_t done;

	for (done = 0; done < piece->n; done += GA_PACKED_VECTOR)
	{
		const uint32_t left = piece->n - done;

		step(work, elements + done * size,
			 left < GA_PACKED_VECTOR ? left : GA_PACKED_VECTOR, header++);
	}
}

/* Take a step for all vectors of an array, whose pieces begin there. */
static void
do_array(Work *work, const GaPackPiece *pieces, Step step)
{
	uint32_t i;

	for (i = 0; i < work->array->n_pieces; i++)
		do_piece(work, &pieces[i], step);
}

/* Place a payload, and return the header's code with its place. */
static uint64_t
place(Work *work, uint64_t code, uint32_t n_bytes)
{
	if (n_bytes == 0)
		return code;
	if (n_bytes > GA_PACKED_PAGE_BYTES - work->at)
	{
		work->page++;
		work->at = 0;
	}
	code = ga_packed_place(code, (uint64_t) work->page * GA_PACKED_PAGE_BYTES +
									 work->at);
	work->at += n_bytes;
	work->array->n_pages = work->page + 1;
	work->array->n_bytes += n_bytes;
	return code;
}

/* Set a vector's extremes. */
static void
find_extremes(const GaEmulatedVector *vector, GaPackedHeader *header)
{
	int i;

	header->least = INT64_MAX;
	header->largest = INT64_MIN;
	for (i = 0; i < GA_PACKED_VECTOR; i++)
	{
		const int64_t key = ga_element_key(vector->type, &vector->bits[i]);

		header->least = key < header->least ? key : header->least;
		header->largest = key > header->largest ? key : header->largest;
	}
}

static void
survey_vector(Work *work, const char *elements, uint32_t n,
			  GaPackedHeader *header)
{
	const GaElementType type = work->request->type;
	GaEmulatedVector vector;
	GaPackedCoding coding;

	ga_emulated_load_vector(&vector, type, elements, n);
	coding = ga_emulated_choose_form(&vector);
	coding.code = place(work, coding.code,
						ga_packed_bytes(coding.code, ga_element_size(type)));
	header->coding = coding;
	find_extremes(&vector, header);
}

/* Survey the arrays: write headers, and count pages and bytes. */
void
ga_emulated_survey(GaPackRequest *request)
{
	const GaPackPiece *pieces = request->pieces;
	uint32_t i;

	for (i = 0; i < request->n_arrays; i++)
	{
		GaPackArray *array = &request->arrays[i];
		Work work = {.request = request, .array = array, .at = array->at};

		array->n_pages = 0;
		array->n_bytes = 0;
		do_array(&work, pieces, survey_vector);
		pieces += array->n_pieces;
	}
}

/* Return a code with the address of what has a place among the pages. */
static uint64_t
address_of(const GaPackArray *array, uint64_t code)
{
	const uint64_t at = ga_packed_payload(code);

	return ga_packed_place(code, array->pages[at / GA_PACKED_PAGE_BYTES] +
									 at % GA_PACKED_PAGE_BYTES);
}

/* Are these the elements of the vector with a header, and its extremes? */
static bool
is_same(const GaEmulatedVector *vector, const GaPackedHeader *header,
		const char *elements, uint32_t n)
{
	const size_t size = ga_element_size(vector->type);
	int64_t decoded[GA_PACKED_VECTOR];
	GaPackedHeader must;

	ga_packed_elements(ga_packed_address((uintptr_t) header, size), n,
					   vector->type, decoded);
	find_extremes(vector, &must);
	return memcmp(decoded, elements, n * size) == 0 &&
		   header->least == must.least && header->largest == must.largest;
}

static void
pack_vector(Work *work, const char *elements, uint32_t n,
			GaPackedHeader *header)
{
	const GaElementType type = work->request->type;
	GaPackedCoding *coding = &header->coding;
	GaEmulatedVector vector;

	ga_emulated_load_vector(&vector, type, elements, n);
	if (ga_packed_bytes(coding->code, ga_element_size(type)) > 0)
	{
		coding->code = address_of(work->array, coding->code);
		ga_emulated_write_payload(&vector, coding);
	}
	work->request->n_wrong += !is_same(&vector, header, elements, n);
}

/* Pack the arrays, and count the vectors that do not decode. */
void
ga_emulated_pack(GaPackRequest *request)
{
	const GaPackPiece *pieces = request->pieces;
	uint32_t i;

	request->n_wrong = 0;
	for (i = 0; i < request->n_arrays; i++)
	{
		Work work = {.request = request, .array = &request->arrays[i]};

		do_array(&work, pieces, pack_vector);
		pieces += request->arrays[i].n_pieces;
	}
}
