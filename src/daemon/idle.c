/*
 * idle.c
 *		The end of a gpuaggd that no session uses.
 *
 * Owns the time of the last use: requests to compute or to load, that of
 * leases, and the ladder.  Greetings, views and samples are no use, and neither
 * is a session that stays connected.  dispatch.c notes each use; the main loop
 * asks how long it may sleep, and ends the program when it is time.  The next
 * session that wants a device has it started again.
 */
#include "clear.h"
#include "device/clock.h"
#include "exit.h"
#include "idle.h"
#include "ladder_run.h"
#include "options.h"
#include "schedule.h"

static int64_t used_ns;

/* Note a use; the first one is the start. */
void
ga_idle_used(void)
{
	used_ns = ga_now_ns();
}

/* Return the time of the end if nothing uses it; 0 is never. */
static int64_t
end_ns(void)
{
	return ga_options.idle_timeout_s == 0 ?
			   0 :
			   used_ns + ga_options.idle_timeout_s * 1000 * GA_NS_PER_MS;
}

/* Return the milliseconds that the loop may sleep; -1 is for ever. */
int
ga_idle_timeout_ms(int64_t now_ns)
{
	const int64_t most_ms = 3600 * 1000;
	int64_t ms;

	if (end_ns() == 0)
		return -1;
	ms = now_ns < end_ns() ? (end_ns() - now_ns) / GA_NS_PER_MS + 1 : 0;
	return (int) (ms < most_ms ? ms : most_ms);
}

/* End the program if it is time.  What is under way is a use. */
void
ga_idle_check(void)
{
	if (end_ns() == 0 || ga_now_ns() < end_ns())
		return;
	if (ga_schedule_is_busy() || ga_ladder_is_running() ||
		ga_clear_is_running())
		ga_idle_used();
	else
		ga_exit_idle();
}
