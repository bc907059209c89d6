/*
 * test_process.c
 *		The start, the resources and the end of gpuaggd; and its latency.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

static Daemon gpuaggd;
static Client client;

/* Started like that, it ends with this code, and says this. */
static void
check_start(char *option, int code, const char *said)
{
	char *argv[] = {"gpuaggd", "--socket=gpuaggd", "--boot-token=1", option,
					NULL};
	int status;

	daemon_launch(&gpuaggd, argv);
	status = daemon_wait(&gpuaggd, 30000);
	tap_check(WIFEXITED(status) && WEXITSTATUS(status) == code,
			  "%s: status %x, must be %d", option, status, code);
	tap_check(daemon_said(&gpuaggd, said), "%s: not \"%s\"", option, said);
	daemon_remove(&gpuaggd);
}

static void
test_options(void)
{
	static char *const bad[] = {"--no-such-option",
								"argument",
								"--staging-size=",
								"--staging-size=1x",
								"--cache-size=-2",
								"--device=none",
								"--device=1,x",
								"--device=",
								"--boot-token=-1",
								"--boot-token=",
								"--boot-token=18446744073709551616",
								"--request-timeout=0",
								"--emulated-faults=fail_launch",
								"--emulated-faults=no_such=1",
								"--emulated-faults=hang_launch=-1"};
	char long_path[300] = "--socket=";
	char *none[] = {"gpuaggd", "--boot-token=1", NULL};
	size_t i;

	tap_begin("options");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_start(bad[i], 2, "usage: gpuaggd");
	daemon_launch(&gpuaggd, none);
	tap_check(WEXITSTATUS(daemon_wait(&gpuaggd, 30000)) == 2, "no socket");
	daemon_remove(&gpuaggd);
	check_start("--version", 0, "gpuaggd " GA_VERSION " (protocol 21)\n");
	check_start("--help", 0, "usage: gpuaggd");
	if (daemon_is_emulated())
	{
		char *argv[] = {"gpuaggd", "--boot-token=1", "--device=emulated",
						long_path, NULL};

		memset(long_path + 9, 'x', 200);
		daemon_launch(&gpuaggd, argv);
		tap_check(WEXITSTATUS(daemon_wait(&gpuaggd, 30000)) == 12,
				  "a long path");
		tap_check(daemon_said(&gpuaggd, "FATAL: could not create socket "),
				  "a long path");
		daemon_remove(&gpuaggd);
	}
	tap_end();
}

/* Only the owner can use the socket; a file that is no socket stays. */
static void
test_socket(void)
{
	struct stat found;
	FILE *file;
	int status;

	tap_begin("the socket");
	daemon_start(&gpuaggd, NULL);
	tap_check(stat(gpuaggd.socket_path, &found) == 0 &&
				  (found.st_mode & 0777) == 0600,
			  "mode %o", (unsigned) found.st_mode);
	kill(gpuaggd.pid, SIGKILL);
	(void) daemon_wait(&gpuaggd, 10000);
	tap_check(access(gpuaggd.socket_path, F_OK) == 0, "it is not left");
	daemon_start(&gpuaggd, NULL);
	client_open(&client, &gpuaggd);
	client_close(&client);
	daemon_stop(&gpuaggd);

	/* once more, to have a directory */
	daemon_start(&gpuaggd, NULL);
	kill(gpuaggd.pid, SIGINT);
	status = daemon_wait(&gpuaggd, 5000);
	tap_check(status == 0, "SIGINT: status %x", status);
	file = fopen(gpuaggd.socket_path, "w");
	tap_check(file != NULL, "its place is taken");
	if (file != NULL)
		fclose(file);
	if (daemon_is_emulated())
	{
		char *argv[] = {"gpuaggd", "--socket=gpuaggd", "--boot-token=1",
						"--device=emulated", NULL};

		daemon_launch(&gpuaggd, argv);
		status = daemon_wait(&gpuaggd, 30000);
		tap_check(WEXITSTATUS(status) == 20, "status %x", status);
		tap_check(access(gpuaggd.socket_path, F_OK) == 0, "a file is lost");
	}
	daemon_remove(&gpuaggd);
	tap_end();
}

