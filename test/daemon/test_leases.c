/*
 * test_leases.c
 *		Which session gets a lease, which waits for one, which may keep it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define MAX_CLIENTS 8

static Daemon gpuaggd;
static Client clients[MAX_CLIENTS];

static void
start(const char *staging, const char *faults)
{
	int i;

	daemon_start(&gpuaggd, staging, faults, NULL);
	for (i = 0; i < MAX_CLIENTS; i++)
		client_open(&clients[i], &gpuaggd);
}

static void
stop(void)
{
	int i;

	for (i = 0; i < MAX_CLIENTS; i++)
		client_close(&clients[i]);
	daemon_stop(&gpuaggd);
}

/* Each slot of a lease is nobody else's. */
static void
check_others(int last)
{
	uint32_t i, k;
	int j;

	for (i = 0; i < clients[last].n_slots; i++)
	{
		tap_check(clients[last].offsets[i] % GA_SLOT_BYTES == 0, "offset");
		for (j = 0; j < last; j++)
		{
			for (k = 0; k < clients[j].n_slots; k++)
				tap_check(clients[last].offsets[i] != clients[j].offsets[k],
						  "%d and %d have the same", last, j);
		}
	}
}

/*
 * Each gets other slots, and fewer while most are taken; more than a quarter
 * has to be free to keep them.
 */
static void
test_keeps(void)
{
	static const char *const options[] = {
		"--staging-size=0", "--staging-size=23", "--staging-size=24",
		"--staging-size=32", "--staging-size=64"};
	static const int n_leases[] = {1, 3, 3, 4, 8};
	static const int n_kept[] = {0, 2, 2, 2, 5};
	int i, j;

	tap_begin("leases that may be kept");
	for (i = 0; i < 5; i++)
	{
		start(options[i], NULL);
		for (j = 0; j < n_leases[i]; j++)
		{
			tap_check(client_lease(&clients[j], false) == GA_OK &&
						  clients[j].keeps == (j < n_kept[i]),
					  "%s: lease %d, keeps %d", options[i], j,
					  clients[j].keeps);
			check_others(j);
		}
		if (j < MAX_CLIENTS)
			tap_check(client_lease(&clients[j], false) == GA_NO_CAPACITY,
					  "%s: one too many", options[i]);
		stop();
	}
	tap_end();
}

/* All of it is allocated: nobody who writes to it later may fail. */
static void
test_allocated(void)
{
	const GaRequest request = {.opcode = GA_LEASE, .u.lease.n_slots = 1};
	struct stat file;
	GaReply reply;
	int fd = -1;

	tap_begin("staging memory is allocated at the start");
	start("--staging-size=64", NULL);
	client_send(&clients[0], &request);
	if (client_receive_file(&clients[0], &reply, &fd) && fd >= 0)
	{
		tap_check(fstat(fd, &file) == 0 && file.st_size == 64 << 20 &&
					  (int64_t) file.st_blocks * 512 >= file.st_size,
				  "%lld of %lld bytes", (long long) file.st_blocks * 512,
				  (long long) file.st_size);
		tap_check(ftruncate(fd, 0) != 0 && ftruncate(fd, 128 << 20) != 0 &&
					  fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) != 0,
				  "a client can change it");
		close(fd);
	}
	else
		tap_check(false, "no lease");
	stop();
	tap_end();
}

/* A second request returns the same lease, and the same memory. */
static void
test_same(void)
{
	uint64_t offset;

	tap_begin("asking again");
	start("--staging-size=16", NULL);
	client_lease(&clients[0], false);
	offset = clients[0].offsets[0];
	client_lease(&clients[1], true);
	tap_check(client_lease(&clients[0], true) == GA_OK &&
				  clients[0].offsets[0] == offset,
			  "another lease");
	tap_check(client_sum_one(&clients[0], 3, 42) == GA_OK, "a sum");
	client_release_lease(&clients[0]);
	tap_check(client_lease(&clients[0], false) == GA_OK &&
				  clients[0].offsets[0] == offset,
			  "another lease, given back");
	stop();
	tap_end();
}

static Client takers[GA_LEASE_SLOTS];

