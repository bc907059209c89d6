/*
 * test_ladder_process.c
 *		Processes of gpuagg-ladder: none outlives its session or gpuaggd, or
 *		disturbs other sessions.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ladder_table.h"
#include "tap.h"

/* The program ends with its session, whatever it is at. */
static void
test_gone(void)
{
	const GaRequest request = ladder_long_request();
	int i;

	tap_begin("a client that goes away in the middle");
	ladder_start(NULL, NULL);
	for (i = 0; i < 5; i++)
	{
		client_send(&ladder_client, &request);
		sleep_ms(i * i * 20);
		client_close(&ladder_client);
		tap_check(ladder_has_programs(0, 10000), "its program is left");
		client_open(&ladder_client, &ladder_gpuaggd);
	}
	tap_check(ladder_call_short().end.status == GA_OK, "the next one");
	ladder_stop();
	tap_end();
}

/*
 * The program ends with gpuaggd, even if that has no time to end it; and not by
 * a signal, which its next parent might take for a crash.
 */
static void
test_killed(void)
{
	const GaRequest request = ladder_long_request();
	char path[64];
	FILE *file;
	int pid = 0;
	int status = -1;
	double start_ms;

	tap_begin("gpuaggd is killed");
	tap_check(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0, "no child to be");
	ladder_start(NULL, NULL);
	client_send(&ladder_client, &request);
	tap_check(ladder_has_programs(1, 10000), "no program");
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children",
			 ladder_gpuaggd.pid, ladder_gpuaggd.pid);
	file = fopen(path, "r");
	tap_check(file != NULL && fscanf(file, "%d", &pid) == 1, "no child");
	if (file != NULL)
		fclose(file);
	sleep_ms(50);
	kill(ladder_gpuaggd.pid, SIGKILL);
	(void) daemon_wait(&ladder_gpuaggd, 10000);
	start_ms = now_ms();
	while (pid > 0 && waitpid(pid, &status, WNOHANG) == 0 &&
		   now_ms() - start_ms < 10000)
		sleep_ms(1);
	tap_check(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %d",
			  status);
	client_close(&ladder_client);
	client_close(&ladder_other);
	daemon_remove(&ladder_gpuaggd);
	tap_end();
}

/* Each run may take as long as a request, but not longer. */
static void
test_long(void)
{
	GaRequest request = ladder_long_request();
	double start_ms;

	tap_begin("many runs, together longer than a request may take");
	/* one takes 0.3 s, and longer beside others */
	ladder_start("--request-timeout=2500", NULL);
	request.u.ladder.repeats = 10;
	start_ms = now_ms();
	tap_check(ladder_call(request).end.status == GA_OK, "the ladder");
	tap_check(now_ms() - start_ms > 2600, "only %g ms", now_ms() - start_ms);
	ladder_stop();
	tap_end();
}

/* Runs that fail end the ladder only: gpuaggd goes on, and so do others. */
static void
test_faults(void)
{
	static const struct
	{
		const char *fault;
		int32_t status; /* a GaStatus */
		const char *reason;
		const char *rung;
		uint32_t n_rows;
	} faults[] = {
		{"--emulated-faults=ladder_refuse=1", GA_NO_MEMORY,
		 "run 1: injected lack of memory", "cpu", 0},
		{"--emulated-faults=ladder_fail=3", GA_DEVICE_FAILED,
		 "run 3: injected failure", "copy", 1},
		{"--emulated-faults=ladder_crash=3", GA_DEVICE_FAILED,
		 "ended by signal 6", "copy", 1},
		{"--emulated-faults=ladder_hang=5", GA_DEVICE_FAILED,
		 "no answer from the device for 3000 ms", "exact-baseline", 2},
	};
	size_t i;

	tap_begin("runs that fail");
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
	{
		pid_t pid;
		double start_ms;
		LadderTable table;

		ladder_start("--request-timeout=3000", faults[i].fault);
		pid = ladder_gpuaggd.pid;
		start_ms = now_ms();
		table = ladder_call_short();
		tap_check(table.end.status == faults[i].status &&
					  strstr(table.end.reason, faults[i].reason) != NULL,
				  "%s: %d, %s", faults[i].fault, table.end.status,
				  table.end.reason);
		tap_check(strcmp(table.started, faults[i].rung) == 0 &&
					  table.n_rows == faults[i].n_rows,
				  "%s: at %s, %u rows", faults[i].fault, table.started,
				  table.n_rows);
		tap_check(now_ms() - start_ms < 10000, "%s: after %g ms",
				  faults[i].fault, now_ms() - start_ms);
		tap_check(client_sum_one(&ladder_other, 0, 3) == GA_OK, "others");
		tap_check(ladder_has_programs(0, 10000), "the program is left");
		tap_check(kill(pid, 0) == 0, "gpuaggd ended");
		table = ladder_call_short();
		tap_check(table.end.status == faults[i].status, "again: %d",
				  table.end.status);
		ladder_stop();
	}
	tap_end();
}

