/*
 * restart.c
 *		When gpuaggd is started again.
 *
 * gpuaggd that fails is started again at once, and then ever more slowly: after
 * 1, 2, 4, ... 60 seconds.  If it worked for a while, its failure is the first
 * one again.  A reload ends the wait.
 *
 * Owns nothing; only the supervisor calls these functions.
 */
#include "postgres.h"

#include "extension/clock.h"
#include "restart.h"

/* A gpuaggd that was up for so long did not fail at its start. */
#define GOOD_MS		30000
#define MAX_DELAY_S 60

/* Forget what failed: the next start is not delayed. */
void
ga_restart_now(GaRestart *restart)
{
	restart->n_failures = 0;
	restart->start_at = 0;
}

/* gpuaggd is no longer up, or not to be. */
void
ga_restart_end_run(GaRestart *restart)
{
	if (restart->up_at != 0 && ga_clock_ms() - restart->up_at >= GOOD_MS)
		restart->n_failures = 0;
	restart->up_at = 0;
}

/*
 * Delay the next start, because of one more end.  `event` is what happened, for
 * the log.
 */
void
ga_restart_later(GaRestart *restart, const char *event, bool is_orderly)
{
	int delay = 0;

	if (restart->n_failures > 0)
		delay = Min(1 << Min(restart->n_failures - 1, 10), MAX_DELAY_S);
	restart->n_failures++;
	restart->start_at = ga_clock_ms() + delay * 1000;
	ereport(is_orderly ? LOG : WARNING,
			(errmsg("%s", event),
			 delay == 0 ?
				 errdetail("It is started again.") :
				 errdetail_plural("It will be started again in %d second.",
								  "It will be started again in %d seconds.",
								  delay, delay)));
}
