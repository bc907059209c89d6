/*
 * test_ladder.c
 *		Rungs of the ladder through gpuaggd: what it answers, what it refuses,
 *		and that all memory comes back.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "ladder/ladder_cpu.h"
#include "tap.h"

static Daemon gpuaggd;
static Client client;
static Client other;

static void
start(const char *option, const char *faults)
{
	daemon_start(&gpuaggd, "--staging-size=16", option ? option : faults,
				 option ? faults : NULL, NULL);
	client_open(&client, &gpuaggd);
	client_ask(&client, false);
	client_open(&other, &gpuaggd);
	client_ask(&other, false);

	/* windows have their memory from their first request on */
	tap_check(client_sum_one(&client, 0, 1) == GA_OK &&
				  client_sum_one(&other, 0, 2) == GA_OK,
			  "no sums");
}

static void
stop(void)
{
	client_close(&client);
	client_close(&other);
	daemon_stop(&gpuaggd);
}

static GaRequest
rung_request(GaLadder ladder, uint32_t rung, GaElementType type, uint64_t n,
			 uint32_t repeats)
{
	return (GaRequest){.opcode = GA_RUNG,
					   .u.rung = {ladder, rung, type, repeats, n}};
}

/* One that takes seconds, if nobody gives it up; each run takes some ms. */
static GaRequest
long_request(void)
{
	return rung_request(GA_LADDER_SCAN, 1, GA_float8,
						UINT64_C(1) << (daemon_is_emulated() ? 22 : 26),
						GA_LADDER_REPEATS);
}

/* Bytes of the device that are taken. */
static uint64_t
used_bytes(void)
{
	GaRequest request = {.opcode = GA_DEVICES};

	return client_call(&other, &request).u.device.used_bytes;
}

/* Is it so much again, before so many ms are over? */
static bool
comes_back(uint64_t used, int ms)
{
	const double start_ms = now_ms();

	while (used_bytes() != used && now_ms() - start_ms < ms)
		sleep_ms(1);
	return used_bytes() == used;
}

/* Each has a name, and what it says of itself is consistent. */
static void
test_list(void)
{
	GaLadder ladder;

	tap_begin("the rungs of each ladder");
	start(NULL, NULL);
	for (ladder = 0; ladder < GA_N_LADDERS; ladder++)
	{
		uint32_t n_rungs = 1;
		uint32_t n_steps = 0;
		uint32_t i;

		for (i = 0; i < n_rungs; i++)
		{
			GaRequest request = rung_request(ladder, i, 0, 0, 0);
			GaReply reply = client_call(&client, &request);
			const GaRung *rung = &reply.u.rung.rung;

			n_rungs = reply.u.rung.n_rungs;
			n_steps += rung->is_step;
			tap_check(reply.status == GA_OK && rung->name[0] != '\0' &&
						  rung->title[0] != '\0' && rung->types != 0 &&
						  (rung->types & ~GA_LADDER_ALL_TYPES) == 0 &&
						  (rung->passes == 1 || rung->passes == 2),
					  "ladder %d, rung %u", ladder, i);
			tap_check((i == 0) == (strcmp(rung->name, "copy") == 0),
					  "rung %u is %s", i, rung->name);
			tap_check(i > 0 || (!rung->is_step && rung->passes == 2),
					  "the yardstick");
			request.u.rung.rung = n_rungs + i;
			reply = client_call(&client, &request);
			tap_check(reply.status == GA_OK && rung->name[0] == '\0' &&
						  reply.u.rung.n_rungs == n_rungs,
					  "behind the last one");
		}
		tap_check(n_rungs >= 3 && n_steps >= 1, "%u rungs, %u steps", n_rungs,
				  n_steps);
	}
	stop();
	tap_end();
}

