/*
 * test_faults.c
 *		What gpuaggd does when the device fails, or time is up.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

static Daemon gpuaggd;
static Client client;
static Client other;

static void
start(const char *faults, const char *option)
{
	daemon_start(&gpuaggd, "--staging-size=16", faults, option, NULL);
	client_open(&client, &gpuaggd);
	client_lease(&client, false);
	client_open(&other, &gpuaggd);
	client_lease(&other, false);
}

/* It ended by itself, and said why. */
static void
check_exit(int code, const char *reason)
{
	int status = daemon_wait(&gpuaggd, 10000);

	tap_check(WIFEXITED(status) && WEXITSTATUS(status) == code,
			  "exit status %x, must be %d", status, code);
	tap_check(daemon_said(&gpuaggd, "\nFATAL: ") &&
				  daemon_said(&gpuaggd, reason),
			  "no reason \"%s\"", reason);
	tap_check(access(gpuaggd.socket_path, F_OK) != 0, "the socket is left");
	client_close(&client);
	client_close(&other);
	daemon_remove(&gpuaggd);
}

/* All that were sent are answered with the failure; then it is the end. */
static void
check_lost(Client *who, int n_requests, const char *reason)
{
	GaReply reply;
	int i;

	for (i = 0; i < n_requests; i++)
		tap_check(client_receive(who, &reply) &&
					  reply.status == GA_DEVICE_FAILED &&
					  strstr(reply.reason, reason) != NULL,
				  "reply %d: %d, %s", i, reply.status, reply.reason);
	tap_check(client_is_closed(who), "it is still open");
}

static void
send_sums(Client *who, int n)
{
	int i;

	for (i = 0; i < n; i++)
	{
		GaRequest request = client_fill_one(who, (uint32_t) i, i);

		client_send(who, &request);
	}
}

static void
test_fail_launch(void)
{
	tap_begin("a launch that fails");
	start("--emulated-faults=fail_launch=3", NULL);
	tap_check(client_sum_one(&client, 0, 1) == GA_OK &&
				  client_sum_one(&other, 0, 2) == GA_OK,
			  "the first two");
	send_sums(&client, 1);
	check_lost(&client, 1, "emulated launch: injected failure");
	tap_check(client_is_closed(&other), "the other is open");
	check_exit(20, "emulated launch: injected failure");
	tap_end();
}

/* Memory is allocated for the first request. */
static void
test_fail_allocation(void)
{
	GaRequest request;
	GaReply reply;

	tap_begin("no memory, once");
	start("--emulated-faults=fail_allocation=1", NULL);
	request = client_fill_one(&other, 0, 2);
	reply = client_call(&other, &request);
	tap_check(reply.status == GA_NO_MEMORY &&
				  strstr(reply.reason, "emulated allocate: ") == reply.reason,
			  "the first one: %d, %s", reply.status, reply.reason);
	tap_check(client_sum_one(&other, 0, 2) == GA_OK &&
				  client_sum_one(&client, 0, 3) == GA_OK,
			  "those after it");
	client_close(&client);
	client_close(&other);
	daemon_stop(&gpuaggd);
	tap_end();
}

/* A segment that failed cannot be continued. */
static void
test_failed_segment(void)
{
	GaRequest scan = {.opcode = GA_SCAN, .u.scan = {.type = GA_int4, .n = 1}};
	GaReply reply;

	tap_begin("a segment without memory");
	start("--emulated-faults=fail_allocation=1", NULL);
	reply = client_call(&client, &scan);
	tap_check(reply.status == GA_NO_MEMORY, "status %d", reply.status);
	scan.u.scan.continues = 1;
	client_send(&client, &scan);
	tap_check(client_receive(&client, &reply) && reply.status == GA_BAD_STATE,
			  "it goes on: %d", reply.status);
	tap_check(client_sum_one(&client, 0, 1) == GA_OK, "the session ends");
	client_close(&client);
	client_close(&other);
	daemon_stop(&gpuaggd);
	tap_end();
}

/*
 * A segment that was not even begun cannot be continued either, with whatever
 * was there before it: while another request has all memory that there is, it
 * gets none.
 */
static void
test_refused_segment(void)
{
	GaRequest scan = {.opcode = GA_SCAN, .u.scan = {.type = GA_int4, .n = 1}};
	GaRequest sum;
	GaReply reply;

	tap_begin("a segment that is not begun");
	start("--emulated-faults=fail_allocation=2,slow_launch=1500", NULL);
	tap_check(client_call(&client, &scan).status == GA_OK, "the first one");
	sum = client_fill_one(&other, 0, 2);
	client_send(&other, &sum);
	client_check_waits(&other);
	scan.u.scan.continues = 1;
	tap_check(client_call(&client, &scan).status == GA_NO_MEMORY,
			  "the second one");
	tap_check(client_call(&client, &scan).status == GA_BAD_STATE,
			  "it goes on without the second one");
	tap_check(client_receive(&other, &reply) &&
				  client_is_one(&other, &reply, 2),
			  "the other one");
	scan.u.scan.continues = 0;
	tap_check(client_call(&client, &scan).status == GA_OK, "from the start");
	client_close(&client);
	client_close(&other);
	daemon_stop(&gpuaggd);
	tap_end();
}

