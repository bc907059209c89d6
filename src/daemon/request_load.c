/*
 * request_load.c
 *		GA_LOAD: copy segments of stored arrays from a slot to the cache.
 *
 * A segment is skipped if the session does not load its array any more,
 * because the entry was removed meanwhile.  Arrays whose last segment is there
 * may be packed before the answer (load_pack.c).
 */
#include "device/clock.h"
#include "stats.h"
#include "device/device_check.h"
#include "load_pack.h"
#include "session.h"
#include "request.h"

/* A copy to the device, which neighbours can be added to. */
typedef struct Copy
{
	GaDeviceAddress to;
	const char *from;
	uint64_t n_bytes;
	const GaExtent *extent; /* of the destination */
} Copy;

/* Return what is wrong with a segment of an entry, or NULL. */
static const char *
segment_fault(const GaLoadSegment *segment, const GaEntry *entry)
{
	const size_t size = ga_element_size((GaElementType) entry->type);

	if (segment->from != entry->n)
		return "not the next elements of its array";
	if (segment->n > segment->n_all ||
		segment->from > segment->n_all - segment->n)
		return "beyond its array's elements";
	if (segment->n_all * (uint64_t) size > ga_entry_capacity(entry))
		return "more elements than its array has bytes";
	return NULL;
}

/* Return the entry of a segment; NULL if the session does not load it. */
static GaEntry *
find_entry(GaActiveRequest *active, const GaLoadSegment *segment)
{
	GaSession *session = active->session;
	const GaIdentity identity =
		ga_cache_identity(&session->client, &segment->key);
	GaEntry *entry = ga_table_find(ga_cache_of(active->device), &identity);

	return entry != NULL && ga_entry_loader(entry) == &session->client &&
				   entry->type == active->request.u.load.type ?
			   entry :
			   NULL;
}

/* Return what is wrong with a request, or NULL. */
static const char *
request_fault(const GaRequest *request)
{
	if (request->u.load.type >= GA_N_ELEMENT_TYPES)
		return "no such element type";
	if (request->u.load.n_segments > GA_SLOT_ARRAYS)
		return "too many segments";
	if (request->u.load.n_data_bytes > GA_SLOT_DATA_BYTES)
		return "too many bytes";
	return NULL;
}

static GaStatus
check(GaActiveRequest *active, GaDeviceFailure *failure)
{
	const char *fault = request_fault(&active->request);

	active->session->client.load_ns = ga_now_ns();
	active->u.load.packing = NULL;
	if (fault == NULL)
		return GA_OK;
	ga_device_failure(failure, "GA_LOAD", "%s", fault);
	return GA_BAD_REQUEST;
}

static GaStatus
submit_copy(GaActiveRequest *active, Copy *copy, GaDeviceFailure *failure)
{
	GaStatus status = GA_OK;

	if (copy->n_bytes > 0)
		status = active->polled.device->copy_in(
			active->polled.queue, copy->to, copy->from, copy->n_bytes, failure);
	ga_stats.n_bytes_in += copy->n_bytes;
	copy->n_bytes = 0;
	return status;
}

/*
 * Add to a copy, or submit it and begin the next one.  Both are one copy if
 * they are as far apart on both sides, in a page that small arrays share; the
 * gap between them has nothing in it.  Other neighbours may be of another
 * slab, and no copy goes to two of a device's allocations.
 */
static GaStatus
add_copy(GaActiveRequest *active, Copy *copy, const Copy *next,
		 GaDeviceFailure *failure)
{
	const uint64_t distance = next->to - copy->to;
	GaStatus status = GA_OK;

	if (copy->n_bytes > 0 && next->extent == copy->extent &&
		next->extent->is_shared && next->to >= copy->to + copy->n_bytes &&
		distance == (uint64_t) (next->from - copy->from) &&
		distance - copy->n_bytes < GA_LOAD_ALIGN)
	{
		copy->n_bytes = distance + next->n_bytes;
		return GA_OK;
	}
	status = submit_copy(active, copy, failure);
	*copy = *next;
	return status;
}

