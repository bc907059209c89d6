/*
 * request_elem.c
 *		GA_ELEM: sums and extremes of stored arrays position by position.
 *
 * All arrays have to be resident, with as many elements as the session says:
 * else the answer tells which are not, and nothing is computed.  The device
 * leaves the results in the request's memory, from where they are copied to the
 * slot.
 *
 * Owns the buffers `n_of_pieces` and `places` of an active request.
 */
#include <stdlib.h>
#include <string.h>

#include "device/device_check.h"
#include "request.h"

#define MIN_PIECES 4

/* Return what is wrong with a request, or NULL. */
static const char *
request_fault(const GaRequest *request)
{
	if (request->u.elem.type >= GA_N_ELEMENT_TYPES)
		return "no such element type";
	if (request->u.elem.n_arrays == 0 ||
		request->u.elem.n_arrays > GA_SLOT_ARRAYS)
		return "no arrays, or too many";
	if (!ga_elem_has_form((GaElementType) request->u.elem.type,
						  request->u.elem.form))
		return "the type has no such form";
	if (request->u.elem.n == 0 ||
		request->u.elem.n >
			ga_slot_positions((GaElemForm) request->u.elem.form))
		return "no positions, or too many";
	if (request->u.elem.from > request->u.elem.n_all ||
		request->u.elem.n > request->u.elem.n_all - request->u.elem.from)
		return "beyond the elements";
	return NULL;
}

/*
 * Look array i up, and write its state to the slot, and how many elements it
 * has.  Return whether it is as it has to be.
 */
static bool
look_up(GaActiveRequest *active, const GaCacheLookup *lookup, uint32_t i)
{
	GaStoredRef *to = &active->slot->refs[i];
	const GaStoredRef ref = *(volatile GaStoredRef *) to;
	GaEntry *entry;
	const GaStoredState state =
		ga_cache_lookup(ga_cache_of(active->device), lookup, &ref, &entry);
	uint32_t n;

	to->state = state;
	if (state != GA_STORED_RESIDENT)
		return false;
	active->entries[active->n_entries++] = entry;
	n = active->request.u.elem.lines && !entry->is_line ? 0 : entry->n;
	to->n = n;
	return n == active->request.u.elem.n_all;
}

/* Have the buffers for another piece.  False: no memory. */
static bool
reserve_piece(GaActiveRequest *active, uint32_t n_pieces)
{
	const uint32_t capacity = active->pieces_capacity < MIN_PIECES ?
								  MIN_PIECES :
								  2 * active->pieces_capacity;
	uint32_t *n_of;
	GaDeviceAddress *places;

	if (n_pieces < active->pieces_capacity)
		return true;
	n_of = realloc(active->n_of_pieces, capacity * sizeof(*n_of));
	if (n_of != NULL)
		active->n_of_pieces = n_of;
	places = realloc(active->places,
					 (size_t) capacity * GA_SLOT_ARRAYS * sizeof(*places));
	if (places != NULL)
		active->places = places;
	if (n_of == NULL || places == NULL)
		return false;
	active->pieces_capacity = capacity;
	return true;
}

/*
 * Find where all arrays have their elements from one on, and return of how many
 * of n these are contiguous in all of them.
 */
static uint32_t
find_piece(const GaActiveRequest *active, uint32_t from, uint32_t n,
		   GaDeviceAddress *places)
{
	const GaCache *cache = ga_cache_of(active->device);
	uint64_t n_there = n;
	uint32_t i;

	for (i = 0; i < active->n_entries; i++)
		places[i] =
			ga_cache_find(cache, active->entries[i], from, n_there, &n_there);
	return (uint32_t) n_there;
}

/* Fill in the device's request.  False: no memory. */
static bool
fill_request(GaActiveRequest *active)
{
	GaElemRequest *elem = &active->u.elem.request;
	const uint32_t n = active->request.u.elem.n;
	uint32_t done = 0;

	*elem = (GaElemRequest){
		.type = (GaElementType) active->request.u.elem.type,
		.n_arrays = active->n_entries,
		.form = (GaElemForm) active->request.u.elem.form,
		.out = active->memory,
	};
	while (done < n)
	{
		const uint32_t p = elem->n_pieces++;

		if (!reserve_piece(active, p))
			return false;
		active->n_of_pieces[p] =
			find_piece(active, active->request.u.elem.from + done, n - done,
					   active->places + (size_t) p * active->n_entries);
		done += active->n_of_pieces[p];
	}
	elem->n_of = active->n_of_pieces;
	elem->arrays = active->places;
	return true;
}

/* Are such results wrong on the device, so that the CPU computes them? */
static bool
is_refused(const GaActiveRequest *active)
{
	const int reduction =
		ga_elem_reduction((GaElemForm) active->request.u.elem.form);

	return (active->device->wrong >> reduction & 1) != 0;
}

static GaStatus
check(GaActiveRequest *active, GaDeviceFailure *failure)
{
	const char *fault = request_fault(&active->request);
	GaCacheLookup lookup;
	uint32_t i;

	if (fault != NULL)
	{
		ga_device_failure(failure, "GA_ELEM", "%s", fault);
		return GA_BAD_REQUEST;
	}
	lookup =
		ga_request_lookup(active, (GaElementType) active->request.u.elem.type,
						  &active->request.u.elem.lookup);
	active->u.elem.has_all = true;
	for (i = 0; i < active->request.u.elem.n_arrays; i++)
		active->u.elem.has_all &= look_up(active, &lookup, i);
	if (!active->u.elem.has_all || is_refused(active) || fill_request(active))
		return GA_OK;
	ga_device_failure(failure, "malloc", "out of memory");
	return GA_NO_MEMORY;
}

static GaStatus
submit(GaActiveRequest *active, GaDeviceFailure *failure)
{
	active->u.elem.copies = false;
	if (!active->u.elem.has_all || is_refused(active))
		return GA_OK;
	return ga_submitted(active->polled.device->elem(
		active->polled.queue, &active->u.elem.request, failure));
}

/* The results were computed, or copied. */
static GaStatus
advance(GaActiveRequest *active, GaDeviceFailure *failure)
{
	return ga_request_copy_out(
		active, &active->u.elem.copies,
		ga_elem_all_bytes((GaElemForm) active->request.u.elem.form,
						  active->request.u.elem.n),
		failure);
}

/* Refuse all positions, for the CPU to compute. */
static void
refuse_all(const GaActiveRequest *active)
{
	const uint32_t n = active->request.u.elem.n;
	char *data = ga_slot_data(active->slot);
	const uint64_t n_refused = n;
	uint32_t i;

	if (active->request.u.elem.form != GA_FORM_RECORD)
		memcpy(data + n * sizeof(uint64_t), &n_refused, sizeof(n_refused));
	else
		for (i = 0; i < n; i++)
			((GaPartialSum *) data)[i] =
				(GaPartialSum){.kind = GA_PARTIAL_REFUSED};
}

static void
answer(GaActiveRequest *active, GaReply *reply)
{
	reply->u.elem.has_results = active->u.elem.has_all;
	if (active->u.elem.has_all && is_refused(active))
		refuse_all(active);
}

const GaRequestKind ga_request_elem = {
	.check = check,
	.submit = submit,
	.advance = advance,
	.answer = answer,
	.uses_memory = true,
	.evicts = true,
};
