/*
 * test_coalesce.c
 *		Sums of resident arrays that several clients request at once: gpuaggd
 *		submits those that it receives in one turn as one.
 *
 * It is stopped while they are sent, so that it receives all of them.
 */
#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "requester.h"
#include "tap.h"

#define PAGE_BYTES (256 << 10)

static Rng rng = {1};

static void
add_random(Requester *requester, GaElementType type, uint32_t n)
{
	array_set_init(&requester->set, type);
	while (n-- > 0)
		array_set_add_random(&requester->set, &rng, rng_below(&rng, 300), 0, 0);
}

static void
test_types(void)
{
	int type;
	uint32_t i;

	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		tap_begin("%s together", ga_element_name((GaElementType) type));
		requesters_start(NULL);
		for (i = 0; i < N_REQUESTERS; i++)
			add_random(&requesters[i], (GaElementType) type, 1 + i * i % 64);
		requesters_check(5);
		requesters_stop();
		tap_end();
	}
	tap_begin("types that cannot go together");
	requesters_start(NULL);
	for (i = 0; i < N_REQUESTERS; i++)
		add_random(&requesters[i], (GaElementType) (i % 3 + 2), 1 + i);
	requesters_check(5);
	requesters_stop();
	tap_end();
}

/* More arrays than a small request has, exactly as many, and none. */
static void
test_many(void)
{
	static const uint32_t n[N_REQUESTERS] = {64, 65, 1, 3000, 64, 64, 0, 63};
	uint32_t i;

	tap_begin("few arrays and many");
	requesters_start(NULL);
	for (i = 0; i < N_REQUESTERS; i++)
		add_random(&requesters[i], GA_float8, n[i]);
	requesters_check(3);
	requesters_stop();
	tap_end();
}

/* An array whose sum needs a full record. */
static void
add_full(Requester *requester)
{
	const double x[3] = {1e300, (double) rng_below(&rng, 1000), 1e-300};

	array_set_add_doubles(&requester->set, "full", x, 3);
}

/* As many sums in full records as there may be, among others and alone. */
static void
test_full_records(void)
{
	uint32_t i, j;

	tap_begin("sums in full records");
	requesters_start(NULL);
	for (i = 0; i < N_REQUESTERS; i++)
	{
		add_random(&requesters[i], GA_float8, i);
		for (j = i; j < 64; j++)
			add_full(&requesters[i]);
	}
	requesters_check(3);
	requesters_stop();
	tap_end();
}

/*
 * Fill the memory, and give every second page back: arrays lie in parts then,
 * whose sums need full records, too.
 */
static void
test_parts(void)
{
	Requester *filler = &requesters[0];
	const uint32_t own = filler->relation;
	uint32_t n = 0;
	uint32_t i;

	tap_begin("arrays in parts");
	requesters_start("--cache-size=128");
	do
	{
		array_set_free(&filler->set);
		array_set_init(&filler->set, GA_int2);
		memset(array_set_add(&filler->set, "filler", PAGE_BYTES / 2, 0, 0), 1,
			   PAGE_BYTES);
		filler->relation = 1000 + n++;
	} while (n < 2000 && requester_load(filler));
	for (i = 1000; i < 1000 + n; i += 2)
	{
		const GaRequest clear = {.opcode = GA_CLEAR, .u.clear = {i}};

		(void) client_call(&filler->client, &clear);
	}
	tap_check(n > 100 && n < 2000, "%u arrays", n);
	array_set_free(&filler->set);
	filler->relation = own;
	for (i = 0; i < N_REQUESTERS; i++)
	{
		double *x;

		array_set_init(&requesters[i].set, GA_float8);
		add_full(&requesters[i]);
		x = array_set_add(&requesters[i].set, "parts", 3 * PAGE_BYTES / 8 - i,
						  0, 0);
		memset(x, 0, 3 * PAGE_BYTES - 8 * i);
		x[1] = 1e300;
		x[5] = 1e-300;
		x[PAGE_BYTES / 4 + 3] = i;
		x[PAGE_BYTES / 4 + 4] = 1e-200;
		x[PAGE_BYTES / 4 + 5] = 1e200;
		add_full(&requesters[i]);
	}
	requesters_check(3);
	requesters_stop();
	tap_end();
}

/*
 * Some go away while they are on the device; an array that is cleared stays
 * meanwhile.
 */
static void
test_close(int who)
{
	const GaRequest clear = {.opcode = GA_CLEAR};
	uint32_t i;
	Requester other = {.relation = 7};

	tap_begin("%s goes away", who == 0 ? "the first one" : "another one");
	requesters_start("--emulated-faults=slow_launch=200");
	requester_open(&other);
	for (i = 0; i < N_REQUESTERS; i++)
	{
		add_random(&requesters[i], GA_float8, 3);
		add_full(&requesters[i]);
		tap_check(requester_load(&requesters[i]), "no memory");
	}
	requesters_send(false);
	sleep_ms(100);
	client_close(&requesters[who].client);
	sleep_ms(20);
	tap_check(client_call(&other.client, &clear).u.cache.n_rows ==
				  4 * N_REQUESTERS,
			  "cleared");
	requester_open(&requesters[who]);
	for (i = 0; i < N_REQUESTERS; i++)
	{
		if ((int) i != who)
			requester_receive(&requesters[i]);
	}
	requesters_check(1);
	client_close(&other.client);
	requesters_stop();
	tap_end();
}

