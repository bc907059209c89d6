/*
 * request_load.c
 *		GA_LOAD: elements of stored values, from a slot to where they stay.
 *
 * A piece whose value the session does not load, because it was told to forget
 * it meanwhile, is left out.
 */
#include "device/clock.h"
#include "stats.h"
#include "device/device_check.h"
#include "session.h"
#include "request.h"

/* Elements that are being copied from one place to another. */
typedef struct Copy
{
	GaDeviceAddress to;
	const char *from;
	uint64_t n_bytes;
	const GaExtent *block; /* that it goes to */
} Copy;

/* What is wrong with a piece of the entry that it belongs to, or NULL. */
static const char *
piece_fault(const GaLoadSegment *piece, const GaEntry *entry)
{
	const size_t size = ga_element_size(entry->type);

	if (piece->from != entry->n)
		return "not the next elements of its value";
	if (piece->n > piece->n_all || piece->from > piece->n_all - piece->n)
		return "beyond its value's elements";
	if (piece->n_all * (uint64_t) size > entry->capacity)
		return "more elements than its value has bytes";
	return NULL;
}

/* The entry that a piece belongs to; NULL if it is not loaded any more. */
static GaEntry *
find_entry(GaActiveRequest *work, const GaLoadSegment *piece)
{
	GaSession *session = work->window->session;
	const GaIdentity identity =
		ga_cache_identity(&session->client, &piece->key);
	GaEntry *entry =
		ga_cache_find(ga_cache_of(work->window->device), &identity);

	return entry != NULL && entry->loader == &session->client &&
				   entry->type == work->request.u.load.type ?
			   entry :
			   NULL;
}

/* What is wrong with a request, or NULL. */
static const char *
request_fault(const GaRequest *request)
{
	if (request->u.load.type >= GA_N_ELEMENT_TYPES)
		return "no such element type";
	if (request->u.load.n_segments > GA_SLOT_ARRAYS)
		return "too many pieces";
	if (request->u.load.n_data_bytes > GA_SLOT_DATA_BYTES)
		return "too many bytes";
	return NULL;
}

static GaStatus
check(GaActiveRequest *work, GaDeviceFailure *failure)
{
	const char *fault = request_fault(&work->request);

	work->window->session->client.load_ns = ga_now_ns();
	if (fault == NULL)
		return GA_OK;
	ga_device_failure(failure, "GA_LOAD", "%s", fault);
	return GA_BAD_REQUEST;
}

static GaStatus
submit_copy(GaActiveRequest *work, Copy *copy, GaDeviceFailure *failure)
{
	GaStatus status = GA_OK;

	if (copy->n_bytes > 0)
		status = work->kind->copy_in(work->queue, copy->to, copy->from,
									 copy->n_bytes, failure);
	ga_stats.n_bytes_in += copy->n_bytes;
	copy->n_bytes = 0;
	return status;
}

/*
 * Copy something.  What lies as far behind the copy before it on both sides, in
 * a page that small values share, goes with that; the gap between two of them
 * has nothing in it.  Other neighbours may be of another segment, and no copy
 * goes to two of a device's allocations.
 */
static GaStatus
add_copy(GaActiveRequest *work, Copy *copy, const Copy *next,
		 GaDeviceFailure *failure)
{
	const uint64_t distance = next->to - copy->to;
	GaStatus status = GA_OK;

	if (copy->n_bytes > 0 && next->block == copy->block &&
		next->block->is_shared && next->to >= copy->to + copy->n_bytes &&
		distance == (uint64_t) (next->from - copy->from) &&
		distance - copy->n_bytes < GA_LOAD_ALIGN)
	{
		copy->n_bytes = distance + next->n_bytes;
		return GA_OK;
	}
	status = submit_copy(work, copy, failure);
	*copy = *next;
	return status;
}

/* Copy a piece to the pages of its entry. */
static GaStatus
copy_piece(GaActiveRequest *work, Copy *copy, const GaLoadSegment *piece,
		   GaEntry *entry, GaDeviceFailure *failure)
{
	const GaExtents *blocks = &ga_cache_of(work->window->device)->extents;
	const size_t size = ga_element_size(entry->type);
	uint64_t at = entry->at + (uint64_t) piece->from * size;
	uint64_t left = (uint64_t) piece->n * size;
	Copy next = {.from = ga_slot_data(work->slot) + piece->at,
				 .block = entry->extent};
	GaStatus status = GA_OK;

	while (left > 0 && status == GA_OK)
	{
		ga_extents_find(blocks, entry->extent, at, left, &next.to,
						&next.n_bytes);
		status = add_copy(work, copy, &next, failure);
		at += next.n_bytes;
		next.from += next.n_bytes;
		left -= next.n_bytes;
	}
	return status;
}

/* Take over one piece. */
static GaStatus
load_piece(GaActiveRequest *work, Copy *copy, const GaLoadSegment *piece,
		   GaDeviceFailure *failure)
{
	GaEntry *entry = find_entry(work, piece);
	const char *fault;

	if (entry == NULL)
		return GA_OK;
	fault = piece_fault(piece, entry);
	if (fault == NULL)
		fault = ga_request_place_fault(piece->at, piece->n,
									   work->request.u.load.n_data_bytes,
									   ga_element_size(entry->type));
	if (fault != NULL)
	{
		ga_device_failure(failure, "GA_LOAD", "a piece of value %u: %s",
						  piece->key.value_id, fault);
		return GA_BAD_REQUEST;
	}
	if (piece->from == 0)
	{
		entry->xmin = piece->xmin;
		if (!piece->is_settled)
			entry->oid_mark = GA_OID_NO_MARK;
	}
	entry->n += piece->n;
	if (work->n_entries == 0 || work->entries[work->n_entries - 1] != entry)
	{
		ga_cache_acquire(entry);
		work->entries[work->n_entries++] = entry;
	}
	/* its last one? */
	work->n_parts[work->n_entries - 1] = entry->n == piece->n_all;
	return copy_piece(work, copy, piece, entry, failure);
}

/* The pieces are read once, and checked where they were read to. */
static GaStatus
submit(GaActiveRequest *work, GaDeviceFailure *failure)
{
	Copy copy = {.n_bytes = 0};
	GaStatus status = GA_OK;
	uint32_t i;

	for (i = 0; i < work->request.u.load.n_segments && status == GA_OK; i++)
	{
		const GaLoadSegment piece =
			*(volatile GaLoadSegment *) &work->slot->segments[i];

		status = load_piece(work, &copy, &piece, failure);
	}
	if (status == GA_OK)
		status = submit_copy(work, &copy, failure);
	work->kind->measure(work->queue, false);
	return ga_submitted(status);
}

static void
answer(GaActiveRequest *work, GaReply *reply)
{
	(void) work;
	(void) reply;
}

/*
 * Values whose last piece is there can be used.  What failed, or has lost its
 * session, is forgotten.
 */
static void
end(GaActiveRequest *work)
{
	GaCache *cache = ga_cache_of(work->window->device);
	uint32_t i;

	for (i = 0; i < work->n_entries; i++)
	{
		GaEntry *entry = work->entries[i];

		/* an empty piece may have come after the last one */
		if (entry->is_removed || entry->loader == NULL)
			continue;
		if (work->status != GA_OK || work->window->session == NULL)
			ga_cache_remove(cache, entry);
		else if (work->n_parts[i])
			ga_cache_loaded(cache, entry);
	}
}

const GaRequestKind ga_request_load = {check, submit, NULL, answer, end, false};