/* A rung that was run, of one type. */
static void
check_run(const GaRung *rung, GaElementType type, uint64_t n,
		  const GaReply *reply)
{
	/* of n rounded additions, each of a sum that is at most n */
	const double most = type == GA_float4 ? (double) n * n * 0x1p-24 :
						type == GA_float8 ? (double) n * n * 0x1p-53 :
											0;

	tap_check(reply->status == GA_OK && reply->u.rung.ms > 0,
			  "%s of %s: %d, %g", rung->name, ga_element_name(type),
			  reply->status, reply->u.rung.ms);
	tap_check(rung->is_exact ? reply->u.rung.max_error == 0 :
							   reply->u.rung.max_error >= 0 &&
								   reply->u.rung.max_error <= most,
			  "%s of %s: error %g", rung->name, ga_element_name(type),
			  reply->u.rung.max_error);
	tap_check(reply->u.rung.same_bits || !(rung->is_exact || most == 0),
			  "%s of %s: other bits", rung->name, ga_element_name(type));
}

/* All of them, of all types and some lengths. */
static void
test_run(void)
{
	static const uint64_t lengths[] = {1, 1000, (1 << 18) - 1, 1 << 18, 300000};
	GaLadder ladder;
	uint64_t used;

	tap_begin("rungs of all types");
	start(NULL, NULL);
	used = used_bytes();
	for (ladder = 0; ladder < GA_N_LADDERS; ladder++)
	{
		GaReply reply = {.u.rung.n_rungs = 1};
		uint32_t i;

		for (i = 0; i < reply.u.rung.n_rungs; i++)
		{
			GaRequest request = rung_request(ladder, i, 0, 0, 0);
			const GaRung rung = client_call(&client, &request).u.rung.rung;
			unsigned type;
			unsigned j;

			for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
			{
				for (j = 0; (rung.types & 1u << type) && j < 5; j++)
				{
					request =
						rung_request(ladder, i, type, lengths[j], 1 + j % 3);
					reply = client_call(&client, &request);
					check_run(&rung, type, lengths[j], &reply);
				}
			}
		}
	}
	tap_check(used_bytes() == used, "memory is left");
	stop();
	tap_end();
}

/* The loop rounds, and that is seen. */
static void
test_rounds(void)
{
	GaRequest request = rung_request(GA_LADDER_SCAN, 1, GA_float4, 1 << 20, 3);

	tap_begin("an error is an error");
	start(NULL, NULL);
	tap_check(client_call(&client, &request).u.rung.max_error > 0, "none");
	stop();
	tap_end();
}

/* Who breaks a rule loses the connection, and nobody else. */
static void
test_rules(void)
{
	const uint64_t too_many = GA_LADDER_ELEMENTS + 1;
	const GaRequest wrong[] = {
		rung_request(GA_N_LADDERS, 0, GA_int4, 1, 1),
		rung_request(GA_N_LADDERS, 0, GA_int4, 1, 0),
		rung_request(UINT32_MAX, 0, GA_int4, 1, 0),
		rung_request(GA_LADDER_REDUCE, 1000, GA_int4, 1, 1),
		rung_request(GA_LADDER_REDUCE, 1, GA_int2, 1, 1),
		rung_request(GA_LADDER_REDUCE, 1, GA_N_ELEMENT_TYPES, 1, 1),
		rung_request(GA_LADDER_REDUCE, 1, UINT32_MAX, 1, 1),
		rung_request(GA_LADDER_REDUCE, 1, GA_int4, 0, 1),
		rung_request(GA_LADDER_REDUCE, 1, GA_int4, too_many, 1),
		rung_request(GA_LADDER_SCAN, 1, GA_int4, UINT64_MAX, 1),
		rung_request(GA_LADDER_SCAN, 1, GA_int4, 1, GA_LADDER_REPEATS + 1),
	};
	const size_t n = sizeof(wrong) / sizeof(wrong[0]);
	GaReply reply;
	uint64_t used;
	size_t i;

	tap_begin("requests that break a rule");
	start(NULL, NULL);
	used = used_bytes();
	for (i = 0; i <= n; i++)
	{
		client_close(&client);
		client_open(&client, &gpuaggd);
		/* the last one is right, but has no window */
		if (i < n)
			client_ask(&client, true);
		reply = client_call(
			&client,
			i < n ? &wrong[i] :
					&(GaRequest){.opcode = GA_RUNG,
								 .u.rung = {GA_LADDER_SCAN, 1, GA_int4, 1, 1}});
		tap_check(reply.status == GA_BAD_REQUEST && client_is_closed(&client),
				  "request %zu: %d", i, reply.status);
		tap_check(client_sum_one(&other, 0, (int64_t) i) == GA_OK, "others");
	}
	tap_check(used_bytes() == used, "memory is left");
	stop();
	tap_end();
}

