/*
 * windows.c
 *		Values of windows over a stored array, by the device.
 *
 * Windows are asked for in segments, as many as have their values in the data
 * of a slot.  While gpuaggd is at some segments, the values of those before are
 * taken.  Behind all buckets of an array a slot may have those of others
 * (windows_ahead.c).
 *
 * Called by engine_windows.c, when no other slots are in use.
 */
#include "postgres.h"

#include "client.h"
#include "stored_key.h"
#include "windows.h"
#include "windows_ahead.h"
#include "wire/route.h"

static void make_request(int i, GaRequest *request);
static void receive(int i, const GaReply *reply);
static void fall_back(int i, GaReason reason);

/* A slot has one segment. */
static const GaSlotKind windows_kind = {
	.opcode = GA_WINDOW,
	.make_request = make_request,
	.receive = receive,
	.fall_back = fall_back,
};

/* Return how many windows the segment has that begins at one. */
static uint32
segment_at(const GaWindowsRun *run, uint32 at)
{
	return Min(run->n - at, ga_slot_windows(run->form));
}

/* Ask for the next windows. */
static void
make_request(int i, GaRequest *request)
{
	GaWindowsRun *run = ga_slots[i].entries[0].target;

	request->u.window.type = run->type;
	request->u.window.form = run->form;
	request->u.window.windows = run->windows;
	request->u.window.from = run->from;
	request->u.window.first = run->n_asked;
	request->u.window.n = segment_at(run, run->n_asked);
	/* the CPU reads a small part sooner than another session loads the array */
	request->u.window.lookup.waits = !run->is_small;
	ga_stored_name(&request->u.window.stored, &request->u.window.lookup,
				   &run->key, run->has_loaded, run->checks);
	if (run->ahead != NULL && !run->is_alone && request->u.window.n == run->n)
	{
		request->u.window.ahead = ga_ahead_wanted(run->ahead);
		request->u.window.lookup.previous =
			ga_ahead_previous(run->ahead, run->device);
	}
	ga_slots[i].sample = request->u.window.lookup.sample;
	run->n_asked += request->u.window.n;
	run->n_sent++;
}

/* Has the run ended before all its values were taken? */
static bool
has_stopped(const GaWindowsRun *run)
{
	return run->reason != GA_NO_REASON || run->is_missing || run->is_refused ||
		   run->asks_again;
}

/*
 * Take the values of a segment, unless a window has none, and keep those of
 * other arrays that are behind them.
 */
static void
take_values(GaWindowsRun *run, int i, const GaReply *reply)
{
	const uint32 n = segment_at(run, run->n_done);
	const bool has_more = run->ahead != NULL && !run->is_alone;
	const uint32 n_more = has_more ? ga_windows_n_more(reply, run->form, n) : 0;
	const uint64 n_refused = ga_windows_n_refused(i, n + n_more);

	run->is_refused = n_refused > 0 && n_more == 0;
	run->asks_again = n_refused > 0 && n_more > 0;
	if (run->asks_again)
		ga_ahead_failed(run->ahead);
	if (n_refused > 0)
		return;
	memcpy(run->values + run->n_done * sizeof(uint64), ga_client_slot_data(i),
		   n * sizeof(uint64));
	run->n_done += n;
	if (has_more)
		ga_windows_keep(run->ahead, i, reply, n);
}

static void
receive(int i, const GaReply *reply)
{
	GaWindowsRun *run = ga_slots[i].entries[0].target;

	run->n_sent--;
	if (has_stopped(run))
		return;
	if (reply->u.window.state == GA_STORED_RESIDENT)
	{
		take_values(run, i, reply);
		return;
	}
	/* the segments behind it were sent in vain */
	run->is_missing = true;
	run->is_doubt = reply->u.window.state == GA_STORED_DOUBT;
	run->n_sent = 0;
	ga_slots_ignore(&windows_kind);
}

static void
fall_back(int i, GaReason reason)
{
	GaWindowsRun *run = ga_slots[i].entries[0].target;

	run->n_sent--;
	if (run->reason == GA_NO_REASON)
		run->reason = reason;
	if (run->ahead != NULL)
		ga_ahead_failed(run->ahead);
}

/*
 * May another segment be sent?  One alone, until it is clear that the array is
 * there.
 */
static bool
may_send(const GaWindowsRun *run)
{
	const int n_most = run->n_done == run->n_begun ? 1 : GA_LEASE_SLOTS;

	return !has_stopped(run) && run->n_asked < run->n && run->n_sent < n_most;
}

/* Send the next segment.  False if there is no lease or connection. */
static bool
send_segment(GaWindowsRun *run)
{
	const int i =
		ga_slots_open(&windows_kind, run->type, GA_REDUCE_SUM, run->device);

	if (i < 0)
		return false;
	if (has_stopped(run))
	{
		/* by a reply that was taken meanwhile */
		ga_slots_release_open(&windows_kind);
		return true;
	}
	(void) ga_slots_add(i, run, NULL, 0);
	ga_slots_send(i);
	return true;
}

/*
 * Send segments and take their values, until there are all, or a reason why
 * there are no more.
 */
static void
send_all(GaWindowsRun *run)
{
	while (run->n_done < run->n && !has_stopped(run))
	{
		while (may_send(run) && send_segment(run))
			;
		if (run->n_sent > 0)
			ga_slots_receive();
		else if (run->n_done < run->n && !has_stopped(run))
			run->reason = ga_slots_lease_reason();
	}
	ga_slots_drain();
}

/*
 * Send segments from the first n_done on.  One that is in doubt is sent again,
 * with what settles the doubt, and so are those behind it.  If a window has no
 * value, perhaps of another array that followed, it is sent again alone.
 */
static void
send_from_here(GaWindowsRun *run)
{
	do
	{
		run->is_alone = run->is_alone || run->asks_again;
		run->asks_again = false;
		run->checks = run->is_missing;
		run->is_missing = false;
		run->n_asked = run->n_begun = run->n_done;
		run->n_sent = 0;
		send_all(run);
	} while (run->asks_again ||
			 (run->is_missing && run->is_doubt && !run->checks));
}

/*
 * Have the device make the values behind the first n_done of a run; the run
 * tells how many there are then, and why not all.  There is a connection, and
 * no slot in use.  Throws if the query is cancelled; the connection is closed
 * then.
 */
pg_noinline void
ga_windows_by_device(GaWindowsRun *run)
{
	run->is_missing = run->is_refused = false;
	run->is_alone = run->asks_again = false;
	run->n = ga_windows_count(&run->windows) - (run->form == GA_FORM_DELTA);
	run->device = ga_route(&run->key, ga_client_devices);
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
}
