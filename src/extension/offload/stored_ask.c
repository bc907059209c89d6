/*
 * stored_ask.c
 *		Slots that name stored arrays, and the requests about them.
 *
 * One kind of slot for each way to ask, so that a request has arrays that are
 * asked for in the same way.  The answers are taken by stored.c.
 */
#include "postgres.h"

#include "client.h"
#include "stored_ahead.h"
#include "stored_key.h"
#include "stored_list.h"
#include "wire/route.h"

static void make_request(int i, GaRequest *request);
static void make_load_request(int i, GaRequest *request);
static void ignore_reply(int i, const GaReply *reply);
static void ignore_failure(int i, GaReason reason);

#define STORED_KIND                                                           \
	{                                                                         \
		.opcode = GA_REDUCE_STORED, .is_lookup = true,                        \
		.max_bytes = GA_STORED_ASK_BYTES,                                     \
		.min_bytes = GA_STORED_ASK_LEAST_BYTES, .make_request = make_request, \
		.reserve = ga_stored_reserve, .receive = ga_stored_receive,           \
		.fall_back = ga_stored_fall_back,                                     \
	}

const GaSlotKind ga_stored_kind = STORED_KIND;
const GaSlotKind ga_stored_later_kind = STORED_KIND;
const GaSlotKind ga_stored_pair_kind = STORED_KIND;
const GaSlotKind ga_stored_again_kind = STORED_KIND;
const GaSlotKind ga_stored_part_kind = STORED_KIND;
const GaSlotKind ga_stored_wait_kind = STORED_KIND;
const GaSlotKind ga_stored_check_kind = STORED_KIND;
const GaSlotKind ga_stored_seen_kind = STORED_KIND;

const GaSlotKind *const ga_stored_lookup_kinds[GA_STORED_LOOKUP_KINDS] = {
	&ga_stored_kind,	  &ga_stored_later_kind, &ga_stored_part_kind,
	&ga_stored_pair_kind, &ga_stored_again_kind, &ga_stored_check_kind,
	&ga_stored_seen_kind};

/* An array that was not loaded is asked for in vain, and is summed then. */
const GaSlotKind ga_segments_kind = {
	.opcode = GA_LOAD,
	.max_bytes = GA_SLOT_DATA_BYTES - GA_LOAD_ALIGN + 1,
	.n_slots = ga_stored_load_slots,
	.make_request = make_load_request,
	.receive = ignore_reply,
	.fall_back = ignore_failure,
};

/* Return which of the arrays that are missing are loaded. */
static GaStoredLoads
loads_of(const GaSlotKind *kind, bool has_pairs)
{
	if (kind == &ga_stored_later_kind)
		return GA_LOADS_LATER;
	if (kind == &ga_stored_kind ||
		(kind == &ga_stored_check_kind && !has_pairs))
		return GA_LOADS_NOW;
	return GA_LOADS_NOTHING;
}

static void
make_request(int i, GaRequest *request)
{
	const GaSlotKind *kind = ga_slots[i].kind;
	const bool is_check =
		kind == &ga_stored_check_kind || kind == &ga_stored_seen_kind;
	const bool has_pairs = ga_reduction_has_pairs(ga_slots[i].reduction);
	GaStoredLookup *lookup = &request->u.stored.lookup;
	GaAhead *ahead = ga_stored_ahead(i);

	request->u.stored.type = ga_slots[i].type;
	request->u.stored.reduction = ga_slots[i].reduction;
	request->u.stored.n_arrays =
		ga_slots[i].n_entries * ga_reduction_arrays(ga_slots[i].reduction);
	request->u.stored.lines = has_pairs && kind != &ga_stored_seen_kind;
	lookup->loads = loads_of(kind, has_pairs);
	lookup->waits = kind == &ga_stored_wait_kind;
	ga_stored_how(lookup, is_check ? &ga_slots[i].sample : NULL);
	ga_slots[i].sample = lookup->sample;
	if (ahead != NULL)
	{
		request->u.stored.ahead = ga_ahead_wanted(ahead);
		lookup->previous = ga_ahead_previous(ahead, ga_slots[i].device);
	}
}

static void
make_load_request(int i, GaRequest *request)
{
	request->u.load.type = ga_slots[i].type;
	request->u.load.n_segments = ga_slots[i].n_entries;
	request->u.load.n_data_bytes = ga_slots[i].n_bytes;
}

static void
ignore_reply(int i, const GaReply *reply)
{
}

static void
ignore_failure(int i, GaReason reason)
{
}

/* Send the open slots that name arrays.  May throw. */
void
ga_stored_send_lookups(void)
{
	int i;

	for (i = 0; i < GA_STORED_LOOKUP_KINDS; i++)
		ga_slots_send_open(ga_stored_lookup_kinds[i]);
}

/* Return how many of them are in use. */
int
ga_stored_n_lookups(void)
{
	int n = 0;
	int i;

	for (i = 0; i < GA_STORED_LOOKUP_KINDS; i++)
		n += ga_slots_n_of(ga_stored_lookup_kinds[i]);
	return n;
}

/*
 * Return what is asked for of an array.  Of a pair that is all, but as a part:
 * a whole array that the session cannot load now counts as streamed.
 */
static GaStoredPart
wanted_part(const GaStored *array)
{
	return ga_reduction_has_pairs(array->reduction) ?
			   (GaStoredPart){0, PG_UINT32_MAX} :
			   array->wanted.elements;
}

/*
 * Name an array, or a pair, in a slot of a kind.  Without a connection it is
 * deferred to the CPU.  May throw; then it is in no slot, nor in the list.
 */
void
ga_stored_ask(const GaStored *array, const GaSlotKind *kind)
{
	const int i = ga_slots_open(kind, array->type, array->reduction,
								ga_route(&array->keys[0], ga_client_devices));
	const uint32 n_arrays = ga_reduction_arrays(array->reduction);
	GaSlotEntry *entry;
	GaStoredRef *refs;
	uint32 k;

	if (i < 0)
	{
		GaStored left = *array;

		left.step = STEP_COMPUTE;
		left.reason = GA_REASON_GONE;
		if (!left.only_loads)
			ga_stored_defer(&left);
		return;
	}
	refs = &ga_client_lookup(i).refs[ga_slots[i].n_entries * n_arrays];
	for (k = 0; k < n_arrays; k++)
		refs[k] = (GaStoredRef){.key = array->keys[k],
								.xmin = array->xmin[k],
								.is_settled = array->is_settled[k],
								.is_missed = array->is_missed ||
											 (array->counted >> k & 1) != 0,
								.part = wanted_part(array),
								.state = GA_STORED_NO_ANSWER};
	entry = ga_slots_add(i, array->state, array->owner,
						 ga_stored_wanted_bytes(array));
	memcpy(entry->of.keys, array->keys, sizeof(entry->of.keys));
	entry->wanted = array->wanted;
	entry->is_first = true;
	entry->only_loads = array->only_loads;
	entry->n_tries = array->n_tries;
	entry->is_missed = array->is_missed;
	entry->counted = array->counted;
	entry->has_loaded = array->has_loaded;
	entry->missing = 0;
	entry->level = array->level;
	ga_stored_list.deepest = Max(ga_stored_list.deepest, array->level);
}
