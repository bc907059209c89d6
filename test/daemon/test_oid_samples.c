/*
 * test_oid_samples.c
 *		Samples of the OID counter by standard input, whatever that is.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "wire/oid_guard.h"
#include "tap.h"

static Daemon gpuaggd;
static Client client;

/* Start it with this as its standard input; ours is as before. */
static void
start_with(int input, char *option)
{
	int before = dup(STDIN_FILENO);

	fcntl(before, F_SETFD, FD_CLOEXEC);
	dup2(input, STDIN_FILENO);
	daemon_start(&gpuaggd, option, NULL);
	dup2(before, STDIN_FILENO);
	close(before);
}

static void
start_with_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) != 0)
		tap_check(false, "no pipe");
	start_with(ends[0], "--samples");
	close(ends[0]);
}

static GaOidSample
sample_at(int64_t seconds, bool is_standby)
{
	const GaOidSample sample = {seconds * 1000, 20000, is_standby};

	return sample;
}

static void
put(int fd, GaOidSample sample)
{
	tap_check(write(fd, &sample, sizeof(sample)) == sizeof(sample), "write");
}

/* Does it say so, soon? */
static bool
comes(const char *text)
{
	double end = now_ms() + 5000;

	while (now_ms() < end)
	{
		if (daemon_said(&gpuaggd, text))
			return true;
		sleep_ms(1);
	}
	return false;
}

/* It serves, and has nothing to do otherwise. */
static void
check_idle(void)
{
	char path[64];
	long ticks[2] = {-1, -1};
	int i;

	client_open(&client, &gpuaggd);
	client_lease(&client, false);
	tap_check(client_sum_one(&client, 0, 7) == GA_OK, "a sum");
	client_close(&client);
	snprintf(path, sizeof(path), "/proc/%d/stat", (int) gpuaggd.pid);
	for (i = 0; i < 2; i++)
	{
		FILE *file = fopen(path, "r");
		long user;
		long system;

		if (file != NULL &&
			fscanf(file,
				   "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u "
				   "%*u %ld %ld",
				   &user, &system) == 2)
			ticks[i] = user + system;
		if (file != NULL)
			fclose(file);
		if (i == 0)
			sleep_ms(300);
	}
	tap_check(ticks[0] >= 0 && ticks[1] - ticks[0] < 10,
			  "%ld ticks of work in 300 ms", ticks[1] - ticks[0]);
}

/* It logs a gap on a primary, which shows that it adds samples. */
static void
test_samples(void)
{
	int ends[2];
	GaOidSample sample = sample_at(200, false);
	int i;

	tap_begin("samples");
	start_with_pipe(ends);
	put(ends[1], sample_at(10, false));
	for (i = 11; i <= 70; i++)
		put(ends[1], sample_at(i, false));
	put(ends[1], sample_at(131, false));
	tap_check(comes("no sample of the OID counter for 61 s"),
			  "the gap is not logged");

	/* a sample in two segments */
	tap_check(write(ends[1], &sample, 5) == 5, "write");
	sleep_ms(50);
	tap_check(!daemon_said(&gpuaggd, "69 s"), "it took half a sample");
	tap_check(write(ends[1], (char *) &sample + 5, sizeof(sample) - 5) ==
				  sizeof(sample) - 5,
			  "write");
	tap_check(comes("for 69 s"), "the segments are not put together");
	check_idle();
	close(ends[1]);
	daemon_stop(&gpuaggd);
	tap_end();
}

/* The replay of a standby may jump at any time. */
static void
test_standby(void)
{
	int ends[2];

	tap_begin("samples of a standby");
	start_with_pipe(ends);
	put(ends[1], sample_at(10, true));
	put(ends[1], sample_at(1000, true));
	put(ends[1], sample_at(5, false));
	put(ends[1], sample_at(3000, true));
	put(ends[1], sample_at(105, false));
	tap_check(comes("for 100 s"), "a gap after the promotion");
	tap_check(!daemon_said(&gpuaggd, "990 s") &&
				  !daemon_said(&gpuaggd, "2995 s"),
			  "it logged the others");
	close(ends[1]);
	daemon_stop(&gpuaggd);
	tap_end();
}

static void
test_end(void)
{
	int ends[2];
	int before;
	int after;

	tap_begin("the end of the feed");
	start_with_pipe(ends);
	put(ends[1], sample_at(10, false));
	check_idle();
	before = daemon_count_fds(&gpuaggd);
	tap_check(write(ends[1], "half", 4) == 4, "write");
	close(ends[1]);
	after = daemon_count_fds(&gpuaggd);
	check_idle();
	tap_check(after == before, "%d descriptors, before %d", after, before);
	daemon_stop(&gpuaggd);
	tap_end();
}

/* With what cannot be waited for, or without the option. */
static void
test_others(void)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int ends[2];
	char byte;

	tap_begin("other standard inputs");
	start_with(null, "--samples");
	check_idle();
	daemon_stop(&gpuaggd);
	close(null);

	tap_check(pipe2(ends, O_CLOEXEC) == 0, "pipe");
	start_with(ends[0], NULL);
	put(ends[1], sample_at(10, false));
	check_idle();
	tap_check(read(ends[0], &byte, 1) == 1, "it read what is not its own");
	daemon_stop(&gpuaggd);
	close(ends[0]);
	close(ends[1]);
	tap_end();
}

int
main(void)
{
	test_samples();
	test_standby();
	test_end();
	test_others();
	return tap_done();
}
