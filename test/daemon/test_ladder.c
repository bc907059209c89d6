/*
 * test_ladder.c
 *		Ladders through gpuaggd: their rows, what is refused, and those of
 *		several sessions.
 */
#include "ladder_table.h"
#include "tap.h"

/* All types and some lengths; only one where each starts a CUDA context. */
static void
test_rows(void)
{
	static const uint64_t lengths[] = {300000, 1, 1000, (1 << 20) - 1,
									   (1 << 20) + 1};
	GaLadder ladder;

	tap_begin("ladders of all types");
	ladder_start(NULL, NULL);
	for (ladder = 0; ladder < GA_N_LADDERS; ladder++)
	{
		unsigned type;
		int i;

		for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		{
			if ((GA_LADDER_ALL_TYPES >> type & 1) == 0)
				continue;
			for (i = 0; i < (daemon_is_emulated() ? 5 : 1); i++)
			{
				LadderTable table = ladder_call(
					ladder_request(ladder, type, lengths[i], 1 + i % 3));

				ladder_check(&table, ladder, type, lengths[i]);
			}
		}
	}
	tap_check(ladder_has_programs(0, 10000), "a program is left");
	ladder_stop();
	tap_end();
}

/* The serial loop rounds, and that is seen. */
static void
test_rounds(void)
{
	LadderTable table;

	tap_begin("an error is an error");
	ladder_start(NULL, NULL);
	table = ladder_call(ladder_request(GA_LADDER_SCAN, GA_float4, 1 << 20, 3));
	tap_check(table.rows[0].max_error > 0, "none");
	ladder_stop();
	tap_end();
}

/* A client that breaks a rule loses the connection, and no other one does. */
static void
test_rules(void)
{
	const uint64_t too_many = GA_LADDER_ELEMENTS + 1;
	const GaRequest wrong[] = {
		ladder_request(GA_N_LADDERS, GA_int4, 1, 1),
		ladder_request(UINT32_MAX, GA_int4, 1, 1),
		ladder_request(GA_LADDER_REDUCE, GA_int2, 1, 1),
		ladder_request(GA_LADDER_REDUCE, GA_N_ELEMENT_TYPES, 1, 1),
		ladder_request(GA_LADDER_REDUCE, UINT32_MAX, 1, 1),
		ladder_request(GA_LADDER_REDUCE, GA_int4, 0, 1),
		ladder_request(GA_LADDER_REDUCE, GA_int4, too_many, 1),
		ladder_request(GA_LADDER_SCAN, GA_int4, UINT64_MAX, 1),
		ladder_request(GA_LADDER_SCAN, GA_int4, 1, 0),
		ladder_request(GA_LADDER_SCAN, GA_int4, 1, GA_LADDER_REPEATS + 1),
	};
	size_t i;

	tap_begin("requests that break a rule");
	ladder_start(NULL, NULL);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
	{
		GaReply reply = client_call(&ladder_client, &wrong[i]);

		tap_check(reply.status == GA_BAD_REQUEST &&
					  client_is_closed(&ladder_client),
				  "request %zu: %d", i, reply.status);
		tap_check(client_sum_one(&ladder_other, 0, (int64_t) i) == GA_OK,
				  "others");
		client_close(&ladder_client);
		client_open(&ladder_client, &ladder_gpuaggd);
	}
	tap_check(ladder_n_programs() == 0, "one was started");
	ladder_stop();
	tap_end();
}

/*
 * Other sessions are served while it runs, and a request behind it is answered
 * in its turn.
 */
static void
test_others(void)
{
	GaRequest request = ladder_long_request();
	LadderTable table;
	GaReply reply;
	double worst = 0;
	int i;

	tap_begin("other sessions' requests meanwhile");
	ladder_start(NULL, NULL);
	request.u.ladder.repeats = 5;
	client_lease(&ladder_client, false);
	client_send(&ladder_client, &request);
	request = client_fill_one(&ladder_client, 2, 7);
	client_send(&ladder_client, &request);
	tap_check(ladder_has_programs(1, 10000), "no program");
	for (i = 0; i < 20; i++)
	{
		double ms = -daemon_now_ms(&ladder_gpuaggd);

		tap_check(client_sum_one(&ladder_other, i % 4, i) == GA_OK, "a sum");
		ms += daemon_now_ms(&ladder_gpuaggd);
		worst = ms > worst ? ms : worst;
	}
	tap_check(ladder_n_programs() == 1, "it was over before");
	tap_check(worst < 100, "one took %g ms", worst);
	table = ladder_receive(&ladder_client);
	tap_check(table.end.status == GA_OK, "the ladder: %s", table.end.reason);
	tap_check(client_receive(&ladder_client, &reply) &&
				  client_is_one(&ladder_client, &reply, 7),
			  "the request behind it");
	ladder_stop();
	tap_end();
}

/* There is one program at a time, and each session gets its own rows. */
static void
test_two(void)
{
	GaRequest request = ladder_long_request();
	Client third;
	LadderTable table;

	tap_begin("ladders of several sessions");
	ladder_start(NULL, NULL);
	request.u.ladder.repeats = 1;
	client_send(&ladder_client, &request);
	request = ladder_request(GA_LADDER_REDUCE, GA_int4, 1000, 1);
	client_send(&ladder_other, &request);
	client_open(&third, &ladder_gpuaggd);
	client_send(&third, &request);
	tap_check(ladder_has_programs(1, 10000), "no program");
	sleep_ms(20);
	tap_check(ladder_n_programs() == 1, "%d programs", ladder_n_programs());
	client_check_waits(&third);
	client_close(&third); /* while it waits */
	table = ladder_receive(&ladder_client);
	tap_check(table.end.status == GA_OK && table.rows[0].rung.passes == 2,
			  "the first one's");
	table = ladder_receive(&ladder_other);
	ladder_check(&table, GA_LADDER_REDUCE, GA_int4, 1000);
	tap_check(ladder_has_programs(0, 10000), "a program is left");
	ladder_stop();
	tap_end();
}

int
main(void)
{
	test_rows();
	test_rounds();
	test_rules();
	test_others();
	test_two();
	return tap_done();
}