/* At once, whatever it is doing; other signals do not matter. */
static void
test_signals(void)
{
	GaRequest request;
	double start_ms;
	int status;

	tap_begin("signals");
	daemon_start(&gpuaggd,
				 daemon_is_emulated() ? "--emulated-faults=slow_launch=5000" :
										NULL,
				 NULL);
	client_open(&client, &gpuaggd);
	client_lease(&client, false);
	kill(gpuaggd.pid, SIGHUP);
	kill(gpuaggd.pid, SIGPIPE);
	request = client_fill_one(&client, 0, 1);
	client_send(&client, &request);
	sleep_ms(20);
	start_ms = now_ms();
	kill(gpuaggd.pid, SIGTERM);
	status = daemon_wait(&gpuaggd, 5000);
	tap_check(status == 0 &&
				  now_ms() - start_ms < (daemon_is_emulated() ? 1000 : 2000),
			  "status %x after %g ms", status, now_ms() - start_ms);
	tap_check(access(gpuaggd.socket_path, F_OK) != 0, "the socket is left");
	client_close(&client);
	daemon_remove(&gpuaggd);
	tap_end();
}

/* Is the flag set for the mapping of staging memory? */
static bool
staging_has_flag(const char *flag)
{
	char command[160];

	snprintf(command, sizeof(command),
			 "grep -A30 'memfd:gpuagg staging' /proc/%d/smaps |"
			 " grep -m1 VmFlags: | grep -qw %s",
			 (int) gpuaggd.pid, flag);
	return system(command) == 0;
}

/* SIGQUIT ends it at once, without a core file; none has staging memory. */
static void
test_no_core(void)
{
	struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
	struct rlimit present;
	GaRequest request;
	int status;

	tap_begin("no core file has users' data");
	daemon_start(&gpuaggd,
				 daemon_is_emulated() ? "--emulated-faults=slow_launch=5000" :
										NULL,
				 NULL);
	if (getrlimit(RLIMIT_CORE, &present) == 0 && geteuid() != 0)
		unlimited = (struct rlimit){present.rlim_max, present.rlim_max};
	(void) prlimit(gpuaggd.pid, RLIMIT_CORE, &unlimited, NULL);
	tap_check(staging_has_flag("sh"), "staging memory is not found");
	tap_check(staging_has_flag("dd"), "it would be in a core file");
	client_open(&client, &gpuaggd);
	client_lease(&client, false);
	request = client_fill_one(&client, 0, 1);
	client_send(&client, &request);
	sleep_ms(20);
	kill(gpuaggd.pid, SIGQUIT);
	status = daemon_wait(&gpuaggd, 5000);
	tap_check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x",
			  (unsigned) status);
	client_close(&client);
	daemon_remove(&gpuaggd);
	tap_end();
}

static void
test_devices(void)
{
	const GaRequest devices = {.opcode = GA_DEVICES};
	Client others[3];
	GaReply reply;
	GaDeviceRow *row = &reply.u.device;
	int i;

	tap_begin("what devices there are");
	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=1000", NULL);
	client_open(&client, &gpuaggd);
	for (i = 0; i < 3; i++)
	{
		client_open(&others[i], &gpuaggd);
		client_lease(&others[i], true);
		tap_check(client_sum_one(&others[i], 0, i) == GA_OK, "a sum");
	}
	reply = client_call(&client, &devices);
	tap_check(reply.status == GA_OK && row->index == 0 && row->n_devices == 1,
			  "status %d, %u of %u", reply.status, row->index, row->n_devices);
	tap_check(row->n_sessions == 4 && row->n_leases == 3,
			  "%u sessions, %u leases", row->n_sessions, row->n_leases);
	tap_check(row->budget_bytes == UINT64_C(1000) << 20, "budget %llu",
			  (unsigned long long) row->budget_bytes);
	tap_check(row->used_bytes >= GA_SLOT_BYTES, "used %llu",
			  (unsigned long long) row->used_bytes);
	tap_check(row->memory_bytes > 0 && row->name[0] != '\0' &&
				  row->id[0] != '\0',
			  "not described");
	tap_check(strcmp(row->kind, daemon_is_emulated() ? "emulated" : "cuda") ==
				  0,
			  "kind %s", row->kind);
	for (i = 0; i < 3; i++)
		client_close(&others[i]);
	sleep_ms(20);
	reply = client_call(&client, &devices);
	tap_check(row->n_leases == 0 && row->n_sessions == 1,
			  "%u sessions, %u leases", row->n_sessions, row->n_leases);
	client_close(&client);
	daemon_stop(&gpuaggd);
	tap_end();
}

