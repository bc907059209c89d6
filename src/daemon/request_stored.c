/*
 * request_stored.c
 *		GA_SUM_STORED: the sums of stored values, of those that are resident.
 *
 * Each resident value is one array for the device, or several if its pages lie
 * apart, whose sums are added up here.  The sums go to the slot one behind the
 * other, without gaps for those that are not resident.
 */
#include <stdlib.h>
#include <string.h>

#include "device/device_check.h"
#include "session.h"
#include "request.h"

/* The device's own time is measured where it is worth the microseconds. */
#define MEASURED_BYTES (64 << 20)

/* Room for n arrays and their results. */
bool
ga_request_reserve_parts(GaActiveRequest *work, uint32_t n)
{
	uint32_t room = work->parts_room < 1024 ? 1024 : work->parts_room;
	GaDeviceArray *parts;
	GaPartialSum *sums;

	if (n <= work->parts_room)
		return true;
	while (room < n)
		room *= 2;
	parts = realloc(work->parts, room * sizeof(*parts));
	if (parts != NULL)
		work->parts = parts;
	sums = realloc(work->part_sums, room * sizeof(*sums));
	if (sums != NULL)
		work->part_sums = sums;
	if (parts == NULL || sums == NULL)
		return false;
	work->parts_room = room;
	return true;
}

/* Where wide sums go for the client. */
GaFullRecord *
ga_request_stored_full(GaActiveRequest *work)
{
	return (GaFullRecord *) (ga_slot_data(work->slot) + GA_STORED_FULL_AT);
}

/* An entry as arrays of the device, behind those before it. */
static bool
add_entry(GaActiveRequest *work, GaEntry *entry)
{
	const GaCache *cache = ga_cache_of(work->window->device);
	const size_t size = ga_element_size(entry->type);
	uint64_t left = (uint64_t) entry->n * size;
	uint64_t at = entry->at;
	uint32_t n = 0;

	work->entries[work->n_entries++] = entry;
	do
	{
		GaDeviceArray *array;
		uint64_t n_there = 0;

		if (!ga_request_reserve_parts(work, work->sum.n_arrays + 1))
			return false;
		array = &work->parts[work->sum.n_arrays++];
		array->data = 0;
		if (left > 0)
			ga_extents_find(&cache->extents, entry->extent, at, left,
							&array->data, &n_there);
		array->n = n_there / size;
		at += n_there;
		left -= n_there;
		n++;
	} while (left > 0);
	work->n_parts[work->n_entries - 1] = n;
	return true;
}

/*
 * Is there a value to wait for?  That has to be known before anything is said
 * or begun, for all of it is done again after the wait.
 */
static bool
has_to_wait(const GaActiveRequest *work, const GaCacheLookup *ask)
{
	const GaCache *cache = ga_cache_of(work->window->device);
	const GaStoredRef *refs = (GaStoredRef *) ga_slot_data(work->slot);
	uint32_t i;

	for (i = 0; i < work->request.u.stored.n_arrays; i++)
	{
		const GaStoredKey key = *(const volatile GaStoredKey *) &refs[i].key;

		if (ga_cache_must_wait(cache, ask, &key))
			return true;
	}
	return false;
}

/*
 * Find the values, and say of each what there is to say.  GA_NO_CAPACITY if the
 * session is to wait for one; GA_NO_MEMORY.
 */
static GaStatus
find_values(GaActiveRequest *work)
{
	GaCache *cache = ga_cache_of(work->window->device);
	GaStoredRef *refs = (GaStoredRef *) ga_slot_data(work->slot);
	const GaStoredLookup *how = &work->request.u.stored.lookup;
	const GaCacheLookup ask = ga_request_lookup(work, work->sum.type, how);
	uint32_t i;

	if (how->waits && has_to_wait(work, &ask))
		return GA_NO_CAPACITY;
	for (i = 0; i < work->request.u.stored.n_arrays; i++)
	{
		const GaStoredRef ref = *(volatile GaStoredRef *) &refs[i];
		GaEntry *entry;
		GaStoredState state = ga_cache_lookup(cache, &ask, &ref, &entry);

		refs[i].state = state;
		if (state != GA_STORED_RESIDENT)
			continue;
		refs[i].n = entry->n;
		if (!add_entry(work, entry))
			return GA_NO_MEMORY;
	}
	return GA_OK;
}

