/*
 * heartbeat.c
 *		Does gpuaggd answer?  The judgement, from what is seen of it.
 *
 * The supervisor writes to gpuaggd's input five times a second, and looks each
 * time whether gpuaggd's main loop has read what was written before.  A loop
 * that works reads within a millisecond; one that waits for a call of the
 * driver, or is stopped, does not.
 *
 * It is judged by the time in which it was seen not to read.  So a pause of the
 * whole machine does not count, nor does one of the supervisor, which may find
 * a loop that had no time to read either.  A loop that is ready to run, and had
 * no processor, is not to blame: another one would get no more of it.  A
 * process in a debugger is silent, but must not be ended.
 *
 * Has no state of its own, and calls nothing: health.c looks, and acts.  Not a
 * part of PostgreSQL, so that it can be tested without a server.
 */
#include "heartbeat.h"

/* Looks that follow each other sooner are one. */
#define MIN_MS 50

/* The most that one look counts: more may be a pause of the machine. */
#define MAX_MS 300

/* Did gpuaggd have a processor for less than a fifth of this time? */
static bool
is_starved(const GaHeartbeat *heartbeat, const GaHeartbeatLook *look,
		   int64_t elapsed_ms)
{
	return look->is_runnable &&
		   (look->cpu_ms - heartbeat->last.cpu_ms) * 5 < elapsed_ms;
}

/*
 * Judge gpuaggd by one more look at it.  Between two looks something must have
 * been written to its input, unless bytes were unread already.
 */
GaHeartbeatState
ga_heartbeat_judge(GaHeartbeat *heartbeat, const GaHeartbeatLook *look)
{
	int64_t elapsed_ms = look->now_ms - heartbeat->last.now_ms;

	if (look->n_unread == 0 || heartbeat->last.now_ms == 0)
	{
		heartbeat->silent_ms = 0;
		heartbeat->last = *look;
	}
	else if (elapsed_ms >= MIN_MS)
	{
		if (!is_starved(heartbeat, look, elapsed_ms))
			heartbeat->silent_ms += elapsed_ms < MAX_MS ? elapsed_ms : MAX_MS;
		heartbeat->last = *look;
	}
	if (heartbeat->silent_ms < GA_SILENT_MS)
		return GA_HEARTBEAT_ALIVE;
	if (heartbeat->silent_ms < GA_HUNG_MS || look->is_traced)
		return GA_HEARTBEAT_SILENT;
	return GA_HEARTBEAT_HUNG;
}