/* Have other clients take n slots, and the first one the rest. */
static void
take_slots(int n)
{
	GaRequest request = {.opcode = GA_LEASE, .u.lease.n_slots = 1};
	int i;

	for (i = 0; i < n; i++)
	{
		client_open(&takers[i], &gpuaggd);
		client_send(&takers[i], &request);
		tap_check(client_receive_lease(&takers[i]) == GA_OK &&
					  takers[i].n_slots == 1,
				  "%u slots", takers[i].n_slots);
	}
	client_lease(&clients[0], false);
}

/* They are served in the order in which they asked. */
static void
test_waiting(void)
{
	int i;

	tap_begin("waiting for a lease");
	start("--staging-size=8", NULL);
	/* a client that waits gets one slot, so the first one has one, too */
	take_slots(3);
	for (i = 1; i < MAX_CLIENTS; i++)
	{
		client_send_lease(&clients[i], true);
		tap_check(!client_has_reply(&clients[i], 2), "%d has one", i);
	}
	/* one gives up, others are asked for nothing */
	client_close(&clients[2]);
	client_open(&clients[2], &gpuaggd);
	tap_check(client_lease(&clients[2], false) == GA_NO_CAPACITY,
			  "it came first");
	for (i = 0; i < MAX_CLIENTS - 1; i++)
	{
		int next = i == 1 ? 3 : i + 1;

		tap_check(!client_has_reply(&clients[next], 0), "%d has one", next);
		if (i % 2)
			client_release_lease(&clients[i]);
		else
		{
			client_close(&clients[i]);
			client_open(&clients[i], &gpuaggd);
		}
		tap_check(client_receive_lease(&clients[next]) == GA_OK, "%d", next);
		tap_check(client_sum_one(&clients[next], 0, i) == GA_OK, "a sum");
		i += i == 1;
	}
	for (i = 0; i < 3; i++)
		client_close(&takers[i]);
	stop();
	tap_end();
}

/* Also if a lease becomes free and another client asks for it at once. */
static void
test_jump(void)
{
	const GaRequest release = {.opcode = GA_RELEASE_LEASE};
	int status;
	int i;

	tap_begin("a lease is for who waits, not for who asks next");
	start("--staging-size=8", NULL);
	client_lease(&clients[0], false);
	client_send_lease(&clients[1], true);
	client_check_waits(&clients[1]);
	kill(gpuaggd.pid, SIGSTOP);
	tap_check(waitpid(gpuaggd.pid, &status, WUNTRACED) == gpuaggd.pid &&
				  WIFSTOPPED(status),
			  "it does not stop");
	client_send(&clients[0], &release);
	for (i = 2; i < MAX_CLIENTS; i++)
		client_send_lease(&clients[i], i % 2);
	kill(gpuaggd.pid, SIGCONT);
	tap_check(client_receive_lease(&clients[1]) == GA_OK, "no lease");
	for (i = 2; i < MAX_CLIENTS; i += 2)
		tap_check(client_receive_lease(&clients[i]) == GA_NO_CAPACITY,
				  "client %d has one", i);
	tap_check(client_sum_one(&clients[1], 0, 1) == GA_OK, "a sum");
	stop();
	tap_end();
}

/* Requests behind one that waits are answered after it. */
static void
test_order(void)
{
	GaRequest devices = {.opcode = GA_DEVICES};
	GaReply reply;
	int i;

	tap_begin("the order of replies");
	start("--staging-size=8", NULL);
	client_lease(&clients[0], false);
	client_send_lease(&clients[1], true);
	for (i = 0; i < 20; i++)
		client_send(&clients[1], &devices);
	tap_check(!client_has_reply(&clients[1], 5), "too early");
	tap_check(client_sum_one(&clients[0], 0, -1) == GA_OK, "the other one");
	client_release_lease(&clients[0]);
	tap_check(client_receive_lease(&clients[1]) == GA_OK, "no lease");
	for (i = 0; i < 20; i++)
		tap_check(client_receive(&clients[1], &reply) &&
					  reply.opcode == GA_DEVICES && reply.status == GA_OK,
				  "reply %d is to %u", i, reply.opcode);
	stop();
	tap_end();
}

