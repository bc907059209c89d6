/*
 * test_windows.c
 *		Values of windows by the device: all of them, or none and a reason,
 *		with segments under way.
 */
#include "postgres.h"

#include "extension/offload/offload.h"
#include "extension/sql/engine_windows.h"
#include "session_case.h"

/* Windows, in several segments. */
#define N_WINDOWS 300000

static uint64 values[N_WINDOWS];
static int n_asked; /* segments that were asked for */
static int lie_at;	/* the one that is answered otherwise */
static int n_waits; /* segments that wait for a load of another session */
static bool is_loaded;

/* What is answered instead. */
typedef enum Lie
{
	TRUTH,
	REFUSED,
	MISSING,  /* until it is loaded */
	FOR_EVER, /* missing, whatever is loaded */
	DOUBT,	  /* until its chunk was looked at */
	NO_MEMORY,
	FAILURE,
	ANOTHER, /* a reply to another request */
	LOST,	 /* the connection */
	N_LIES
} Lie;

static Lie lie;

static const GaReason reasons[] = {
	[REFUSED] = GA_REASON_REFUSED,	[FOR_EVER] = GA_REASON_CACHE,
	[NO_MEMORY] = GA_REASON_MEMORY, [FAILURE] = GA_REASON_FAILED,
	[ANOTHER] = GA_REASON_GONE,		[LOST] = GA_REASON_GONE,
	[N_LIES] = GA_NO_REASON};

/* Answer a segment otherwise. */
static void
spoil(const GaRequest *request, GaReply *reply)
{
	uint64 *data = (uint64 *) ga_slot_data(hostile_slot(request->slot));
	const bool checks = request->u.window.stored.xmin != 0;

	if (lie == REFUSED)
		data[request->u.window.n] = UINT64_MAX;
	if (lie == FOR_EVER || (lie == MISSING && !is_loaded))
		reply->u.window.state = GA_STORED_LOAD;
	if (lie == DOUBT && !checks)
		reply->u.window.state = GA_STORED_DOUBT;
	if (lie == DOUBT && checks)
		tap_check(request->u.window.lookup.sample.taken_ms < stubs_looked_at,
				  "the sample is newer than the look at the chunk");
	if (lie == NO_MEMORY || lie == FAILURE)
		reply->status = lie == NO_MEMORY ? GA_NO_MEMORY : GA_DEVICE_FAILED;
	if (lie == ANOTHER)
		reply->opcode = GA_SUM;
	hostile_by_socket = lie == LOST;
	hostile_n_bytes = lie == LOST ? 0 : sizeof(*reply);
}

static void
answer(const GaRequest *request, GaReply *reply)
{
	GaLookupSlot slot;

	if (request->opcode == GA_WINDOW)
		n_waits += request->u.window.lookup.waits;
	if (request->opcode == GA_WINDOW && n_asked++ >= lie_at)
		spoil(request, reply);
	is_loaded |= request->opcode == GA_LOAD;
	if (request->opcode == GA_REDUCE_STORED &&
		hostile_lookup(request->slot - GA_LEASE_SLOTS, &slot))
		slot.refs->state = is_loaded ? GA_STORED_RESIDENT : GA_STORED_LOAD;
}

/* Have the values of a run made, with some replies late. */
static void
try_lie(Lie which, int at, int late, bool is_small)
{
	GaWindowsRun run = {.type = GA_int2,
						.form = GA_FORM_SUM,
						.key = {7, 100, 2 * N_WINDOWS, 0},
						.windows = {N_WINDOWS, 1, 2, 3},
						.values = (char *) values,
						.is_small = is_small};
	GaReason must = reasons[which];
	GaReason reason;
	uint32 n_wrong = 0;
	uint32 i;

	session_begin("values of windows", answer);
	lie = which;
	lie_at = at;
	n_asked = n_waits = 0;
	is_loaded = false;
	hostile_late = late;
	memset(values, 0xff, sizeof(values));
	if (is_small && (which == MISSING || which == FOR_EVER))
		must = GA_REASON_PART;
	reason = ga_windows_compute(&run);
	tap_check(reason == must, "lie %d at %d: reason %d, must be %d", which, at,
			  reason, must);
	tap_check((run.n_done == N_WINDOWS) == (reason == GA_NO_REASON),
			  "%u are done", run.n_done);
	for (i = 0; i < N_WINDOWS; i++)
		n_wrong += values[i] != (i < run.n_done ? i : UINT64_MAX);
	tap_check(n_wrong == 0, "%u are wrong", n_wrong);
	tap_check(is_loaded ==
				  (!is_small && (which == MISSING || which == FOR_EVER)),
			  "loaded: %d", is_loaded);
	tap_check(n_waits == (is_small ? 0 : n_asked), "%d of %d wait", n_waits,
			  n_asked);
	tap_check(ga_slots_n_sent == 0, "some are under way");
	session_end();
}

int
main(void)
{
	int which, at, late;

	for (which = 0; which < N_LIES; which++)
	{
		for (at = 0; at < 3; at++)
		{
			for (late = 0; late <= 3; late++)
				try_lie((Lie) which, at, late, late == 3);
		}
	}
	return tap_done();
}
