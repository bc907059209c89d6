/*
 * oid_clock.c
 *		The newest known state of the server's OID counter.
 *
 * Owns the one GaOidClock (oid_guard.h) of the process, and the input of
 * samples.  Sessions send samples with their requests; request.c takes them
 * in.  The supervisor writes samples to standard input, one after the other,
 * so that the clock goes on while there are no requests.
 *
 * Standard input is only read with --samples, since it may be anything else, a
 * terminal for instance.  Its end is no failure: samples still come from
 * sessions.
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

/* The input: bytes that were read; the last sample may be incomplete. */
static struct
{
	GaSource source;
	size_t n_bytes;
	char bytes[SAMPLES_PER_TURN * sizeof(GaOidSample)];
} input;

/*
 * Add a sample.  Return its mark, for what its sender read after it had taken
 * the sample.
 */
uint64_t
ga_oid_clock_sample(const GaOidSample *sample)
{
	GaOidClock before = oid_clock;
	uint64_t mark = ga_oid_sample(&ga_oid_space, &oid_clock, sample);

	/* log it, unless the replay of a standby jumped */
	if (before.now != 0 && !before.is_standby && !sample->is_standby &&
		ga_oid_is_gap(&ga_oid_space, before.newest_ms, sample->taken_ms))
		ga_log("no sample of the OID counter for %lld s: resident "
			   "arrays will be compared before they are used",
			   (long long) (sample->taken_ms - before.newest_ms) / 1000);
	return mark;
}

/* Return the highest sample so far, for ga_oid_guard(). */
uint64_t
ga_oid_clock_now(void)
{
	return oid_clock.now;
}

/* Close the input, which removes its descriptor from the loop. */
static void
close_input(void)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		close(STDIN_FILENO);
	if (null >= 0)
		close(null);
}

/* Add the complete samples that were read. */
static void
add_samples(void)
{
	size_t done = 0;
	GaOidSample sample;

	for (; input.n_bytes - done >= sizeof(sample); done += sizeof(sample))
	{
		memcpy(&sample, input.bytes + done, sizeof(sample));
		(void) ga_oid_clock_sample(&sample);
	}
	input.n_bytes -= done;
	memmove(input.bytes, input.bytes + done, input.n_bytes);
}

static void
input_ready(GaSource *source, uint32_t events)
{
	ssize_t n = read(STDIN_FILENO, input.bytes + input.n_bytes,
					 sizeof(input.bytes) - input.n_bytes);

	(void) source;
	(void) events;
	if (n > 0)
	{
		input.n_bytes += (size_t) n;
		add_samples();
	}
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		close_input();
}

/* Read the input, if there is one that the loop can wait for. */
void
ga_oid_clock_open(void)
{
	int flags = fcntl(STDIN_FILENO, F_GETFL);

	if (!ga_options.has_samples || flags < 0)
		return;
	input.source.ready = input_ready;
	if (ga_loop_add(&input.source, STDIN_FILENO, EPOLLIN) == 0)
		(void) fcntl(STDIN_FILENO, F_SETFL, flags | O_NONBLOCK);
}
