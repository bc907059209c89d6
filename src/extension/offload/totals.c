/*
 * totals.c
 *		Running totals by the device, segment by segment.
 *
 * Each segment goes in a slot, with its totals behind it.  Segments are sent
 * ahead: while the device is at one, the next is copied in, and the totals of
 * the one before are copied out.  gpuaggd adds up what came before a segment;
 * so does this file, so that the CPU can go on behind any of them.
 *
 * If the elements are those of a resident array, the slot has totals only.
 * Called by engine_totals.c, when no other slots are in use.
 */
#include "postgres.h"

#include "exact/exact_sum_io.h"
#include "extension/engine/cpu_sums.h"
#include "client.h"
#include "stored_key.h"
#include "totals.h"
#include "wire/route.h"

static void make_request(int i, GaRequest *request);
static void receive(int i, const GaReply *reply);
static void fall_back(int i, GaReason reason);

/* A slot has one segment. */
static const GaSlotKind totals_kind = {
	.opcode = GA_SCAN,
	.make_request = make_request,
	.receive = receive,
	.fall_back = fall_back,
};

/* Are the elements on the device, as far as is known? */
static bool
is_resident(const GaTotalsRun *run)
{
	return run->in == NULL && run->totals->is_resident;
}

/* Return the bytes of elements that a segment brings for each total. */
static size_t
in_size(const GaTotalsRun *run)
{
	return is_resident(run) ? 0 : ga_element_size(run->totals->type);
}

/* Return the elements of a segment that fills a slot, with its totals. */
static size_t
segment_size(const GaTotalsRun *run)
{
	return (GA_SLOT_DATA_BYTES - 16) /
		   (in_size(run) + ga_totals_size(run->totals->type));
}

/*
 * Put the sum of what came before into a slot.  Return its bytes: 0 if there
 * was nothing.
 */
static uint32
put_prefix(GaTotalsState *totals, GaSlot *slot)
{
	uint8 *bytes = (uint8 *) slot->full;
	GaExactSum *floats = ga_full_sum(&totals->floats);

	if (!ga_element_is_float(totals->type))
		return totals->ints.n == 0 ? 0 :
									 ga_int_sum_serialize(&totals->ints, bytes);
	return floats->n == 0 ? 0 : ga_exact_sum_serialize(floats, bytes);
}

/* Put a segment's elements into a slot. */
static void
put_elements(GaTotalsRun *run, int i, size_t n)
{
	const size_t size = in_size(run);
	char *to = ga_client_slot_data(i);

	if (run->in == NULL)
		ga_array_read(run->totals->array, run->totals->n_done + run->n_in, n,
					  to);
	else
		memcpy(to, run->in + run->n_in * size, n * size);
}

/* Name the resident array. */
static void
name_array(const GaTotalsRun *run, GaRequest *request)
{
	request->u.scan.is_stored = true;
	request->u.scan.from = run->totals->n_done + run->n_in;
	request->u.scan.lookup.waits = true;
	ga_stored_name(&request->u.scan.stored, &request->u.scan.lookup,
				   &run->totals->key, run->has_loaded, run->checks);
}

/* Fill a slot with the next segment, and ask for its totals. */
static void
make_request(int i, GaRequest *request)
{
	GaTotalsRun *run = ga_slots[i].entries[0].target;
	GaTotalsState *totals = run->totals;
	const size_t n = Min(run->n - run->n_in, run->segment);

	request->u.scan.type = totals->type;
	request->u.scan.n = n;
	request->u.scan.is_int128 = totals->type == GA_int8;
	request->u.scan.continues = run->n_in > run->n_begun;
	if (!request->u.scan.continues)
		request->u.scan.n_prefix_bytes = put_prefix(totals, ga_client_slot(i));
	if (is_resident(run))
		name_array(run, request);
	else
		put_elements(run, i, n);
	run->n_in += n;
	run->n_sent++;
}

/* Has the run ended before all its totals were computed? */
static bool
has_stopped(const GaTotalsRun *run)
{
	return run->reason != GA_NO_REASON || run->overflow || run->is_missing;
}