/* A client that goes away while its ladder hangs. */
static void
test_hang(void)
{
	GaRequest request = ladder_request(GA_LADDER_SCAN, GA_int4, 1000, 2);

	tap_begin("a run that never ends, without its session");
	ladder_start(NULL, "--emulated-faults=ladder_hang=2");
	client_send(&ladder_client, &request);
	tap_check(ladder_has_programs(1, 10000), "no program");
	sleep_ms(200);
	tap_check(ladder_n_programs() == 1, "it does not hang");
	client_close(&ladder_client);
	tap_check(ladder_has_programs(0, 10000), "the program is left");
	client_open(&ladder_client, &ladder_gpuaggd);
	tap_check(client_sum_one(&ladder_other, 0, 1) == GA_OK, "others");
	ladder_stop();
	tap_end();
}

/*
 * gpuaggd stands still for longer than a run may take, and the program does
 * not: packets came, so it is not ended for having been silent.
 */
static void
test_stopped(void)
{
	const GaRequest request =
		ladder_request(GA_LADDER_SCAN, GA_float8, 1 << 22, 100);
	LadderTable table;

	tap_begin("gpuaggd stands still");
	ladder_start("--request-timeout=2000", NULL);
	client_send(&ladder_client, &request);
	tap_check(ladder_has_programs(1, 10000), "no program");
	sleep_ms(100);
	kill(ladder_gpuaggd.pid, SIGSTOP);
	sleep_ms(2300);
	kill(ladder_gpuaggd.pid, SIGCONT);
	table = ladder_receive(&ladder_client);
	ladder_check(&table, GA_LADDER_SCAN, GA_float8, 1 << 22);
	ladder_stop();
	tap_end();
}

static void
check_missing(const LadderTable *table)
{
	tap_check(table->end.status == GA_NO_DEVICE &&
				  strstr(table->end.reason, "gpuagg-ladder\": No such file") !=
					  NULL,
			  "%d, %s", table->end.status, table->end.reason);
}

/*
 * gpuaggd without the program beside it says so, and goes on; also to all
 * sessions that waited until the program of another one had ended.
 */
static void
test_missing(void)
{
	const GaRequest request = ladder_long_request();
	const GaRequest next = ladder_request(GA_LADDER_REDUCE, GA_int4, 1000, 1);
	const char *name = getenv("GA_GPUAGGD");
	char *before = name ? strdup(name) : NULL;
	char directory[] = "/tmp/gpuaggd-alone-XXXXXX";
	char command[8800];
	char path[64];
	char ladder[64];
	GaReply reply;
	Client third;
	LadderTable table;

	tap_begin("no gpuagg-ladder beside gpuaggd");
	tap_check(mkdtemp(directory) != NULL, "no directory");
	snprintf(path, sizeof(path), "%s/gpuaggd", directory);
	snprintf(ladder, sizeof(ladder), "%s/gpuagg-ladder", directory);
	name = name != NULL ? name : "build/plain/gpuaggd";
	snprintf(command, sizeof(command),
			 "cp '%s' '%s' && cp \"$(dirname '%s')/gpuagg-ladder\" '%s'", name,
			 path, name, ladder);
	tap_check(system(command) == 0, "%s", command);
	setenv("GA_GPUAGGD", path, 1);
	ladder_start(NULL, NULL);
	client_send(&ladder_client, &request);
	tap_check(client_receive(&ladder_client, &reply), "no program");
	unlink(ladder);
	client_open(&third, &ladder_gpuaggd);
	client_send(&ladder_other, &next);
	client_send(&third, &next);
	client_check_waits(&third);
	client_close(&ladder_client);
	table = ladder_receive(&ladder_other);
	check_missing(&table);
	table = ladder_receive(&third);
	check_missing(&table);
	client_close(&third);
	client_open(&ladder_client, &ladder_gpuaggd);
	table = ladder_call_short();
	check_missing(&table);
	tap_check(client_sum_one(&ladder_other, 0, 1) == GA_OK, "others");
	ladder_stop();
	if (before != NULL)
		setenv("GA_GPUAGGD", before, 1);
	else
		unsetenv("GA_GPUAGGD");
	free(before);
	unlink(path);
	rmdir(directory);
	tap_end();
}

int
main(void)
{
	test_gone();
	test_killed();
	test_missing();
	test_stopped();
	if (daemon_is_emulated())
	{
		test_long();
		test_faults();
		test_hang();
	}
	return tap_done();
}
