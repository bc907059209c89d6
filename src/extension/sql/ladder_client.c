/*
 * ladder_client.c
 *		The rows of a ladder, from gpuaggd.
 *
 * On a connection of its own, so that sums of the session that are under way go
 * on.  gpuaggd has gpuagg-ladder time the rungs, and limits the time of each
 * run: here is no limit.  To close the connection ends the program, so that
 * nothing is left behind by a cancellation.
 */
#include "postgres.h"

#include <limits.h>

#include "extension/error.h"
#include "extension/engine/session_counters.h"
#include "extension/offload/client.h"
#include "extension/offload/connect.h"
#include "extension/offload/reply.h"
#include "extension/settings.h"
#include "ladder_client.h"

/*
 * Connect, or report why not: 55000.  Waits for gpuaggd to start.  Throws if
 * the query is cancelled meanwhile.
 */
static int
open_connection(void)
{
	char trouble[sizeof(((GaReply *) 0)->reason)] = "";
	GaReason reason = GA_REASON_SETTING;
	int fd = -1;

	if (!ga_allow_device)
		reason = GA_REASON_NOT_ALLOWED;
	else if (ga_engine != GA_ENGINE_CPU)
		reason = ga_connect(true, &fd, trouble, sizeof(trouble));
	if (reason != GA_NO_REASON)
		ga_report_no_ladder(ga_reason_text(reason), trouble,
							reason == GA_REASON_SETTING);
	return fd;
}

/* Report what a reply that ends the ladder says, if it is a failure. */
static void
check_reply(GaReason reason, const GaReply *reply, const char *rung)
{
	if (reason == GA_NO_REASON && reply->opcode != GA_LADDER)
		reason = GA_REASON_GONE;
	else if (reason == GA_NO_REASON)
		reason = ga_reply_reason(reply->status);
	if (reason != GA_NO_REASON)
		ga_report_rung(rung, ga_reason_text(reason), reason == GA_REASON_MEMORY,
					   reply->reason);
}

/* Send the request, and take all rows. */
static void
fetch(int fd, const GaLadderCall *call, GaTakeLadderRow take, void *to)
{
	const GaRequest request = {.opcode = GA_LADDER, .u.ladder = *call};
	GaReply reply = {0};
	char rung[sizeof(reply.u.ladder.row.rung.name)] = "";
	GaReason reason = ga_client_greet(fd, ga_request_timeout);

	if (reason != GA_NO_REASON)
		ga_report_no_ladder(ga_reason_text(reason), ga_client_trouble(), false);
	reason = ga_client_ask(fd, &request, &reply, NULL, INT_MAX);
	for (;;)
	{
		if (reason != GA_NO_REASON)
			memset(&reply, 0, sizeof(reply));
		check_reply(reason, &reply, rung);
		if (reply.u.ladder.event == GA_LADDER_END)
			break;
		strlcpy(rung, reply.u.ladder.row.rung.name, sizeof(rung));
		if (reply.u.ladder.event == GA_LADDER_ROW)
			take(&reply.u.ladder.row, to);
		reason = ga_client_wait(fd, &reply, NULL, INT_MAX);
	}
}

/*
 * Have a ladder timed, and its rows taken, in order.  Errors: 55000 if there is
 * no device, 53200 if it has not enough memory, 58000 if it fails, takes too
 * long, or gpuaggd goes away.  Throws if the query is cancelled.
 */
void
ga_ladder_fetch(const GaLadderCall *call, GaTakeLadderRow take, void *to)
{
	int fd = open_connection();

	PG_TRY();
	{
		fetch(fd, call, take, to);
	}
	PG_FINALLY();
	{
		ga_disconnect(fd);
	}
	PG_END_TRY();
}
