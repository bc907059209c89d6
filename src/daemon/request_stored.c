/*
 * request_stored.c
 *		GA_REDUCE_STORED: reductions of the stored arrays that are resident.
 *
 * The results go to the slot without gaps for arrays that are not resident.  A
 * sum of several parts is made here, of those of the parts; all other
 * reductions of several parts are the device's.
 */
#include <string.h>

#include "device/device_check.h"
#include "ahead.h"
#include "daemon/cache/cache_rows.h"
#include "request_coalesce.h"
#include "stored_parts.h"

static GaReduction
reduction_of(const GaActiveRequest *active)
{
	return (GaReduction) active->request.u.stored.reduction;
}

/*
 * Is any array being loaded that the session waits for?  That has to be known
 * before an answer is written or a load begins, since all of it is done again
 * after the wait.
 */
static bool
must_wait(const GaActiveRequest *active, const GaCacheLookup *lookup)
{
	const GaCache *cache = ga_cache_of(active->device);
	const GaStoredRef *refs = active->lookup.refs;
	uint32_t i;

	for (i = 0; i < active->request.u.stored.n_arrays; i++)
	{
		const GaStoredKey key = *(const volatile GaStoredKey *) &refs[i].key;

		if (ga_cache_must_wait(cache, lookup, &key))
			return true;
	}
	return false;
}

/* Return what an entry has of the part that is wanted of it. */
static GaStoredPart
cut_part(GaStoredPart part, const GaEntry *entry)
{
	if (part.n == 0)
		return (GaStoredPart){0, entry->n};
	if (part.from > entry->n)
		return (GaStoredPart){entry->n, 0};
	if (part.n > entry->n - part.from)
		part.n = entry->n - part.from;
	return part;
}

/* The array that was looked up last, and its entry, or NULL. */
typedef struct Found
{
	GaStoredKey key;
	GaEntry *entry;
} Found;

/*
 * Look an array up, and write its state to the slot, and how many elements it
 * has of what is wanted: none if it has to be a line (GaLoadSegment) and is
 * not.  Parts of an array are named one behind the other: it is searched once.
 * Return its entry, which the request uses, or NULL if it is not resident.
 */
static GaEntry *
look_up_one(GaActiveRequest *active, const GaCacheLookup *lookup, uint32_t i,
			Found *found, GaStoredPart *wanted)
{
	GaStoredRef *refs = active->lookup.refs;
	const GaStoredRef ref = *(volatile GaStoredRef *) &refs[i];
	GaCache *cache = ga_cache_of(active->device);
	GaStoredState state = GA_STORED_RESIDENT;

	if (found->entry != NULL && found->entry->state == GA_ENTRY_RESIDENT &&
		memcmp(&ref.key, &found->key, sizeof(ref.key)) == 0)
		ga_cache_use(cache, lookup, &ref, found->entry);
	else
		state = ga_cache_lookup(cache, lookup, &ref, &found->entry);
	refs[i].state = state;
	if (state != GA_STORED_RESIDENT)
	{
		found->entry = NULL;
		return NULL;
	}
	found->key = ref.key;
	active->entries[active->n_entries++] = found->entry;
	*wanted = cut_part(ref.part, found->entry);
	if (active->request.u.stored.lines && !found->entry->is_line)
		wanted->n = 0;
	refs[i].n = wanted->n;
	return found->entry;
}

/*
 * Look a pair up.  It has a result if both arrays are resident, and have as
 * many elements of what is wanted; at least one, if they have to be lines.
 * Return false if there is no memory.
 */
static bool
look_up_pair(GaActiveRequest *active, const GaCacheLookup *lookup, uint32_t i,
			 Found found[2])
{
	const GaEntry *pair[2];
	GaStoredPart wanted[2];

	pair[0] = look_up_one(active, lookup, i, &found[0], &wanted[0]);
	pair[1] = look_up_one(active, lookup, i + 1, &found[1], &wanted[1]);
	return pair[0] == NULL || pair[1] == NULL || wanted[0].n != wanted[1].n ||
		   (wanted[0].n == 0 && active->request.u.stored.lines) ||
		   ga_parts_add_pair(active, pair, wanted);
}

