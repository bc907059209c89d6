/*
 * clear_client.c
 *		Removing resident arrays, for gpuagg_cache_clear().
 *
 * Asks gpuaggd on a connection of its own, and does not start it.  Many arrays
 * take some time; gpuaggd says several times a second that it goes on, and is
 * waited for as long as it does.  Who removes contents must know whether they
 * are gone: so a gpuaggd that runs and does not say so is an error.
 */
#include "postgres.h"

#include <signal.h>
#include <sys/socket.h>

#include "client.h"
#include "clear_client.h"
#include "connect.h"
#include "reply.h"
#include "extension/error.h"
#include "extension/engine/session_counters.h"
#include "extension/supervisor/daemon_status.h"

/* How long to wait for the next sign that gpuaggd goes on. */
#define ANSWER_MS 5000

/* Does gpuaggd run, as far as its supervisor knows? */
static bool
is_up(void)
{
	GaDaemonStatus status;

	ga_daemon_status_read(&status);
	return status.state == GA_DAEMON_UP && status.daemon_pid > 0 &&
		   kill(status.daemon_pid, 0) == 0;
}

/* Send the request, and wait for its last reply. */
static GaReason
ask(int fd, Oid toast_relation, GaReply *reply)
{
	GaRequest request = {.opcode = GA_CLEAR};
	GaReason reason = ga_client_greet(fd, ANSWER_MS);

	request.u.clear.relation = toast_relation;
	if (reason == GA_NO_REASON)
		reason = send(fd, &request, sizeof(request), MSG_NOSIGNAL) ==
						 sizeof(request) ?
					 GA_NO_REASON :
					 GA_REASON_GONE;
	do
	{
		if (reason == GA_NO_REASON)
			reason = ga_reply_wait(fd, reply, NULL, ANSWER_MS, GA_WAIT_CLEAR);
	} while (reason == GA_NO_REASON && reply->opcode == GA_CLEAR &&
			 reply->status == GA_PENDING);
	if (reason != GA_NO_REASON)
		return reason;
	return reply->opcode == GA_CLEAR ? ga_reply_reason(reply->status) :
									   GA_REASON_GONE;
}

/*
 * Remove the resident arrays of a TOAST relation of this database, or all
 * (InvalidOid), and overwrite their memory.  Return how many; 0 if gpuaggd does
 * not run.  Throws if it does not answer, and if the query is cancelled; then
 * gpuaggd goes on.
 */
int64
ga_clear_client(Oid toast_relation)
{
	const int fd = ga_connect_if_up();
	volatile GaReason reason = GA_REASON_GONE;
	GaReply reply = {.reason = ""};

	if (fd < 0)
	{
		if (is_up())
			ga_report_not_cleared("no connection to gpuaggd", "");
		return 0;
	}
	PG_TRY();
	{
		reason = ask(fd, toast_relation, &reply);
	}
	PG_FINALLY();
	{
		ga_disconnect(fd);
	}
	PG_END_TRY();
	if (reason != GA_NO_REASON)
		ga_report_not_cleared(ga_reason_text(reason), reply.reason);
	return (int64) reply.u.cache.n_rows;
}
