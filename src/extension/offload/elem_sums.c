/*
 * elem_sums.c
 *		Sums of stored arrays position by position, by the device.
 *
 * The positions are asked for in segments, as many as fit in the data of a
 * slot; each request names all arrays.  While gpuaggd is at some segments, the
 * results of those before are taken.  If any array is not resident, nothing is
 * computed, and the caller knows what to do: have it loaded, or read by the
 * CPU.
 *
 * Called by engine_elem.c, when no other slots are in use.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "client.h"
#include "elem_sums.h"
#include "stored_key.h"

static int n_slots(void);
static void make_request(int i, GaRequest *request);
static void receive(int i, const GaReply *reply);
static void fall_back(int i, GaReason reason);

/* A slot has one segment. */
static const GaSlotKind elem_kind = {
	.opcode = GA_ELEM,
	.n_slots = n_slots,
	.make_request = make_request,
	.receive = receive,
	.fall_back = fall_back,
};

/* The segments of the run that is under way. */
static uint32 n_segments;

/* Return how many slots of a lease are of use. */
static int
n_slots(void)
{
	return (int) Min(n_segments, GA_LEASE_SLOTS);
}

/* Return where the records of the segment that begins at a position are. */
static GaPartialSum *
records_at(const GaElemRun *run, uint32 at)
{
	const uint32 segment = (at - run->n_begun) / run->segment;

	return run->records + (segment % GA_ELEM_SEGMENTS) * (Size) run->segment;
}

/* Return how many positions the segment has that begins at one. */
static uint32
positions_at(const GaElemRun *run, uint32 at)
{
	return Min(run->n_wanted - at, run->segment);
}

/* Name all arrays in a slot, and ask for the next positions. */
static void
make_request(int i, GaRequest *request)
{
	GaElemRun *run = ga_slots[i].entries[0].target;
	GaStoredRef *refs = ga_client_slot(i)->refs;
	uint32 j;

	for (j = 0; j < run->n_arrays; j++)
	{
		refs[j] = run->refs[j];
		/* an array counts once, if it was resident */
		refs[j].is_missed = run->n_asked > 0 || run->has_loaded;
	}
	request->u.elem.type = run->type;
	request->u.elem.n_arrays = run->n_arrays;
	request->u.elem.form = run->form;
	request->u.elem.lines = run->lines;
	request->u.elem.n_all = run->n;
	request->u.elem.from = run->n_asked;
	request->u.elem.n = positions_at(run, run->n_asked);
	ga_stored_how(&request->u.elem.lookup, run->checks ? &run->sample : NULL);
	run->n_asked += request->u.elem.n;
	run->n_sent++;
}

/* Has the run ended before all its results were taken? */
static bool
has_stopped(const GaElemRun *run)
{
	return run->reason != GA_NO_REASON || run->is_missing || run->is_refused;
}

/* Note which arrays are missing.  What gpuaggd wrote is read once. */
static void
note_missing(GaElemRun *run, int i)
{
	const volatile GaStoredRef *refs = ga_client_slot(i)->refs;
	uint32 j;

	run->is_missing = true;
	for (j = 0; j < run->n_arrays; j++)
	{
		const uint32 state = refs[j].state;
		const uint32 n = refs[j].n;

		run->found[j] = state == GA_STORED_DOUBT	? GA_ELEM_DOUBT :
						state != GA_STORED_RESIDENT ? GA_ELEM_MISSING :
						n != run->n					? GA_ELEM_UNLIKE :
													  GA_ELEM_HERE;
		run->has_doubts |= run->found[j] == GA_ELEM_DOUBT;
	}
}

/* Take the values of a segment, unless a position has none. */
static void
take_values(GaElemRun *run, const char *data, uint32 n)
{
	const Size size = ga_elem_result_bytes(run->form);
	uint64 n_refused;

	memcpy(&n_refused, data + n * size, sizeof(n_refused));
	run->is_refused = n_refused > 0;
	if (run->is_refused)
		return;
	memcpy(run->values + run->n_received * size, data, n * size);
	run->n_done += n;
}

static void
receive(int i, const GaReply *reply)
{
	GaElemRun *run = ga_slots[i].entries[0].target;
	const uint32 n = positions_at(run, run->n_received);

	run->n_sent--;
	if (has_stopped(run))
		return;
	if (!reply->u.elem.has_results)
	{
		/* the segments behind it were sent in vain */
		note_missing(run, i);
		run->n_sent = 0;
		ga_slots_ignore(&elem_kind);
		return;
	}
	if (run->form == GA_FORM_RECORD)
		memcpy(records_at(run, run->n_received), ga_client_slot_data(i),
			   n * sizeof(GaPartialSum));
	else
		take_values(run, ga_client_slot_data(i), n);
	run->n_received += n;
}

