/*
 * windows_ahead.c
 *		Buckets of arrays that a query has not come to, by the device.
 *
 * A request about the buckets of an array brings those of others that follow
 * (windows.c), and so do the requests for those behind (ahead_request.c).
 *
 * Called by windows.c, engine_windows.c and bucket_windows.c.
 */
#include "postgres.h"

#include "ahead_batch.h"
#include "ahead_request.h"
#include "client.h"
#include "stored_key.h"
#include "windows_ahead.h"

static void make_request(int i, GaRequest *request);
static void receive(int i, const GaReply *reply);
static void fall_back(int i, GaReason reason);

/* A slot has one request of a GaAhead. */
static const GaSlotKind ahead_kind = {
	.opcode = GA_WINDOW,
	.make_request = make_request,
	.receive = receive,
	.fall_back = fall_back,
};

/* Return the buckets of an array of n elements. */
static GaWindows
buckets_of(GaAheadUse use, uint32 n)
{
	return (GaWindows){.n = n, .step = use.width, .size = use.width};
}

/* Name the array behind which others are wanted, and ask for its buckets. */
static void
make_request(int i, GaRequest *request)
{
	const GaSlotEntry *entry = &ga_slots[i].entries[0];
	const GaAheadUse use = ga_ahead_use_of(entry->target);

	request->u.window.type = use.type;
	request->u.window.form = use.result;
	request->u.window.windows = buckets_of(use, entry->wanted.elements.n);
	request->u.window.n = ga_windows_count(&request->u.window.windows);
	request->u.window.ahead = ga_ahead_wanted(entry->target);
	/* the query's own request has counted it, if there is one */
	ga_stored_name(&request->u.window.stored, &request->u.window.lookup,
				   &entry->of.keys[0], !entry->has_own, false);
	ga_slots[i].sample = request->u.window.lookup.sample;
}

/* Return how many values of other arrays are behind n of a slot. */
uint32
ga_windows_n_more(const GaReply *reply, GaElemForm form, uint32 n)
{
	return Min(reply->u.window.n_more, ga_slot_windows(form) - n);
}

/* Return how many of the n windows in a slot have no value. */
uint64
ga_windows_n_refused(int i, uint32 n)
{
	uint64 n_refused;

	memcpy(&n_refused, ga_client_slot_data(i) + n * sizeof(uint64),
		   sizeof(n_refused));
	return n_refused;
}

/*
 * Add other arrays that a slot names to a batch, which have n_values at most.
 * Returns how many were added.
 */
static uint32
add_arrays(GaAhead *ahead, GaAheadBatch *batch, int i, uint32 n_arrays,
		   uint32 n_values)
{
	const GaAheadUse use = ga_ahead_use_of(ahead);
	uint32 k;

	for (k = 0; k < n_arrays; k++)
	{
		const GaStoredRef ref =
			*(volatile GaStoredRef *) &ga_client_slot(i)->refs[k];
		const GaWindows windows = buckets_of(use, ref.n);
		const uint32 n = ga_windows_count(&windows);

		if (n > n_values || ref.n == 0 ||
			ref.n > ref.key.raw_bytes / ga_element_size(use.type))
			break;
		(void) ga_ahead_add(ahead, batch, (GaAheadArray){ref.key, ref.n},
							n * sizeof(uint64));
		n_values -= n;
	}
	return k;
}

/*
 * Keep the values of the buckets of other arrays, which are in slot i behind
 * its own n, as the reply says; and its own, if nobody else takes them.  The
 * slot is shared with gpuaggd.
 */
void
ga_windows_keep(GaAhead *ahead, int i, const GaReply *reply, uint32 n)
{
	const uint32 n_arrays = reply->u.window.n_ahead;
	const uint32 n_more =
		ga_windows_n_more(reply, ga_ahead_use_of(ahead).result, n);
	const GaSlotEntry *entry = &ga_slots[i].entries[0];
	const uint32 first = entry->has_own ? 0 : n;
	GaAheadBatch *batch;

	if ((n_arrays == 0 && !entry->has_own) || n_arrays > GA_AHEAD_MOST)
		return;
	batch = ga_ahead_begin(ahead, &ga_slots[i].sample, 1 + n_arrays, 0);
	if (batch == NULL)
		return;
	if (entry->has_own)
		(void) ga_ahead_add(
			ahead, batch,
			(GaAheadArray){entry->of.keys[0], entry->wanted.elements.n},
			n * sizeof(uint64));
	if (add_arrays(ahead, batch, i, n_arrays, n_more) == 0 && !entry->has_own)
		return;
	ga_ahead_batch_keep(batch, i,
						ga_client_slot_data(i) + first * sizeof(uint64));
	batch->has_more = reply->u.window.is_last == 0;
	batch->is_followed = ga_slots[i].entries[0].is_followed;
}

static void
receive(int i, const GaReply *reply)
{
	const GaSlotEntry *entry = &ga_slots[i].entries[0];
	GaAhead *ahead = entry->target;
	GaAheadUse use;
	GaWindows windows;
	uint32 n;

	if (ahead == NULL)
		return; /* it has ended */
	use = ga_ahead_use_of(ahead);
	windows = buckets_of(use, entry->wanted.elements.n);
	n = ga_windows_count(&windows);
	if (reply->u.window.state != GA_STORED_RESIDENT ||
		ga_windows_n_refused(i, n + ga_windows_n_more(reply, use.result, n)) >
			0)
		ga_ahead_failed(ahead);
	else
		ga_windows_keep(ahead, i, reply, n);
}

static void
fall_back(int i, GaReason reason)
{
	GaAhead *ahead = ga_slots[i].entries[0].target;

	if (ahead != NULL)
		ga_ahead_failed(ahead);
}

/*
 * Return the values of an array, until the next call of a function here, and
 * set how many elements it has, if the device makes them ahead; else NULL.
 * Throws if the query is cancelled.
 */
const void *
ga_windows_take_ahead(GaAhead *ahead, const GaStoredKey *key, uint32 *n)
{
	return ga_ahead_await(ahead, &ahead_kind, key, n);
}

/*
 * The query came to an array that is not known ahead.  If many are expected
 * behind it, ask for its buckets and for theirs, and do not wait.  Returns
 * false if it was not asked for.  May throw.
 */
bool
ga_windows_send_many(GaAhead *ahead, GaAheadArray array)
{
	const GaAheadUse use = ga_ahead_use_of(ahead);
	const GaWindows windows = buckets_of(use, array.n);

	return ga_windows_count(&windows) <= ga_slot_windows(use.result) &&
		   ga_ahead_send_many(ahead, &ahead_kind, array);
}

/* Ask for the buckets behind those that the query is at.  May throw. */
void
ga_windows_send_ahead(GaAhead *ahead)
{
	ga_ahead_send_behind(ahead, &ahead_kind);
}