/* More than there is: the reason says how much, and that is all. */
static void
test_no_memory(void)
{
	GaRequest request = rung_request(GA_LADDER_SCAN, 1, GA_float8, 1 << 23, 1);
	GaReply reply;
	uint64_t used;

	tap_begin("a budget that is too small");
	start("--cache-size=64", NULL);
	used = used_bytes();
	reply = client_call(&client, &request);
	tap_check(reply.status == GA_NO_MEMORY &&
				  strstr(reply.reason, " 134217728 ") != NULL &&
				  strstr(reply.reason, "gpuagg_cache_clear()") != NULL,
			  "%d: %s", reply.status, reply.reason);
	tap_check(used_bytes() == used, "memory is left");
	/* there would be room for it, but for what windows may want meanwhile */
	request = rung_request(GA_LADDER_REDUCE, 1, GA_float8, 5 << 20, 1);
	tap_check(client_call(&client, &request).status == GA_NO_MEMORY,
			  "it takes what is the windows'");
	tap_check(used_bytes() == used, "memory is left");
	request.u.rung.n = 1 << 20;
	tap_check(client_call(&client, &request).status == GA_OK, "less of it");
	tap_check(client_sum_one(&client, 0, 3) == GA_OK, "a sum");
	tap_check(used_bytes() == used, "memory is left");
	stop();
	tap_end();
}

/* Others are served while it goes on; and it is answered in its turn. */
static void
test_others(void)
{
	GaRequest request = long_request();
	GaReply reply;
	uint64_t used;
	double worst = 0;
	int i;

	tap_begin("other sessions' requests meanwhile");
	start(NULL, NULL);
	used = used_bytes();
	request.u.rung.repeats = 20;
	client_send(&client, &request);
	request = client_fill_one(&client, 2, 7);
	client_send(&client, &request);
	for (i = 0; i < 20; i++)
	{
		double start_ms = now_ms();

		tap_check(client_sum_one(&other, i % 4, i) == GA_OK, "a sum");
		worst = now_ms() - start_ms > worst ? now_ms() - start_ms : worst;
	}
	tap_check(used_bytes() > used && !client_has_reply(&client, 0),
			  "it was over before");
	tap_check(worst < 100, "one took %g ms", worst);
	tap_check(client_receive(&client, &reply) && reply.opcode == GA_RUNG &&
				  reply.status == GA_OK,
			  "the rung");
	tap_check(client_receive(&client, &reply) &&
				  client_is_one(&client, &reply, 7),
			  "what came behind it");
	tap_check(used_bytes() == used, "memory is left");
	stop();
	tap_end();
}

/* The rest of its runs is given up, and its window is free again. */
static void
test_gone(void)
{
	const GaRequest request = long_request();
	uint64_t used;
	int i;

	tap_begin("a client that goes away in the middle");
	start(NULL, NULL);
	used = used_bytes();
	for (i = 0; i < 5; i++)
	{
		client_send(&client, &request);
		sleep_ms(i * i * 10);
		client_close(&client);
		tap_check(comes_back(used, 500), "%" PRIu64 " bytes, not %" PRIu64,
				  used_bytes(), used);
		client_open(&client, &gpuaggd);
		tap_check(client_ask(&client, true) == GA_OK &&
					  client_sum_one(&client, 1, i) == GA_OK,
				  "its window");
	}
	stop();
	tap_end();
}

