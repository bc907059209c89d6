/*
 * oid_feed.c
 *		The supervisor's samples of the OID counter, for gpuaggd at rest.
 *
 * Sessions send samples with what they ask.  When nobody asks anything for a
 * minute, gpuaggd could no longer tell how far the counter went, and what is
 * resident would be in doubt (oid_guard.h).  So the supervisor writes one to
 * gpuaggd's standard input when it comes up, and every 10 s.
 *
 * Nothing depends on it but speed, so nothing waits for it: neither for the
 * lock nor for room in the pipe, which has some thousand samples.  Each is less
 * than PIPE_BUF, so that none is torn.
 */
#include "postgres.h"

#include <unistd.h>

#include "extension/clock.h"
#include "oid_feed.h"
#include "oid_sample.h"

#define FEED_MS	 10000
#define RETRY_MS 100

/* When the next one is due, by ga_clock_ms(). */
static int64 due_at;

/* Feeds gpuaggd, if it is time to, and as long as it is up. */
void
ga_oid_feed(const GaDaemonProcess *daemon, bool is_up)
{
	int64 now = ga_clock_ms();
	GaOidSample sample;
	ssize_t written;

	if (!is_up)
		due_at = 0;
	if (!is_up || now < due_at)
		return;
	if (!ga_oid_sample_try(&sample))
	{
		due_at = now + RETRY_MS;
		return;
	}
	due_at = now + FEED_MS;
	written = write(daemon->input, &sample, sizeof(sample));
	(void) written;
}

/* How long until the next one. */
long
ga_oid_feed_wait_ms(void)
{
	return (long) Max(due_at - ga_clock_ms(), 0);
}