/*
 * Look the arrays up, and write the state of each to the slot.  Return
 * GA_NO_CAPACITY if the session is to wait for one; GA_NO_MEMORY.
 */
static GaStatus
look_up(GaActiveRequest *active)
{
	const uint32_t n_arrays = ga_reduction_arrays(reduction_of(active));
	const GaCacheLookup lookup =
		ga_request_lookup(active, active->u.stored.request.type,
						  &active->request.u.stored.lookup);
	Found found[2] = {{.entry = NULL}, {.entry = NULL}};
	GaEntry *previous = NULL;
	uint32_t i;

	if (lookup.waits && must_wait(active, &lookup))
		return GA_NO_CAPACITY;
	for (i = 0; i < active->request.u.stored.n_arrays; i += n_arrays)
	{
		GaStoredPart wanted;
		GaEntry *entry;

		if (n_arrays == 2)
		{
			if (!look_up_pair(active, &lookup, i, found))
				return GA_NO_MEMORY;
			continue;
		}
		entry = look_up_one(active, &lookup, i, &found[0], &wanted);
		if (entry != NULL && !ga_parts_add_entry(active, entry, wanted))
			return GA_NO_MEMORY;
		/* the last row may be named before the first one */
		if (previous != NULL && entry != NULL && previous->next_row != 0)
			ga_rows_learn(ga_cache_of(active->device), previous, entry);
		previous = entry;
	}
	return GA_OK;
}

/*
 * Add the arrays behind the only one of a request, as many as it wants, as have
 * results in the slot, and as there is memory for.
 */
static void
add_ahead(GaActiveRequest *active)
{
	const GaRequest *request = &active->request;
	const uint32_t n_fit = active->lookup.shape.n_arrays /
						   ga_reduction_records(reduction_of(active));
	uint32_t n_most = 1 + ga_ahead_most(request->u.stored.ahead);
	GaAheadWalk walk;

	if (n_most > n_fit)
		n_most = n_fit;
	walk = ga_ahead_walk(active, active->u.stored.request.type,
						 &request->u.stored.lookup, request->u.stored.ahead);
	while (active->n_entries < n_most)
	{
		const uint32_t n_parts = active->u.stored.request.n_arrays;
		GaEntry *entry = ga_ahead_next(&walk);

		if (entry == NULL)
			break;
		if (!ga_parts_add_entry(active, entry, (GaStoredPart){0, entry->n}))
		{
			active->u.stored.request.n_arrays = n_parts;
			break;
		}
		ga_ahead_use(active, &walk, entry,
					 &active->lookup.refs[active->n_entries]);
	}
	active->u.stored.is_last = ga_ahead_end(active, &walk);
}

/* May the arrays of a request be followed by others? */
static bool
may_be_followed(const GaActiveRequest *active)
{
	return active->request.u.stored.ahead.n > 0 &&
		   active->request.u.stored.n_arrays == 1 && active->n_entries == 1 &&
		   active->lookup.refs[0].n == active->entries[0]->n;
}

/* Return the number of records of the answer. */
static uint32_t
count_records(const GaActiveRequest *active)
{
	return active->u.stored.n_results *
		   ga_reduction_records(reduction_of(active));
}

/* Return what is wrong with a request, or NULL. */
static const char *
request_fault(const GaRequest *request, GaLookupShape shape)
{
	if (request->u.stored.type >= GA_N_ELEMENT_TYPES)
		return "no such element type";
	if (request->u.stored.reduction >= GA_N_ALL_REDUCTIONS)
		return "no such reduction";
	if (ga_reduction_has_pairs((GaReduction) request->u.stored.reduction))
		return request->u.stored.n_arrays > shape.n_arrays ? "too many arrays" :
			   request->u.stored.n_arrays % 2 != 0		   ? "half a pair" :
															 NULL;
	if (request->u.stored.n_arrays >
		shape.n_arrays /
			ga_reduction_records((GaReduction) request->u.stored.reduction))
		return "too many arrays";
	return NULL;
}

