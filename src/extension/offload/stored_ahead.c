/*
 * stored_ahead.c
 *		Reductions of arrays that a query has not come to, by the device.
 *
 * A request about a single array brings the results of others that follow
 * (stored.c), and so do the requests for those behind (ahead_request.c).
 *
 * Called by stored.c, stored_ask.c and engine_reduce.c.
 */
#include "postgres.h"

#include "ahead_batch.h"
#include "ahead_request.h"
#include "client.h"
#include "stored_ahead.h"
#include "stored_key.h"

static void make_request(int i, GaRequest *request);
static void receive(int i, const GaReply *reply);
static void fall_back(int i, GaReason reason);

/* A slot has one request of a GaAhead. */
static const GaSlotKind ahead_kind = {
	.opcode = GA_REDUCE_STORED,
	.is_lookup = true,
	.make_request = make_request,
	.receive = receive,
	.fall_back = fall_back,
};

/*
 * Return what is known of arrays that may follow the only one of a slot, if its
 * caller waits for one array in each row; else NULL.
 */
GaAhead *
ga_stored_ahead(int i)
{
	const GaSlotEntry *entry = &ga_slots[i].entries[0];

	return ga_slots[i].n_entries == 1 && entry->target != NULL &&
				   !entry->only_loads && entry->wanted.elements.n == 0 ?
			   entry->owner->ahead :
			   NULL;
}

/*
 * Keep the records of the arrays that follow the only one of slot i, which is
 * resident, and its own if nobody else takes them.  Those that need a full
 * record, or have none, are asked for.
 */
void
ga_stored_keep_ahead(GaAhead *ahead, int i, const GaReply *reply)
{
	const GaLookupSlot lookup = ga_client_lookup(i);
	const uint32 n_arrays = reply->u.sum.n_ahead;
	const uint32 n_records = ga_reduction_records(ga_slots[i].reduction);
	const Size n_bytes = n_records * sizeof(GaPartialSum);
	const uint32 first = ga_slots[i].entries[0].has_own ? 0 : 1;
	GaAheadBatch *batch;
	uint32 k;

	if (n_arrays < first || n_arrays >= lookup.shape.n_arrays / n_records)
		return;
	batch = ga_ahead_begin(ahead, &ga_slots[i].sample, n_arrays + 1 - first,
						   (n_arrays + 1 - first) * n_bytes);
	if (batch == NULL)
		return;
	for (k = first; k <= n_arrays; k++)
	{
		const GaStoredRef ref = *(volatile GaStoredRef *) &lookup.refs[k];
		const GaPartialSum *records = &lookup.sums[k * n_records];

		if (((const volatile GaPartialSum *) records)->kind ==
			GA_PARTIAL_COMPACT)
			memcpy(ga_ahead_add(ahead, batch, (GaAheadArray){ref.key, ref.n},
								n_bytes),
				   records, n_bytes);
	}
	batch->has_more = n_arrays > 0 && reply->u.sum.is_last == 0;
	batch->is_followed = ga_slots[i].entries[0].is_followed;
}

/*
 * Name the array behind which others are wanted, and ask for its result.  The
 * query's own request counts it, unless there is none; one that is missing is
 * neither counted nor loaded here.
 */
static void
make_request(int i, GaRequest *request)
{
	const GaSlotEntry *entry = &ga_slots[i].entries[0];
	GaStoredRef *ref = &ga_client_lookup(i).refs[0];

	*ref = (GaStoredRef){.part = GA_STORED_ALL, .state = GA_STORED_NO_ANSWER};
	ga_stored_name(ref, &request->u.stored.lookup, &entry->of.keys[0],
				   !entry->has_own, false);
	request->u.stored.lookup.loads = GA_LOADS_LATER;
	request->u.stored.type = ga_slots[i].type;
	request->u.stored.reduction = ga_slots[i].reduction;
	request->u.stored.n_arrays = 1;
	request->u.stored.ahead = ga_ahead_wanted(entry->target);
	ga_slots[i].sample = request->u.stored.lookup.sample;
}

static void
receive(int i, const GaReply *reply)
{
	const GaStoredRef *ref = &ga_client_lookup(i).refs[0];
	GaAhead *ahead = ga_slots[i].entries[0].target;

	if (ahead == NULL)
		return; /* it has ended */
	if (((const volatile GaStoredRef *) ref)->state == GA_STORED_RESIDENT)
		ga_stored_keep_ahead(ahead, i, reply);
	else
		ga_ahead_failed(ahead);
}

static void
fall_back(int i, GaReason reason)
{
	GaAhead *ahead = ga_slots[i].entries[0].target;

	if (ahead != NULL)
		ga_ahead_failed(ahead);
}

/*
 * Return the records of an array, until the next call of a function here, and
 * set how many elements it has, if the device makes them ahead; else NULL.
 * Throws if the query is cancelled.
 */
const void *
ga_stored_take_ahead(GaAhead *ahead, const GaStoredKey *key, uint32 *n)
{
	return ga_ahead_await(ahead, &ahead_kind, key, n);
}

/*
 * The query came to an array that is not known ahead.  If many are expected
 * behind it, ask for it and for them, and do not wait.  Returns false if it was
 * not asked for.  May throw.
 */
bool
ga_stored_send_many(GaAhead *ahead, const GaStoredKey *key)
{
	return ga_ahead_send_many(ahead, &ahead_kind, (GaAheadArray){*key, 0});
}

/*
 * Ask for the arrays behind those that the query is at.  What was taken is of
 * no use any more.  May throw.
 */
void
ga_stored_send_ahead(GaAhead *ahead)
{
	ga_ahead_send_behind(ahead, &ahead_kind);
}
