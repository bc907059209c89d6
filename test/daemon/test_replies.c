/*
 * test_replies.c
 *		How a reply is delivered: in its slot, while the client polls there,
 *		or by the socket; never both.
 */
#include <string.h>

#include "client.h"
#include "random_floats.h"
#include "tap.h"

static Daemon gpuaggd;
static Client client;

static void
start(const char *faults)
{
	daemon_start(&gpuaggd, "--staging-size=16", faults, NULL);
	client_open(&client, &gpuaggd);
	tap_check(client_lease(&client, false) == GA_OK, "no lease");
}

static void
stop(void)
{
	client_close(&client);
	daemon_stop(&gpuaggd);
}

static GaSlotReply *
slot_reply(uint32_t slot)
{
	return &client_slot(&client, slot)->reply;
}

/* Send a sum whose reply is awaited in its slot. */
static void
send_awaited(uint32_t slot, int64_t x)
{
	GaRequest request = client_fill_one(&client, slot, x);

	slot_reply(slot)->state = GA_REPLY_AWAITED;
	client_send(&client, &request);
}

/* Wait until a slot has its reply. */
static bool
comes_here(uint32_t slot)
{
	int ms;

	for (ms = 0; ms < CLIENT_WAIT_MS; ms++)
	{
		if (ga_reply_state(slot_reply(slot)) == GA_REPLY_HERE)
			return true;
		sleep_ms(1);
	}
	return false;
}

/* All slots at once, each in a way of its own. */
static void
test_ways(void)
{
	GaReply reply;
	uint32_t i;

	tap_begin("in the slot, and by the socket");
	start(NULL);
	for (i = 0; i < GA_LEASE_SLOTS; i++)
	{
		send_awaited(i, 100 + i);
		tap_check(comes_here(i) &&
					  client_is_one(&client, &slot_reply(i)->reply, 100 + i) &&
					  slot_reply(i)->reply.slot == i,
				  "slot %u", i);
		tap_check(!client_has_reply(&client, 0), "by the socket, too");
	}
	for (i = 0; i < GA_LEASE_SLOTS; i++)
	{
		GaRequest request = client_fill_one(&client, i, 200 + i);

		slot_reply(i)->state = i % 2 ? GA_REPLY_AWAITED : GA_REPLY_BY_SOCKET;
		client_send(&client, &request);
	}
	for (i = 0; i < GA_LEASE_SLOTS; i++)
	{
		tap_check(i % 2 ? comes_here(i) : client_receive(&client, &reply),
				  "slot %u: no reply", i);
		tap_check(client_is_one(&client, i % 2 ? &slot_reply(i)->reply : &reply,
								200 + i),
				  "slot %u", i);
		tap_check(i % 2 || ga_reply_state(slot_reply(i)) == GA_REPLY_BY_SOCKET,
				  "slot %u: in both ways", i);
	}
	tap_check(!client_has_reply(&client, 10), "a reply too many");
	stop();
	tap_end();
}

/* One that gives up looking while the reply comes. */
static void
test_race(void)
{
	Rng rng = {1};
	int n_here = 0;
	int n_sent = 0;
	int64_t i;

	tap_begin("to go to sleep while it comes");
	start(NULL);
	/* both ways have to come about, however busy the machine is */
	for (i = 0; i < 20000 || (i < 400000 && (n_here == 0 || n_sent == 0)); i++)
	{
		const uint32_t slot = (uint32_t) (i % GA_LEASE_SLOTS);
		/* where gpuaggd never runs at the same time, until it has its turn */
		const bool is_patient = i >= 20000 && n_here == 0;
		uint64_t looks = rng_below(&rng, is_patient ? 50000000 : 20000);
		GaReply reply;

		send_awaited(slot, i);
		while (looks-- > 0 &&
			   ga_reply_state(slot_reply(slot)) == GA_REPLY_AWAITED)
			;
		if (ga_reply_change(slot_reply(slot), GA_REPLY_AWAITED,
							GA_REPLY_BY_SOCKET))
		{
			tap_check(client_receive(&client, &reply), "no reply");
			n_sent++;
		}
		else
		{
			tap_check(ga_reply_state(slot_reply(slot)) == GA_REPLY_HERE,
					  "state %u", ga_reply_state(slot_reply(slot)));
			reply = slot_reply(slot)->reply;
			n_here++;
		}
		if (!client_is_one(&client, &reply, i))
		{
			tap_check(false, "request %lld: a wrong reply", (long long) i);
			break;
		}
	}
	tap_check(!client_has_reply(&client, 10), "a reply too many");
	tap_check(n_here > 0 && n_sent > 0, "%d in the slot, %d by the socket",
			  n_here, n_sent);
	stop();
	tap_end();
}

/* A request that is refused, and one that fails later. */
static void
test_failures(void)
{
	GaRequest request;

	tap_begin("reasons");
	start("--emulated-faults=refuse_launch=1");
	send_awaited(0, 1);
	tap_check(comes_here(0) && slot_reply(0)->reply.status == GA_NO_MEMORY &&
				  strstr(slot_reply(0)->reply.reason, "launch 1: injected") !=
					  NULL,
			  "status %d, %s", slot_reply(0)->reply.status,
			  slot_reply(0)->reply.reason);
	request =
		(GaRequest){.opcode = GA_LOAD, .slot = 1, .u.load = {GA_float8, 0, 0}};
	slot_reply(1)->state = GA_REPLY_AWAITED;
	client_send(&client, &request);
	tap_check(comes_here(1) && slot_reply(1)->reply.status == GA_OK &&
				  slot_reply(1)->reply.opcode == GA_LOAD,
			  "an answer at once: %d", slot_reply(1)->reply.status);
	stop();
	tap_end();
}

/* A broken rule is reported by the socket, which is closed then. */
static void
test_reject(void)
{
	GaRequest request;
	GaReply reply;

	tap_begin("the end of a connection");
	start(NULL);
	request = client_fill_one(&client, 0, 1);
	request.u.sum.type = GA_N_ELEMENT_TYPES;
	slot_reply(0)->state = GA_REPLY_AWAITED;
	client_send(&client, &request);
	tap_check(client_receive(&client, &reply) && reply.status == GA_BAD_REQUEST,
			  "no reason");
	tap_check(client_is_closed(&client), "it is open");
	stop();
	tap_end();
}

/* A new lease has no slot in which a reply is awaited. */
static void
test_next(void)
{
	uint32_t i;

	tap_begin("a lease that another one had");
	daemon_start(&gpuaggd, "--staging-size=8", NULL);
	client_open(&client, &gpuaggd);
	tap_check(client_lease(&client, false) == GA_OK, "no lease");
	for (i = 0; i < GA_LEASE_SLOTS; i++)
		slot_reply(i)->state = i % 2 ? GA_REPLY_AWAITED : GA_REPLY_HERE;
	client_close(&client);
	client_open(&client, &gpuaggd);
	tap_check(client_lease(&client, true) == GA_OK, "no lease");
	for (i = 0; i < GA_LEASE_SLOTS; i++)
		tap_check(client_sum_one(&client, i, 7) == GA_OK, "slot %u", i);
	stop();
	tap_end();
}

int
main(void)
{
	test_ways();
	test_race();
	test_next();
	test_reject();
	if (daemon_is_emulated())
		test_failures();
	return tap_done();
}