static GaStatus
check(GaActiveRequest *active, GaDeviceFailure *failure)
{
	const char *fault = request_fault(&active->request, active->lookup.shape);
	GaStatus status;

	if (fault != NULL)
	{
		ga_device_failure(failure, "GA_REDUCE_STORED", "%s", fault);
		return GA_BAD_REQUEST;
	}
	status = ga_parts_begin(active) ? look_up(active) : GA_NO_MEMORY;
	if (status == GA_OK && active->request.u.stored.n_arrays == 1 &&
		active->n_entries == 1)
		ga_ahead_learn(active, &active->request.u.stored.lookup);
	if (status == GA_OK && may_be_followed(active))
		add_ahead(active);
	if (status == GA_OK && !ga_parts_reserve(active, count_records(active)))
		status = GA_NO_MEMORY;
	ga_coalesce_init(active);
	if (status == GA_NO_MEMORY)
		ga_device_failure(failure, "malloc", "out of memory");
	return status;
}

static GaStatus
submit_sum(GaActiveRequest *active, GaDeviceFailure *failure)
{
	GaSumRequest *sum = &active->u.stored.request;

	sum->n_arrays = active->u.stored.n_all;
	sum->arrays = active->parts;
	sum->results = active->part_sums;
	return active->polled.device->sum(active->polled.queue, sum, failure);
}

/* Each entry, or pair of entries, is a result, of all its parts. */
static GaStatus
submit_reduction(GaActiveRequest *active, GaDeviceFailure *failure)
{
	GaReduceRequest *reduction = &active->u.stored.reduction;

	*reduction = (GaReduceRequest){
		.reduction = reduction_of(active),
		.type = active->u.stored.request.type,
		.n_parts = active->u.stored.n_all,
		.parts = active->parts,
		.others = active->others,
		.n_results = active->u.stored.n_results,
		.n_parts_of = active->u.stored.n_parts,
		.results = active->part_sums,
	};
	return active->polled.device->reduce(active->polled.queue, reduction,
										 failure);
}

/* Refuse all results, for the CPU to compute. */
static GaStatus
refuse_all(GaActiveRequest *active)
{
	uint32_t i;

	for (i = 0; i < count_records(active); i++)
		active->part_sums[i] = (GaPartialSum){.kind = GA_PARTIAL_REFUSED};
	return GA_OK;
}

static GaStatus
submit(GaActiveRequest *active, GaDeviceFailure *failure)
{
	if (active->u.stored.n_all == 0)
		return GA_OK;
	if ((active->device->wrong >> reduction_of(active) & 1) != 0)
		return refuse_all(active);
	return ga_submitted(reduction_of(active) == GA_REDUCE_SUM ?
							submit_sum(active, failure) :
							submit_reduction(active, failure));
}

/* Fill in the sums, and their full records. */
static void
answer_sums(GaActiveRequest *active, GaReply *reply)
{
	uint32_t n_full = 0;
	uint32_t part = 0;
	uint32_t i;

	for (i = 0; i < active->u.stored.n_results; i++)
	{
		uint32_t n = active->u.stored.n_parts[i];

		active->lookup.sums[i] = ga_parts_sum(active, part, n, &n_full);
		part += n;
	}
	reply->n_full = n_full;
}

static void
answer(GaActiveRequest *active, GaReply *reply)
{
	if (active->request.u.stored.n_arrays == 1 && active->n_entries > 1)
	{
		reply->u.sum.n_ahead = active->n_entries - 1;
		reply->u.sum.is_last = active->u.stored.is_last;
	}
	if (reduction_of(active) == GA_REDUCE_SUM)
	{
		answer_sums(active, reply);
		return;
	}
	if (active->u.stored.n_results > 0)
		memcpy(active->lookup.sums, active->part_sums,
			   count_records(active) * sizeof(GaPartialSum));
}

const GaRequestKind ga_request_reduce_stored = {
	.check = check,
	.coalesce = ga_coalesce,
	.submit = submit,
	.finish_members = ga_coalesce_finish_members,
	.answer = answer,
	.cancels_loads = true,
	.evicts = true,
};