/* Copy a segment to the pages of its entry. */
static GaStatus
copy_segment(GaActiveRequest *active, Copy *copy, const GaLoadSegment *segment,
			 GaEntry *entry, GaDeviceFailure *failure)
{
	const GaCache *cache = ga_cache_of(active->device);
	const GaExtent *extent = ga_cache_extent(cache, entry);
	const size_t size = ga_element_size((GaElementType) entry->type);
	uint64_t at = ga_entry_at(entry) + (uint64_t) segment->from * size;
	uint64_t left = (uint64_t) segment->n * size;
	Copy next = {.from = ga_slot_data(active->slot) + segment->at,
				 .extent = extent};
	GaStatus status = GA_OK;

	while (left > 0 && status == GA_OK)
	{
		ga_extents_find(&cache->extents, extent, at, left, &next.to,
						&next.n_bytes);
		status = add_copy(active, copy, &next, failure);
		at += next.n_bytes;
		next.from += next.n_bytes;
		left -= next.n_bytes;
	}
	return status;
}

/* Load one segment. */
static GaStatus
load_segment(GaActiveRequest *active, Copy *copy, const GaLoadSegment *segment,
			 GaDeviceFailure *failure)
{
	GaEntry *entry = find_entry(active, segment);
	const char *fault;

	if (entry == NULL)
		return GA_OK;
	fault = segment_fault(segment, entry);
	if (fault == NULL)
		fault = ga_request_place_fault(
			segment->at, segment->n, active->request.u.load.n_data_bytes,
			ga_element_size((GaElementType) entry->type));
	if (fault != NULL)
	{
		ga_device_failure(failure, "GA_LOAD", "a segment of array %u: %s",
						  segment->key.value_id, fault);
		return GA_BAD_REQUEST;
	}
	if (segment->from == 0)
	{
		entry->xmin = segment->xmin;
		entry->is_line = segment->is_line != 0;
		if (!segment->is_settled)
			entry->oid_mark = GA_OID_NO_MARK;
	}
	entry->n += segment->n;
	if (active->n_entries == 0 ||
		active->entries[active->n_entries - 1] != entry)
	{
		ga_cache_acquire(ga_cache_of(active->device), entry);
		active->entries[active->n_entries++] = entry;
	}
	/* was it the last one? */
	active->u.load.is_complete[active->n_entries - 1] =
		entry->n == segment->n_all;
	return copy_segment(active, copy, segment, entry, failure);
}

/* Load all segments; each is read once, and its copy checked. */
static GaStatus
submit(GaActiveRequest *active, GaDeviceFailure *failure)
{
	Copy copy = {.n_bytes = 0};
	GaStatus status = GA_OK;
	uint32_t i;

	for (i = 0; i < active->request.u.load.n_segments && status == GA_OK; i++)
	{
		const GaLoadSegment segment =
			*(volatile GaLoadSegment *) &active->slot->segments[i];

		status = load_segment(active, &copy, &segment, failure);
	}
	if (status == GA_OK)
		status = submit_copy(active, &copy, failure);
	return ga_submitted(status);
}

static void
answer(GaActiveRequest *active, GaReply *reply)
{
	(void) active;
	(void) reply;
}

/*
 * Arrays whose last segment is there are resident.  An entry is removed if the
 * request failed, or its session has ended.
 */
static void
end(GaActiveRequest *active)
{
	GaCache *cache = ga_cache_of(active->device);
	uint32_t i;

	ga_pack_end(active);
	for (i = 0; i < active->n_entries; i++)
	{
		GaEntry *entry = active->entries[i];

		/* an empty segment may follow the last one */
		if (ga_entry_loader(entry) == NULL)
			continue;
		if (active->status != GA_OK || active->session == NULL)
			ga_cache_remove(cache, entry);
		else if (active->u.load.is_complete[i])
			ga_cache_loaded(cache, entry);
	}
}

const GaRequestKind ga_request_load = {
	.check = check,
	.submit = submit,
	.advance = ga_pack_advance,
	.forgives = ga_pack_forgives,
	.answer = answer,
	.end = end,
	.is_leisurely = true,
	.cancels_loads = true,
};