/* What is wrong with a request, or NULL. */
static const char *
request_fault(const GaRequest *request)
{
	if (request->u.stored.type >= GA_N_ELEMENT_TYPES)
		return "no such element type";
	if (request->u.stored.n_arrays > GA_SLOT_ARRAYS)
		return "too many values";
	return NULL;
}

static GaStatus
check(GaActiveRequest *work, GaDeviceFailure *failure)
{
	const char *fault = request_fault(&work->request);
	GaStatus status;

	if (fault != NULL)
	{
		ga_device_failure(failure, "GA_SUM_STORED", "%s", fault);
		return GA_BAD_REQUEST;
	}
	work->sum = (GaSumRequest){
		.type = (GaElementType) work->request.u.stored.type,
		.full = ga_request_stored_full(work),
		.full_capacity = GA_STORED_FULL,
		.device_ms = -1,
	};
	status = find_values(work);
	work->n_own = work->n_joint = work->sum.n_arrays;
	TAILQ_INIT(&work->followers);
	if (status == GA_NO_MEMORY)
		ga_device_failure(failure, "realloc", "out of memory");
	return status;
}

static GaStatus
submit(GaActiveRequest *work, GaDeviceFailure *failure)
{
	GaSumRequest *sum = &work->sum;
	uint64_t n_bytes = 0;
	uint32_t i;

	if (work->n_joint == 0)
		return GA_OK;
	sum->n_arrays = work->n_joint;
	sum->arrays = work->parts;
	sum->results = work->part_sums;
	for (i = 0; i < sum->n_arrays; i++)
		n_bytes += work->parts[i].n * ga_element_size(sum->type);
	work->kind->measure(work->queue, n_bytes >= MEASURED_BYTES);
	return ga_submitted(work->kind->sum(work->queue, sum, failure));
}

/* Is this what a device makes of n elements? */
static bool
is_wide_sum(const GaFullRecord *wide, int64_t n)
{
	const int64_t limit = INT64_C(1) << 52;
	int i;

	if (wide->n_nan < 0 || wide->n_nan > n || wide->n_pos_inf < 0 ||
		wide->n_pos_inf > n || wide->n_neg_inf < 0 || wide->n_neg_inf > n)
		return false;
	for (i = 0; i < GA_MAX_CELLS; i++)
	{
		if (wide->cells[i] <= -limit || wide->cells[i] >= limit)
			return false;
	}
	return true;
}

/*
 * Add the sum of a part.  A wide one lies in the slot, where the client can
 * change it: it is read once.  False if it cannot be had.
 */
static bool
add_part(const GaActiveRequest *work, uint32_t i, GaScanPrefix *carry)
{
	const int64_t n = (int64_t) work->parts[i].n;
	GaPartialSum part = work->part_sums[i];
	GaFullRecord wide;

	if (part.kind == GA_PARTIAL_NO_CAPACITY)
		return false;
	if (part.kind == GA_PARTIAL_FULL)
	{
		wide = *(volatile GaFullRecord *) &work->sum.full[part.limb[0]];
		part.limb[0] = 0;
		if (!is_wide_sum(&wide, n))
			return false;
	}
	ga_scan_prefix_add(carry, n, &part, &wide);
	return true;
}

/* The sum of an entry's parts; a wide one has a record of its own. */
static GaPartialSum
add_parts(GaActiveRequest *work, uint32_t first, uint32_t n)
{
	GaSumRequest *sum = &work->sum;
	GaScanPrefix carry;
	uint32_t i;

	ga_scan_prefix_begin(&carry, sum->type);
	for (i = first; i < first + n; i++)
	{
		if (!add_part(work, i, &carry))
			return (GaPartialSum){.kind = GA_PARTIAL_NO_CAPACITY};
	}
	return ga_scan_prefix_partial(&carry, sum->full, sum->full_capacity,
								  &sum->n_full);
}

static void
answer(GaActiveRequest *work, GaReply *reply)
{
	uint32_t part = 0;
	uint32_t i;

	for (i = 0; i < work->n_entries; i++)
	{
		uint32_t n = work->n_parts[i];

		work->slot->sums[i] =
			n == 1 ? work->part_sums[part] : add_parts(work, part, n);
		part += n;
	}
	reply->n_full = work->sum.n_full;
	reply->u.sum.device_ms = work->sum.device_ms;
}

const GaRequestKind ga_request_sum_stored = {check,	 submit, NULL,
											 answer, NULL,	 false};
