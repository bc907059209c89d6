/*
 * ladder_device_row.c
 *		The rungs of the ladder, timed by gpuaggd, one request each.
 *
 * On the session's own connection, once nothing else is under way on it.  There
 * is no limit to how long gpuaggd takes, since it looks after each run itself; a
 * cancellation closes the connection, which gives up the runs that are left.
 */
#include "postgres.h"

#include "extension/offload/offload.h"
#include "extension/offload/client.h"
#include "extension/offload/reply.h"
#include "extension/offload/slots.h"
#include "extension/engine/session_counters.h"
#include "extension/error.h"
#include "ladder_row.h"

/*
 * Have a connection to the device, or report why not: 55000.  Throws if the
 * query is cancelled meanwhile.
 */
void
ga_ladder_open_device(void)
{
	GaReason reason;

	/* sums under way use the same window */
	ga_offload_finish();
	reason = ga_offload_open_device();
	if (reason != GA_NO_REASON)
		ga_report_no_ladder(ga_reason_text(reason), ga_client_trouble(),
							reason == GA_REASON_SETTING);
}

/* Ask about a rung; reports what went wrong. */
static void
ask(const GaRequest *request, const char *name, GaReply *reply)
{
	volatile GaReason reason = GA_NO_REASON;

	memset(reply, 0, sizeof(*reply));
	PG_TRY();
	{
		reason = ga_client_call(request, reply);
	}
	PG_CATCH();
	{
		ga_slots_reset();
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (reason == GA_NO_REASON)
		reason = reply->opcode != GA_RUNG ? GA_REASON_GONE :
											ga_reply_reason(reply->status);
	if (reason == GA_NO_REASON)
		return;
	if (reason != GA_REASON_MEMORY)
		ga_slots_reset();
	ga_report_rung(name, ga_reason_text(reason), reason == GA_REASON_MEMORY,
				   reply->reason);
}

/* Is it one that was asked for? */
static bool
is_wanted(const GaLadderCall *call, const GaRung *rung)
{
	return (rung->types & UINT32_C(1) << call->type) &&
		   (call->managed || !rung->is_managed);
}

/*
 * Time the next rung, from *next on, which takes the type; false if there is
 * none.  Errors: 53200 if the device has not enough memory, 58000 if it fails
 * or gpuaggd goes away.  Throws if the query is cancelled.
 */
bool
ga_ladder_device_row(const GaLadderCall *call, uint32 *next, GaLadderRow *row)
{
	GaRequest request = {.opcode = GA_RUNG};
	GaReply reply;

	request.u.rung.ladder = call->ladder;
	request.u.rung.type = call->type;
	request.u.rung.n = call->n;
	do
	{
		request.u.rung.rung = (*next)++;
		ask(&request, "", &reply);
		if (request.u.rung.rung >= reply.u.rung.n_rungs)
			return false;
	} while (!is_wanted(call, &reply.u.rung.rung));

	row->rung = reply.u.rung.rung;
	row->rung.name[sizeof(row->rung.name) - 1] = '\0';
	request.u.rung.repeats = call->repeats;
	ask(&request, row->rung.name, &reply);
	row->ms = reply.u.rung.ms;
	row->max_error = reply.u.rung.max_error;
	row->same_bits = reply.u.rung.same_bits != 0;
	return true;
}
