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
#include "wire/route.h"

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

/*
 * Values that are copied after the next request was sent, so that the device
 * does not wait for the copy.  They are in a slot that is free, and stay there
 * until it is opened.
 */
typedef struct Late
{
	GaAhead *ahead; /* whose values are to be late; NULL: none */
	GaAheadBatch *batch;
	void *to;
	int slot;
	Size at; /* of the slot's data */
	Size n_bytes;
} Late;

static Late late;

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
	request->u.window.n_ahead = ga_ahead_n_wanted(entry->target);
	/* the query's own request has counted it */
	ga_stored_name(&request->u.window.stored, &request->u.window.lookup,
				   &entry->of.keys[0], true, false);
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
 * Add other arrays that a slot names to a batch, and set where their values,
 * n_values at most, go.  Returns the bytes of these.
 */
static Size
add_arrays(GaAhead *ahead, GaAheadBatch *batch, int i, uint32 n_arrays,
		   uint32 n_values, void **to)
{
	const GaAheadUse use = ga_ahead_use_of(ahead);
	const uint32 most = n_values;
	uint32 k;

	for (k = 0; k < n_arrays; k++)
	{
		const GaStoredRef ref =
			*(volatile GaStoredRef *) &ga_client_slot(i)->refs[k];
		const GaWindows windows = buckets_of(use, ref.n);
		const uint32 n = ga_windows_count(&windows);
		void *values;

		if (n > n_values || ref.n == 0 ||
			ref.n > ref.key.raw_bytes / ga_element_size(use.type))
			break;
		values = ga_ahead_add(ahead, batch, (GaAheadArray){ref.key, ref.n},
							  n * sizeof(uint64));
		if (k == 0)
			*to = values;
		n_values -= n;
	}
	return (most - n_values) * sizeof(uint64);
}

/*
 * Keep the values of the buckets of other arrays, which are in slot i behind
 * its own n, as the reply says; the slot is shared with gpuaggd.
 */
void
ga_windows_keep(GaAhead *ahead, int i, const GaReply *reply, uint32 n)
{
	const uint32 n_arrays = reply->u.window.n_ahead;
	const uint32 n_more =
		ga_windows_n_more(reply, ga_ahead_use_of(ahead).result, n);
	Late values = {.slot = i, .at = n * sizeof(uint64)};

	if (n_arrays == 0 || n_arrays > GA_AHEAD_MOST)
		return;
	values.batch = ga_ahead_begin(ahead, &ga_slots[i].sample, n_arrays,
								  n_more * sizeof(uint64));
	if (values.batch == NULL)
		return;
	values.n_bytes =
		add_arrays(ahead, values.batch, i, n_arrays, n_more, &values.to);
	if (values.n_bytes == 0)
		return;
	values.batch->has_more = reply->u.window.is_last == 0;
	if (late.ahead == ahead)
	{
		/* values.ahead is NULL: the values of later replies are copied */
		late = values;
		return;
	}
	memcpy(values.to, ga_client_slot_data(i) + values.at, values.n_bytes);
	values.batch->is_complete = true;
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
 * Take what is under way, which may have an array.  If it has, the next request
 * is sent before the values are copied.  May throw.
 */
static pg_noinline void
receive_for(GaAhead *ahead, const GaStoredKey *key, uint32 device)
{
	const int i = ga_ahead_open(ahead, &ahead_kind, device);

	late = (Late){.ahead = i < 0 ? NULL : ahead};
	(void) ga_ahead_receive(ahead, &ahead_kind, key);
	late.ahead = NULL;
	if (i >= 0 && ga_ahead_has(ahead, key))
		(void) ga_ahead_send(ahead, i);
	if (late.batch == NULL || !ga_client_is_open)
		return;
	memcpy(late.to, ga_client_slot_data(late.slot) + late.at, late.n_bytes);
	late.batch->is_complete = true;
}

/* Likewise, and leave nothing open. */
static pg_noinline void
receive_and_close(GaAhead *ahead, const GaStoredKey *key, uint32 device)
{
	PG_TRY();
	{
		receive_for(ahead, key, device);
	}
	PG_CATCH();
	{
		late = (Late){.ahead = NULL};
		ga_slots_release_open(&ahead_kind);
		PG_RE_THROW();
	}
	PG_END_TRY();
	ga_slots_release_open(&ahead_kind);
}

/*
 * If a request is under way that may bring the values of an array, wait for it.
 * False if there is none.  Throws if the query is cancelled.
 */
bool
ga_windows_receive_ahead(GaAhead *ahead, const GaStoredKey *key)
{
	const uint32 device = ga_route(key, ga_client_devices);

	if (!ga_ahead_is_under_way(ahead, &ahead_kind, device))
		return false;
	receive_and_close(ahead, key, device);
	return true;
}

/* Ask for the buckets behind those that the query is at.  May throw. */
void
ga_windows_send_ahead(GaAhead *ahead)
{
	ga_ahead_send_behind(ahead, &ahead_kind);
}
