/*
 * oid_clock.c
 *		How far the server's OID counter is, as far as gpuaggd knows.
 *
 * The one clock of oid_guard.h.  Sessions bring samples with their requests.
 * The supervisor writes some to standard input, one after the other, so that
 * the counter is heard of while nobody asks anything.
 *
 * That is only read if it was asked for (--samples), for it may be anything
 * else: a terminal, or a pipe of somebody who knows nothing of this.  Its end
 * is no failure: samples still come from sessions.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "log.h"
#include "loop.h"
#include "oid_clock.h"
#include "options.h"

#define SAMPLES_PER_TURN 64

static GaOidClock oid_clock;

/* What was read; the last sample may have come in part. */
static struct
{
	GaSource source;
	size_t n_bytes;
	char bytes[SAMPLES_PER_TURN * sizeof(GaOidSample)];
} feed;

/*
 * Take in a sample.  Returns its mark, for what its sender read after it had
 * taken the sample.
 */
uint64_t
ga_oid_clock_sample(const GaOidSample *sample)
{
	GaOidClock before = oid_clock;
	uint64_t mark = ga_oid_sample(&ga_oid_space, &oid_clock, sample);

	/* worth telling if it was not the replay of a standby that jumped */
	if (before.now != 0 && !before.is_standby && !sample->is_standby &&
		ga_oid_is_gap(&ga_oid_space, before.newest_ms, sample->taken_ms))
		ga_log("nothing was heard of the OID counter for %lld s: what is "
			   "resident will be compared before it is used",
			   (long long) (sample->taken_ms - before.newest_ms) / 1000);
	return mark;
}

/* The highest sample so far, for ga_oid_guard(). */
uint64_t
ga_oid_clock_now(void)
{
	return oid_clock.now;
}

/* The feed ended: nothing more is read, and its descriptor leaves the loop. */
static void
close_feed(void)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		close(STDIN_FILENO);
	if (null >= 0)
		close(null);
}

/* Take in the whole samples that were read. */
static void
take_samples(void)
{
	size_t done = 0;
	GaOidSample sample;

	for (; feed.n_bytes - done >= sizeof(sample); done += sizeof(sample))
	{
		memcpy(&sample, feed.bytes + done, sizeof(sample));
		(void) ga_oid_clock_sample(&sample);
	}
	feed.n_bytes -= done;
	memmove(feed.bytes, feed.bytes + done, feed.n_bytes);
}

static void
feed_ready(GaSource *source, uint32_t events)
{
	ssize_t n = read(STDIN_FILENO, feed.bytes + feed.n_bytes,
					 sizeof(feed.bytes) - feed.n_bytes);

	(void) source;
	(void) events;
	if (n > 0)
	{
		feed.n_bytes += (size_t) n;
		take_samples();
	}
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		close_feed();
}

/* Hear the feed, if there is one.  What cannot be waited for is left alone. */
void
ga_oid_clock_open(void)
{
	int flags = fcntl(STDIN_FILENO, F_GETFL);

	if (!ga_options.has_samples || flags < 0)
		return;
	feed.source.ready = feed_ready;
	if (ga_loop_add(&feed.source, STDIN_FILENO, EPOLLIN) == 0)
		(void) fcntl(STDIN_FILENO, F_SETFL, flags | O_NONBLOCK);
}
