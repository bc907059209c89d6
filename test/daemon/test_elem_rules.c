/*
 * test_elem_rules.c
 *		Requests for sums by position that break a rule end their session;
 *		other clients are not disturbed.
 */
#include "stored_elem.h"
#include "tap.h"

#define N_ELEMENTS 1000

static Daemon gpuaggd;
static Client witness;
static ArraySet set;
static StoredArray array;

/* The client receives this reason, and no more; the other one goes on. */
static void
check_turned_away(Client *client, const char *reason)
{
	ElemResults results = {0, 0};
	GaRequest request;

	client_check_turned_away(client, GA_BAD_REQUEST, reason);
	request = elem_name(&witness, 0, &array, 1, 0, N_ELEMENTS);
	elem_request(&witness, &request, &array, 100, &results);
}

/* One request of a new session. */
static void
check_request(const GaRequest *request, const char *reason)
{
	Client client;

	stored_open(&client, &gpuaggd, STORED_DATABASE);
	client_send(&client, request);
	check_turned_away(&client, reason);
}

/* A request for one array. */
static GaRequest
good_request(void)
{
	return (GaRequest){.opcode = GA_ELEM,
					   .u.elem = {.type = GA_int8,
								  .n_arrays = 1,
								  .n_all = N_ELEMENTS,
								  .n = 1,
								  .lookup = stored_lookup_next()}};
}

static void
test_place(void)
{
	const GaRequest good = good_request();
	GaRequest bad = good;
	Client client;

	tap_begin("slots and devices that cannot be");
	bad.slot = GA_SLOTS;
	check_request(&bad, "slot");
	bad.slot = CLIENT_LOOKUP;
	check_request(&bad, "slot");
	bad = good;
	bad.device = 1;
	check_request(&bad, "device");
	client_open(&client, &gpuaggd);
	client_send(&client, &good);
	check_turned_away(&client, "no lease of the slot");
	tap_end();
}

static void
test_what(void)
{
	const GaRequest good = good_request();
	GaRequest bad = good;

	tap_begin("types, forms and numbers of arrays that cannot be");
	bad.u.elem.type = GA_N_ELEMENT_TYPES;
	check_request(&bad, "type");
	bad.u.elem.type = UINT32_MAX;
	check_request(&bad, "type");
	bad = good;
	bad.u.elem.form = GA_FORM_SUM;
	check_request(&bad, "form");
	bad.u.elem.type = GA_int4;
	bad.u.elem.form = GA_FORM_MEAN;
	check_request(&bad, "form");
	bad.u.elem.form = GA_N_ELEM_FORMS;
	check_request(&bad, "form");
	bad.u.elem.form = UINT32_MAX;
	check_request(&bad, "form");
	bad = good;
	bad.u.elem.n_arrays = 0;
	check_request(&bad, "arrays");
	bad.u.elem.n_arrays = GA_SLOT_ARRAYS + 1;
	check_request(&bad, "arrays");
	bad.u.elem.n_arrays = UINT32_MAX;
	check_request(&bad, "arrays");
	tap_end();
}

/* The next request begins with a packed vector, where this one has the most. */
static void
test_most_positions(void)
{
	int form;

	tap_begin("the most positions are whole vectors");
	for (form = GA_FORM_RECORD; form < GA_N_ELEM_FORMS; form++)
		tap_check(ga_slot_positions((GaElemForm) form) % GA_PACKED_VECTOR == 0,
				  "form %d: %u positions", form,
				  (unsigned) ga_slot_positions((GaElemForm) form));
	tap_end();
}

static void
test_positions(void)
{
	static const uint32_t beyond[][2] = {{0, N_ELEMENTS + 1},
										 {N_ELEMENTS, 1},
										 {N_ELEMENTS + 1, 1},
										 {1, N_ELEMENTS},
										 {UINT32_MAX, 1}};
	const GaRequest good = good_request();
	GaRequest bad = good;
	size_t i;

	tap_begin("positions that cannot be");
	bad.u.elem.n = 0;
	check_request(&bad, "positions");
	bad.u.elem.n_all = UINT32_MAX;
	bad.u.elem.n = elem_most() + 1;
	check_request(&bad, "positions");
	bad.u.elem.n = UINT32_MAX;
	check_request(&bad, "positions");
	bad.u.elem.type = GA_float4;
	bad.u.elem.form = GA_FORM_MEAN;
	bad.u.elem.n = ga_slot_positions(GA_FORM_MEAN) + 1;
	check_request(&bad, "positions");
	bad = good;
	for (i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++)
	{
		bad.u.elem.from = beyond[i][0];
		bad.u.elem.n = beyond[i][1];
		check_request(&bad, "beyond the elements");
	}
	tap_end();
}

/* What a client writes while its request is under way harms it alone. */
static void
test_garbage(Rng *rng)
{
	Client client;
	int i;

	tap_begin("garbage in the place of arrays");
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	for (i = 0; i < 100; i++)
	{
		GaRequest request = elem_name(&client, 0, &array, 1, 0, N_ELEMENTS);
		uint64_t *words = (uint64_t *) client_slot(&client, 0)->refs;
		GaReply reply;
		int k;

		request.u.elem.n_arrays = GA_SLOT_ARRAYS;
		for (k = 0; k < 10000; k++)
			words[k] = rng_next(rng);
		reply = client_call(&client, &request);
		tap_check(reply.status == GA_OK && reply.u.elem.has_results == 0,
				  "status %d, %s", reply.status, reply.reason);
	}
	client_close(&client);
	tap_end();
}

int
main(void)
{
	const GaStoredLookup lookup = stored_lookup_next();
	Rng rng = {77};

	elem_fill(&set, &rng, GA_int8, 1, N_ELEMENTS);
	array = stored_make(&set, 0, STORED_FIRST);
	daemon_start(&gpuaggd, "--staging-size=24", "--cache-size=40", NULL);
	stored_open(&witness, &gpuaggd, STORED_DATABASE);
	(void) stored_make_resident(&witness, &array, 1, &lookup);
	test_place();
	test_what();
	test_most_positions();
	test_positions();
	test_garbage(&rng);
	client_close(&witness);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	array_set_free(&set);
	return tap_done();
}