/*
 * Send one request after the other, and take the time of each reply.  The
 * first two are on the device at once; return whether the others waited for
 * the first one, and then took as long as one request.
 */
static bool
go_together(double slow_ms)
{
	double ms[N_REQUESTERS];
	double first_ms = INFINITY;
	double last_ms = 0;
	uint32_t i;

	for (i = 0; i < N_REQUESTERS; i++)
	{
		GaRequest request = requester_name(&requesters[i], false);

		client_send(&requesters[i].client, &request);
		sleep_ms(10);
	}
	for (i = 0; i < N_REQUESTERS; i++)
	{
		(void) client_has_reply(&requesters[i].client, CLIENT_WAIT_MS);
		ms[i] = now_ms();
		requester_receive(&requesters[i]);
	}
	for (i = 2; i < N_REQUESTERS; i++)
	{
		first_ms = fmin(first_ms, ms[i] - ms[0]);
		last_ms = fmax(last_ms, ms[i] - ms[0]);
	}
	tap_note("they came %.0f to %.0f ms after the first one", first_ms,
			 last_ms);
	return first_ms > slow_ms - 50 && last_ms < 2 * slow_ms;
}

/*
 * Two are on the device; those that come meanwhile go together after them.  On
 * a busy machine this program may be late, so it tries again.
 */
static void
test_primaries(void)
{
	bool is_together = false;
	uint32_t i;

	tap_begin("two at a time");
	requesters_start("--emulated-faults=slow_launch=500");
	for (i = 0; i < N_REQUESTERS; i++)
	{
		add_random(&requesters[i], GA_int8, 3);
		tap_check(requester_load(&requesters[i]), "no memory");
	}
	for (i = 0; i < 5 && !is_together; i++)
		is_together = go_together(500);
	tap_check(is_together, "others did not wait, or not together");
	requesters_stop();
	tap_end();
}

/* All fail together, and their loads are cancelled. */
static void
test_refused(void)
{
	uint32_t i;

	tap_begin("no memory for all of them");
	requesters_start("--emulated-faults=refuse_launch=1");
	for (i = 0; i < N_REQUESTERS; i++)
	{
		GaRequest request;

		add_random(&requesters[i], GA_int4, 2);
		request = requester_name(&requesters[i], true);
		request.u.stored.n_arrays = 1;
		tap_check(client_call(&requesters[i].client, &request).status == GA_OK,
				  "ask");
		requester_refs(&requesters[i])[1].state = GA_STORED_BUSY;
		(void) requester_load_missing(&requesters[i]);
	}
	requesters_send(true);
	for (i = 0; i < N_REQUESTERS; i++)
	{
		GaReply reply = {.status = -1};

		tap_check(client_receive(&requesters[i].client, &reply) &&
					  reply.status == GA_NO_MEMORY &&
					  strstr(reply.reason, "launch 1: injected") != NULL,
				  "client %u: status %d, %s", i, reply.status, reply.reason);
	}
	for (i = 0; i < N_REQUESTERS; i++)
	{
		Requester *next = &requesters[(i + 1) % N_REQUESTERS];
		const Requester own = *next;
		GaRequest request;

		/* another client can load what this one was to load */
		next->set = requesters[i].set;
		next->relation = requesters[i].relation;
		request = requester_name(next, true);
		tap_check(client_call(&next->client, &request).status == GA_OK &&
					  requester_refs(next)[0].state == GA_STORED_RESIDENT &&
					  requester_refs(next)[1].state == GA_STORED_LOAD,
				  "client %u: states "
				  "%u, %u",
				  i, requester_refs(next)[0].state,
				  requester_refs(next)[1].state);
		(void) requester_load_missing(next);
		next->set = own.set;
		next->relation = own.relation;
	}
	requesters_check(1);
	requesters_stop();
	tap_end();
}

static void
test_failed(void)
{
	uint32_t i;
	int status;

	tap_begin("the device fails");
	requesters_start("--emulated-faults=fail_launch=1");
	for (i = 0; i < N_REQUESTERS; i++)
	{
		add_random(&requesters[i], GA_float4, 2);
		tap_check(requester_load(&requesters[i]), "no memory");
	}
	requesters_send(false);
	for (i = 0; i < N_REQUESTERS; i++)
	{
		GaReply reply = {.status = -1};

		tap_check(client_receive(&requesters[i].client, &reply) &&
					  reply.status == GA_DEVICE_FAILED,
				  "client %u: status %d", i, reply.status);
		tap_check(client_is_closed(&requesters[i].client), "it is open");
	}
	status = daemon_wait(&gpuaggd, 10000);
	tap_check(WIFEXITED(status) && WEXITSTATUS(status) == 20, "status %x",
			  status);
	requesters_close();
	daemon_remove(&gpuaggd);
	tap_end();
}

int
main(void)
{
	test_types();
	test_many();
	test_full_records();
	if (daemon_is_emulated())
	{
		test_parts();
		test_close(0);
		test_close(3);
		test_primaries();
		test_refused();
		test_failed();
	}
	return tap_done();
}