static void
fall_back(int i, GaReason reason)
{
	GaElemRun *run = ga_slots[i].entries[0].target;

	run->n_sent--;
	if (run->reason == GA_NO_REASON)
		run->reason = reason;
}

/*
 * May another segment be sent?  Its records need a place.  Where arrays are
 * missing, all that are under way are sent in vain, which takes gpuaggd less
 * time than it takes to load an array.
 */
static bool
may_send(const GaElemRun *run)
{
	return !has_stopped(run) && run->n_asked < run->n_wanted &&
		   run->n_sent < GA_LEASE_SLOTS &&
		   run->n_asked - run->n_done < GA_ELEM_SEGMENTS * run->segment;
}

/* Send segments as long as they may be; return false without a slot. */
static bool
send_segments(GaElemRun *run)
{
	while (may_send(run))
	{
		const int i =
			ga_slots_open(&elem_kind, run->type, GA_REDUCE_SUM, run->device);

		if (i < 0)
			return false;
		if (has_stopped(run))
		{
			/* by a reply that was taken meanwhile */
			ga_slots_release_open(&elem_kind);
			break;
		}
		(void) ga_slots_add(i, run, NULL, 0);
		ga_slots_send(i);
	}
	return true;
}

/* Take the records of the first segment that is here. */
static void
take_segment(GaElemRun *run)
{
	const uint32 at = run->n_done;
	const uint32 n = positions_at(run, at);

	run->take(run->target, at, records_at(run, at), n);
	run->n_done += n;
}

/* Ask for all positions that are not done, and take their results. */
static void
ask_for_rest(GaElemRun *run)
{
	bool has_slot = true;

	while (run->n_done < run->n_wanted)
	{
		if (has_slot)
			has_slot = send_segments(run);
		/* replies may have come meanwhile, with the last values */
		if (run->is_refused || run->n_done == run->n_wanted)
			break;
		if (run->n_done < run->n_received)
			take_segment(run);
		else if (has_stopped(run))
			break;
		else if (run->n_sent > 0)
			ga_slots_receive();
		else
			run->reason = ga_slots_lease_reason();
	}
	ga_slots_drain();
}

/* Begin to ask for the positions that are not done. */
static void
begin(GaElemRun *run)
{
	run->is_missing = run->is_refused = run->has_doubts = false;
	run->n_begun = run->n_asked = run->n_received = run->n_done;
	run->n_sent = 0;
	memset(run->found, GA_ELEM_HERE, run->n_arrays);
}

/* Name the arrays. */
static void
begin_refs(GaElemRun *run)
{
	uint32 j;

	run->checks = false;
	run->refs = palloc(run->n_arrays * sizeof(GaStoredRef));
	for (j = 0; j < run->n_arrays; j++)
		run->refs[j] = (GaStoredRef){.key = run->keys[j],
									 .part = {0, run->n},
									 .state = GA_STORED_NO_ANSWER};
}

/*
 * Read what settles the doubts.  The sample is older than the looks at the
 * chunks.
 */
static void
settle_doubts(GaElemRun *run)
{
	GaToastRelation relation = GA_TOAST_CLOSED;
	uint32 j;

	for (j = 0; j < run->n_arrays; j++)
	{
		if (run->found[j] != GA_ELEM_DOUBT)
			continue;
		CHECK_FOR_INTERRUPTS();
		ga_stored_check(&run->refs[j], &relation, &run->sample, !run->checks);
		run->checks = true;
	}
	ga_toast_close(&relation);
}

/*
 * Have the device add the arrays at the positions behind the first n_done of a
 * run; the run tells how many are done then, and why not all.  There is a
 * connection, and no slot in use.  Throws if the query is cancelled; the
 * connection is closed then.
 */
pg_noinline void
ga_elem_by_device(GaElemRun *run)
{
	run->found = palloc(run->n_arrays);
	begin(run);
	begin_refs(run);
	run->segment =
		Min(run->n_wanted - run->n_done, ga_slot_positions(run->form));
	n_segments =
		(run->n_wanted - run->n_done + run->segment - 1) / run->segment;
	if (run->form == GA_FORM_RECORD)
		run->records = MemoryContextAllocHuge(
			CurrentMemoryContext,
			GA_ELEM_SEGMENTS * (Size) run->segment * sizeof(GaPartialSum));
	PG_TRY();
	{
		ask_for_rest(run);
		if (run->reason == GA_NO_REASON && run->has_doubts)
		{
			settle_doubts(run);
			begin(run);
			ask_for_rest(run);
		}
	}
	PG_CATCH();
	{
		ga_slots_reset();
		PG_RE_THROW();
	}
	PG_END_TRY();
	pfree(run->refs);
	if (run->form == GA_FORM_RECORD)
		pfree(run->records);
}