/* Each run may take as long as a request, but not longer. */
static void
test_steps(void)
{
	GaRequest request = long_request();
	double start_ms;

	tap_begin("many runs, together longer than a request may take");
	start("--request-timeout=200", NULL);
	request.u.rung.repeats = 30;
	start_ms = now_ms();
	tap_check(client_call(&client, &request).status == GA_OK, "the rung");
	tap_check(now_ms() - start_ms > 250, "only %g ms", now_ms() - start_ms);
	stop();
	tap_end();
}

/* It ends with the device. */
static void
check_lost(void)
{
	int status = daemon_wait(&gpuaggd, 10000);

	tap_check(WIFEXITED(status) && WEXITSTATUS(status) == 20, "exit status %x",
			  status);
	client_close(&client);
	client_close(&other);
	daemon_remove(&gpuaggd);
}

/* Launches 1 and 2 are of start(). */
static void
test_faults(void)
{
	const GaRequest request =
		rung_request(GA_LADDER_REDUCE, 2, GA_float4, 1000, 10);
	GaReply reply;
	uint64_t used;
	int i;

	tap_begin("runs that fail");
	for (i = 0; i < 3; i++)
	{
		static const char *const refused[] = {
			"--emulated-faults=refuse_launch=3",
			"--emulated-faults=refuse_launch=6",
			"--emulated-faults=fail_allocation=3"};

		start(NULL, refused[i]);
		used = used_bytes();
		reply = client_call(&client, &request);
		tap_check(reply.status == GA_NO_MEMORY, "%s: %d", refused[i],
				  reply.status);
		tap_check(used_bytes() == used, "memory is left");
		tap_check(client_call(&client, &request).status == GA_OK, "again");
		tap_check(used_bytes() == used, "memory is left");
		stop();
	}
	for (i = 0; i < 2; i++)
	{
		start(NULL, i ? "--emulated-faults=fail_launch=3" :
						"--emulated-faults=fail_launch=7");
		client_send(&client, &request);
		tap_check(client_receive(&client, &reply) &&
					  reply.status == GA_DEVICE_FAILED,
				  "status %d", reply.status);
		check_lost();
	}
	tap_end();
}

/* A run that hangs is noticed, also when nobody waits for it any more. */
static void
test_hang(void)
{
	const GaRequest request =
		rung_request(GA_LADDER_SCAN, 2, GA_int4, 1000, 10);
	int i;

	tap_begin("a run that is never finished");
	for (i = 0; i < 4; i++)
	{
		double start_ms;
		GaReply reply;

		start("--request-timeout=300", i % 2 ?
										   "--emulated-faults=hang_launch=3" :
										   "--emulated-faults=hang_launch=8");
		start_ms = now_ms();
		client_send(&client, &request);
		if (i < 2)
			tap_check(client_receive(&client, &reply) &&
						  reply.status == GA_DEVICE_FAILED &&
						  strstr(reply.reason, "no answer from the device") !=
							  NULL,
					  "%d, %s", reply.status, reply.reason);
		else
		{
			sleep_ms(20);
			client_close(&client);
			tap_check(client_sum_one(&other, 0, 1) == GA_OK, "others");
		}
		check_lost();
		tap_check(now_ms() - start_ms > 290 && now_ms() - start_ms < 1000,
				  "after %g ms", now_ms() - start_ms);
	}
	tap_end();
}

int
main(void)
{
	test_list();
	test_run();
	test_rounds();
	test_rules();
	test_no_memory();
	test_others();
	test_gone();
	if (daemon_is_emulated())
	{
		test_steps();
		test_faults();
		test_hang();
	}
	return tap_done();
}