/* As little memory as may be: all requests fail, and none ends it. */
static void
test_budget(void)
{
	int i;

	tap_begin("a budget that is too small");
	start("--cache-size=1", NULL);
	for (i = 0; i < 20; i++)
		tap_check(client_sum_one(&client, i % 4, i) == GA_NO_MEMORY, "%d", i);
	client_close(&client);
	client_close(&other);
	daemon_stop(&gpuaggd);
	tap_end();
}

static void
test_hang(void)
{
	double start_ms;

	tap_begin("a launch that is never finished");
	start("--emulated-faults=hang_launch=2", "--request-timeout=2000");
	tap_check(client_sum_one(&client, 0, 1) == GA_OK, "the first one");
	start_ms = now_ms();
	send_sums(&client, 4);
	tap_check(client_sum_one(&other, 1, 3) == GA_OK, "the other");
	check_lost(&client, 4, "no answer from the device for 2000 ms");
	tap_check(now_ms() - start_ms > 1990 && now_ms() - start_ms < 6000,
			  "after %g ms", now_ms() - start_ms);
	check_exit(20, "no answer from the device");
	tap_end();
}

/* Slow is not dead, as long as it is in time. */
static void
test_slow(void)
{
	double start_ms;

	tap_begin("launches that are slow");
	start("--emulated-faults=slow_launch=400", "--request-timeout=1000");
	start_ms = now_ms();
	tap_check(client_sum_one(&client, 0, 1) == GA_OK &&
				  client_sum_one(&client, 0, 2) == GA_OK,
			  "sums");
	tap_check(now_ms() - start_ms >= 800, "%g ms", now_ms() - start_ms);
	client_close(&client);
	client_close(&other);
	daemon_stop(&gpuaggd);
	tap_end();
}

static void
test_crash(void)
{
	int status;

	tap_begin("a crash");
	start("--emulated-faults=crash_launch=1", NULL);
	send_sums(&client, 2);
	tap_check(client_is_closed(&client) && client_is_closed(&other),
			  "connections are open");
	status = daemon_wait(&gpuaggd, 10000);
	tap_check(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "status %x",
			  status);
	client_close(&client);
	client_close(&other);

	/* what it left behind is no obstacle */
	tap_check(access(gpuaggd.socket_path, F_OK) == 0, "no socket is left");
	start(NULL, NULL);
	tap_check(client_sum_one(&client, 0, 1) == GA_OK, "a sum");
	client_close(&client);
	client_close(&other);
	daemon_stop(&gpuaggd);
	tap_end();
}

/* Without a descriptor a request finds no queue; later ones find one. */
static void
test_no_descriptor(void)
{
	GaRequest request;
	GaReply reply = {.status = -1};

	tap_begin("no descriptor for a queue");
	start("--emulated-faults=slow_launch=1000", NULL);
	request = client_fill_one(&client, 0, 1);
	client_send(&client, &request);
	sleep_ms(50);
	daemon_limit_fds(&gpuaggd, 0);
	request = client_fill_one(&other, 0, 2);
	client_send(&other, &request);
	tap_check(client_receive(&other, &reply) && reply.status == GA_NO_MEMORY &&
				  strstr(reply.reason, "eventfd") != NULL,
			  "status %d, %s", reply.status, reply.reason);
	tap_check(client_receive(&client, &reply) &&
				  client_is_one(&client, &reply, 1),
			  "the first request");
	tap_check(client_sum_one(&other, 0, 3) == GA_OK, "the queue that there is");
	daemon_limit_fds(&gpuaggd, 10);
	request = client_fill_one(&client, 0, 4);
	client_send(&client, &request);
	tap_check(client_sum_one(&other, 0, 5) == GA_OK, "another queue");
	tap_check(client_receive(&client, &reply) &&
				  client_is_one(&client, &reply, 4),
			  "the queue at the same time");
	client_close(&client);
	client_close(&other);
	daemon_stop(&gpuaggd);
	tap_end();
}

static void
test_wrong_version(void)
{
	GaRequest hello = client_hello_request();
	GaReply reply;
	int i;

	tap_begin("a version that is another");
	daemon_start(&gpuaggd, "--emulated-faults=wrong_version=1", NULL);
	for (i = 0; i < 5; i++)
	{
		client_connect(&client, &gpuaggd);
		client_send(&client, &hello);
		tap_check(client_receive(&client, &reply) &&
					  reply.status == GA_BAD_VERSION &&
					  client_is_closed(&client),
				  "status %d", reply.status);
		client_close(&client);
	}
	daemon_stop(&gpuaggd);
	tap_end();
}

int
main(void)
{
	if (!daemon_is_emulated())
	{
		printf("1..0 # SKIP a GPU does not fail on purpose\n");
		return 0;
	}
	test_fail_launch();
	test_fail_allocation();
	test_failed_segment();
	test_refused_segment();
	test_budget();
	test_hang();
	test_slow();
	test_crash();
	test_no_descriptor();
	test_wrong_version();
	return tap_done();
}