/* Half of the memory, unless an option sets another limit. */
static void
test_budget(void)
{
	const GaRequest devices = {.opcode = GA_DEVICES};
	GaReply reply;

	tap_begin("half of the memory");
	daemon_start(&gpuaggd, "--cache-size=-1", NULL);
	client_open(&client, &gpuaggd);
	reply = client_call(&client, &devices);
	tap_check(reply.u.device.budget_bytes == reply.u.device.memory_bytes / 2,
			  "budget %llu", (unsigned long long) reply.u.device.budget_bytes);
	client_close(&client);
	daemon_stop(&gpuaggd);
	tap_end();
}

static void
test_leak(void)
{
	const int n = (int) tap_cases(1000) + 100;
	int before;
	int after;
	int i;

	tap_begin("descriptors over %d connections", n);
	daemon_start(&gpuaggd, "--staging-size=16", NULL);
	before = -1;
	for (i = 0; i < n; i++)
	{
		client_open(&client, &gpuaggd);
		if (i % 3 > 0)
			client_lease(&client, true);
		if (i % 3 > 1)
			tap_check(client_sum_one(&client, 0, i) == GA_OK, "a sum");
		client_close(&client);

		/* all leases have been opened by then */
		if (i == 20)
			before = daemon_count_fds(&gpuaggd);
	}
	after = daemon_count_fds(&gpuaggd);
	tap_check(before > 0 && after == before, "%d descriptors, before %d", after,
			  before);
	daemon_stop(&gpuaggd);
	tap_end();
}

/* Set how many descriptors gpuaggd may have; the hard limit stays. */
static void
limit_descriptors(rlim_t n)
{
	struct rlimit limit;

	prlimit(gpuaggd.pid, RLIMIT_NOFILE, NULL, &limit);
	limit.rlim_cur = n < limit.rlim_max ? n : limit.rlim_max;
	prlimit(gpuaggd.pid, RLIMIT_NOFILE, &limit, NULL);
}

/* Without descriptors it waits, without burning time, and goes on later. */
static void
test_no_descriptors(void)
{
	const GaRequest hello = client_hello_request();
	const double end_ms = now_ms() + 10000;
	GaReply reply;

	tap_begin("a connection without descriptors");
	daemon_start(&gpuaggd, NULL);
	limit_descriptors(3);
	client_connect(&client, &gpuaggd);
	client_send(&client, &hello);
	tap_check(!client_has_reply(&client, 300), "there were enough");
	while (!daemon_said(&gpuaggd, "WARNING: accept: ") && now_ms() < end_ms)
		sleep_ms(10);
	tap_check(daemon_said(&gpuaggd, "WARNING: accept: "), "no warning");
	limit_descriptors(RLIM_INFINITY);
	tap_check(client_receive(&client, &reply) && reply.status == GA_OK,
			  "it does not go on");
	client_close(&client);
	daemon_stop(&gpuaggd);
	tap_end();
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x > y) - (x < y);
}

/* From sending the smallest request to having its reply. */
static void
test_latency(void)
{
	enum
	{
		N = 1000
	};
	double us[N];
	int i;

	tap_begin("latency");
	daemon_start(&gpuaggd, NULL);
	client_open(&client, &gpuaggd);
	client_lease(&client, false);
	for (i = 0; i < N; i++)
	{
		GaRequest request = client_fill_one(&client, i % 4, i);
		double start_ms = now_ms();
		GaReply reply;

		client_send(&client, &request);
		while (recv(client.fd, &reply, sizeof(reply), MSG_DONTWAIT) < 0)
			;
		us[i] = (now_ms() - start_ms) * 1000;
		tap_check(client_is_one(&client, &reply, i), "a wrong sum");
	}
	qsort(us, N, sizeof(us[0]), compare);
	tap_note("the smallest request takes %.1f us (median), %.1f us (99 of "
			 "100)",
			 us[N / 2], us[N * 99 / 100]);
	for (i = 0; i < N; i++)
	{
		double start_ms = now_ms();

		(void) client_sum_one(&client, 0, i);
		us[i] = (now_ms() - start_ms) * 1000;
	}
	qsort(us, N, sizeof(us[0]), compare);
	tap_note("... %.1f us, %.1f us for a client that sleeps meanwhile",
			 us[N / 2], us[N * 99 / 100]);
	client_close(&client);
	daemon_stop(&gpuaggd);
	tap_end();
}

int
main(void)
{
	test_options();
	test_socket();
	test_signals();
	test_no_core();
	test_devices();
	test_budget();
	test_leak();
	test_no_descriptors();
	test_latency();
	return tap_done();
}