/* Four requests at a time, over and over; answered in order. */
static void
test_pipeline(void)
{
	GaRequest request;
	GaReply reply;
	int i;

	tap_begin("four slots at a time");
	start("--staging-size=8", NULL);
	client_lease(&clients[0], false);
	for (i = 0; i < 4000; i++)
	{
		if (i >= GA_LEASE_SLOTS)
			tap_check(
				client_receive(&clients[0], &reply) &&
					(int) reply.slot == (i * 3) % GA_LEASE_SLOTS &&
					client_is_one(&clients[0], &reply, i - GA_LEASE_SLOTS),
				"reply %d", i);
		request = client_fill_one(&clients[0], (i * 3) % GA_LEASE_SLOTS, i);
		client_send(&clients[0], &request);
	}
	for (i = 0; i < GA_LEASE_SLOTS; i++)
		tap_check(client_receive(&clients[0], &reply), "the last ones");
	stop();
	tap_end();
}

/*
 * The slots of a session that is gone are free, but for the one that the device
 * is at.
 */
static void
test_abandoned(void)
{
	GaRequest request;
	double start_ms;
	int i;

	tap_begin("a client that goes away in the middle");
	start("--staging-size=8", "--emulated-faults=slow_launch=1500");
	client_lease(&clients[0], false);
	start_ms = now_ms();
	for (i = 0; i < GA_LEASE_SLOTS; i++)
	{
		request = client_fill_one(&clients[0], i, i);
		client_send(&clients[0], &request);
	}
	sleep_ms(20);
	client_close(&clients[0]);
	client_open(&clients[0], &gpuaggd);
	tap_check(client_lease(&clients[2], false) == GA_OK &&
				  clients[2].n_slots == GA_LEASE_SLOTS - 1,
			  "%u slots are free", clients[2].n_slots);
	tap_check(client_lease(&clients[3], false) == GA_NO_CAPACITY,
			  "free too early");
	tap_check(client_lease(&clients[1], true) == GA_OK, "never free");
	tap_check(now_ms() - start_ms > 1495, "free after %g ms",
			  now_ms() - start_ms);
	tap_check(now_ms() - start_ms < 4500, "all four were done: %g ms",
			  now_ms() - start_ms);
	tap_check(client_sum_one(&clients[1], 0, 5) == GA_OK, "a sum");
	stop();
	tap_end();
}

/* In another process: use a lease, and be killed at any time. */
static void
run_victim(void)
{
	Client client;
	GaRequest request;
	GaReply reply;
	int i;

	client_open(&client, &gpuaggd);
	client_lease(&client, true);
	for (i = 0;; i++)
	{
		request = client_fill_one(&client, i % client.n_slots, i);
		client_send(&client, &request);
		if (i >= (int) client.n_slots - 1)
			(void) client_receive(&client, &reply);
	}
}

static void
test_killed(void)
{
	const int n = (int) tap_cases(100) + 10;
	int i;

	tap_begin("clients that are killed");
	start("--staging-size=16", NULL);
	client_lease(&clients[0], false);
	for (i = 0; i < n; i++)
	{
		pid_t victim;

		fflush(stdout);
		victim = fork();
		if (victim == 0)
			run_victim();
		usleep(i * 37 % 3000);
		kill(victim, SIGKILL);
		waitpid(victim, NULL, 0);
		tap_check(client_sum_one(&clients[0], i % 4, i) == GA_OK, "a sum");
	}
	for (i = 0; i < 1000 && clients[1].n_slots < GA_LEASE_SLOTS; i++)
	{
		tap_check(client_lease(&clients[1], true) == GA_OK, "no lease");
		sleep_ms(1);
	}
	tap_check(clients[1].n_slots == GA_LEASE_SLOTS, "a slot is lost");
	stop();
	tap_end();
}

int
main(void)
{
	test_keeps();
	test_allocated();
	test_same();
	test_waiting();
	test_jump();
	test_order();
	test_pipeline();
	if (daemon_is_emulated())
		test_abandoned();
	test_killed();
	return tap_done();
}