/* Take the totals of a segment, and add its sum to what came before. */
static void
receive(int i, const GaReply *reply)
{
	GaTotalsRun *run = ga_slots[i].entries[0].target;
	GaTotalsState *totals = run->totals;
	const size_t size = ga_totals_size(totals->type);
	const size_t n = Min(run->n - run->n_out, run->segment);
	const size_t n_totals = Min(reply->u.scan.n_totals, n);

	run->n_sent--;
	if (has_stopped(run))
		return;
	if (is_resident(run) && reply->u.scan.state != GA_STORED_RESIDENT)
	{
		/* the segments behind it were sent in vain */
		run->is_missing = true;
		run->is_doubt = reply->u.scan.state == GA_STORED_DOUBT;
		run->n_sent = 0;
		ga_slots_ignore(&totals_kind);
		return;
	}
	if (n_totals == n &&
		!ga_cpu_merge_partial(ga_totals_sum(totals), totals->type, n,
							  &reply->u.scan.sum, ga_client_slot(i)->full, 1))
	{
		run->reason = GA_REASON_FAILED;
		return;
	}
	memcpy(run->out + run->n_out * size,
		   ga_client_slot_data(i) +
			   (is_resident(run) ? 0 : GA_TOTALS_AT(n * in_size(run))),
		   n_totals * size);
	run->n_out += n_totals;
	run->overflow = n_totals < n;
}

static void
fall_back(int i, GaReason reason)
{
	GaTotalsRun *run = ga_slots[i].entries[0].target;

	run->n_sent--;
	if (run->reason == GA_NO_REASON)
		run->reason = reason;
}

/* Send the next segment.  False if there is no lease or connection. */
static bool
send_segment(GaTotalsRun *run)
{
	const int i = ga_slots_open(&totals_kind, run->totals->type, GA_REDUCE_SUM,
								run->device);

	if (i < 0)
		return false;
	(void) ga_slots_add(i, run, NULL, 0);
	ga_slots_send(i);
	return true;
}

/* Segments that may be under way: one, until it is clear that it is there. */
static int
max_sent(const GaTotalsRun *run)
{
	return is_resident(run) && run->n_out == run->n_begun ? 1 : GA_LEASE_SLOTS;
}

/*
 * Send segments and take their totals, until one overflows or is missing, or
 * there is a reason why it cannot be computed.
 */
static void
send_all(GaTotalsRun *run)
{
	while (run->n_out < run->n && !has_stopped(run))
	{
		while (!has_stopped(run) && run->n_sent < max_sent(run) &&
			   run->n_in < run->n && send_segment(run))
			;
		if (run->n_sent > 0)
			ga_slots_receive();
		else if (run->n_out < run->n && !has_stopped(run))
			run->reason = ga_slots_lease_reason();
	}
	if (run->is_missing)
		ga_slots_drain();
}

/*
 * Send segments from the first n_out on.  One that is in doubt is sent again,
 * with what settles the doubt, and so are those behind it.
 */
static void
send_from_here(GaTotalsRun *run)
{
	do
	{
		run->checks = run->is_missing;
		run->is_missing = false;
		run->n_in = run->n_begun = run->n_out;
		run->n_sent = 0;
		send_all(run);
	} while (run->is_missing && run->is_doubt && !run->checks);
}

/*
 * Have the device compute the totals behind the first n_out of a run; the run
 * tells how many there are then, and why not all.  There is a connection, and
 * no slot in use.  Throws if the query is cancelled; the connection is closed
 * then, and also if the device failed.
 */
pg_noinline void
ga_totals_by_device(GaTotalsRun *run)
{
	run->is_missing = false;
	run->segment = segment_size(run);
	run->device = is_resident(run) ?
					  ga_route(&run->totals->key, ga_client_devices) :
					  ga_client_any_device();
	PG_TRY();
	{
		send_from_here(run);
	}
	PG_CATCH();
	{
		ga_slots_reset();
		PG_RE_THROW();
	}
	PG_END_TRY();
	/* segments behind the run's end are under way */
	if (ga_slots_n_sent > 0 || run->reason != GA_NO_REASON)
		ga_slots_reset();
}
