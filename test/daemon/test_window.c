/*
 * test_window.c
 *		GA_WINDOW: values of windows over a resident array, wherever its pages
 *		are; and requests that cannot be.
 */
#include <stdlib.h>
#include <string.h>

#include "stored_window.h"
#include "tap.h"

static Daemon gpuaggd;
static Client client;
static uint32_t next_id = STORED_FIRST;

/* Take an answer. */
static void
check_reply(const GaRequest *request, const StoredArray *array)
{
	GaReply reply;

	tap_check(client_receive(&client, &reply), "no reply");
	tap_check(reply.status == GA_OK && reply.opcode == GA_WINDOW &&
				  reply.slot == request->slot &&
				  reply.u.window.state == GA_STORED_RESIDENT,
			  "status %d, %s, state %u", reply.status, reply.reason,
			  reply.u.window.state);
	if (reply.status == GA_OK)
		stored_check_values(&client, request, array, request->u.window.n);
}

/* Random windows over a part of an array. */
static GaRequest
random_request(Rng *rng, const StoredArray *array, uint32_t slot)
{
	const uint32_t n = (uint32_t) array->set->arrays[array->i].n;
	const uint32_t from = rng_chance(rng, 2) ? 0 : (uint32_t) rng_below(rng, n);
	const uint32_t size =
		1 + (uint32_t) rng_below(rng, rng_chance(rng, 3) ? 5000 : 50);
	GaWindows windows = {.n = 1 + (uint32_t) rng_below(rng, n - from),
						 .step = size,
						 .size = size};
	uint32_t form = 1 + (uint32_t) rng_below(rng, GA_N_ALL_FORMS - 1);
	GaRequest request;

	if (rng_chance(rng, 2))
		windows = (GaWindows){windows.n, 1, size % 200, size % 200 + 1};
	/* differences of integers may be out of range */
	if (!ga_window_has_form(array->set->type, form) ||
		(form == GA_FORM_DELTA && !ga_element_is_float(array->set->type)))
		form = GA_FORM_MAX;
	if (form == GA_FORM_DELTA)
		windows = (GaWindows){windows.n, 1, 0, 2};
	else if (form == GA_FORM_MAX && rng_chance(rng, 2))
		windows = (GaWindows){windows.n, 1, windows.n - 1, windows.n};
	request = stored_windows(array, slot, (GaElemForm) form, windows, from);
	request.u.window.first =
		rng_chance(rng, 2) ? 0 : (uint32_t) rng_below(rng, request.u.window.n);
	request.u.window.n -= request.u.window.first;
	if (request.u.window.n > 5000)
		request.u.window.n = 5000;
	return request;
}

/* All slots are under way together. */
static void
check_array(Rng *rng, const StoredArray *array)
{
	GaRequest requests[GA_LEASE_SLOTS];
	int round;
	uint32_t i;

	for (round = 0; round < 6; round++)
	{
		for (i = 0; i < GA_LEASE_SLOTS; i++)
		{
			requests[i] = random_request(rng, array, i);
			stored_send_windows(&client, &requests[i]);
		}
		for (i = 0; i < GA_LEASE_SLOTS; i++)
			check_reply(&requests[i], array);
	}
}

static StoredArray
make_resident(const ArraySet *set)
{
	const StoredArray array = stored_make(set, 0, next_id++);
	const GaStoredLookup lookup = stored_lookup_next();

	tap_check(stored_make_resident(&client, &array, 1, &lookup) == 1,
			  "not resident");
	return array;
}

static void
test_type(Rng *rng, GaElementType type)
{
	static const uint32_t n_bytes[] = {8, 4096, 300000, 2000000};
	ArraySet set;
	StoredArray array;
	size_t i;

	tap_begin("%s: windows of arrays of all sizes", ga_element_name(type));
	array_set_init(&set, type);
	(void) stored_fragment(&client);
	for (i = 0; i < sizeof(n_bytes) / sizeof(n_bytes[0]); i++)
	{
		const size_t n = n_bytes[i] / ga_element_size(type);

		array_set_clear(&set);
		elements_fill_fast(type, rng, n, array_set_add(&set, "plain", n, 0, 0));
		array = make_resident(&set);
		check_array(rng, &array);
	}
	stored_check_empty(&client);
	array_set_free(&set);
	tap_end();
}

/* An array that is not resident has no values, and hits are counted once. */
static void
test_states(Rng *rng)
{
	const GaWindows windows = {1000, 10, 0, 10};
	ArraySet set;
	StoredArray array;
	GaRequest request;
	GaReply reply;

	tap_begin("an array that is not resident, and hits");
	array_set_init(&set, GA_float8);
	elements_fill_fast(GA_float8, rng, 1000,
					   array_set_add(&set, "plain", 1000, 0, 0));
	array = stored_make(&set, 0, next_id++);
	request = stored_windows(&array, 0, GA_FORM_SUM, windows, 0);
	stored_send_windows(&client, &request);
	tap_check(client_receive(&client, &reply) && reply.status == GA_OK &&
				  reply.u.window.state != GA_STORED_RESIDENT,
			  "status %d, state %u", reply.status, reply.u.window.state);
	tap_check(*(unsigned char *) client_data(&client, 0) == STORED_UNTOUCHED,
			  "there are values");
	array = make_resident(&set);
	(void) stored_stat(&client, true);
	request = stored_windows(&array, 0, GA_FORM_SUM, windows, 0);
	stored_send_windows(&client, &request);
	check_reply(&request, &array);
	request.u.window.first = request.u.window.n = 50;
	stored_send_windows(&client, &request);
	check_reply(&request, &array);
	tap_check(stored_stat(&client, true).n_hits == 1, "other hits");
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

/* A request that breaks a rule ends its session, and no other one. */
static void
reject(const GaRequest *request, const char *reason)
{
	Client bad;
	GaReply reply;

	stored_open(&bad, &gpuaggd, STORED_DATABASE);
	client_send(&bad, request);
	tap_check(client_receive(&bad, &reply) && reply.status == GA_BAD_REQUEST &&
				  strstr(reply.reason, reason) != NULL,
			  "status %d, %s; must be: %s", reply.status, reply.reason, reason);
	client_close(&bad);
}

static void
test_rules(Rng *rng)
{
	const GaWindows windows = {1000, 10, 0, 10};
	ArraySet set;
	StoredArray array;
	GaRequest good, bad;

	tap_begin("requests that break the rules");
	array_set_init(&set, GA_int4);
	elements_fill_fast(GA_int4, rng, 1000,
					   array_set_add(&set, "plain", 1000, 0, 0));
	array = make_resident(&set);
	good = stored_windows(&array, 0, GA_FORM_SUM, windows, 0);
	bad = good;
	bad.u.window.type = GA_N_ELEMENT_TYPES;
	reject(&bad, "type");
	bad = good;
	bad.u.window.form = GA_FORM_RECORD;
	reject(&bad, "form");
	bad.u.window.form = GA_FORM_MEAN;
	reject(&bad, "form");
	bad.u.window.form = UINT32_MAX;
	reject(&bad, "form");
	bad = good;
	bad.u.window.windows.step = 0;
	reject(&bad, "step");
	bad = good;
	bad.u.window.windows.size = GA_WINDOW_MOST + 1;
	reject(&bad, "elements in a window");
	bad = good;
	bad.u.window.windows.before = 10;
	reject(&bad, "before");
	bad = good;
	bad.u.window.n = 0;
	reject(&bad, "windows");
	bad.u.window.n = UINT32_MAX;
	reject(&bad, "windows");
	bad.u.window.n = 101;
	reject(&bad, "beyond the windows");
	bad.u.window.n = 1;
	bad.u.window.first = UINT32_MAX;
	reject(&bad, "beyond the windows");
	bad = good;
	bad.u.window.windows = (GaWindows){1 << 20, 1, 0, GA_WINDOW_MOST};
	bad.u.window.n = 1 + GA_WINDOW_MOST_WORK / GA_WINDOW_MOST;
	reject(&bad, "in all windows");
	/* sums that run are made each for itself */
	bad.u.window.windows =
		(GaWindows){1 << 20, 1, GA_WINDOW_MOST - 1, GA_WINDOW_MOST};
	reject(&bad, "in all windows");
	bad = good;
	bad.u.window.form = GA_FORM_DELTA;
	reject(&bad, "neighbors");
	bad = good;
	bad.u.window.from = 1;
	reject(&bad, "beyond the array");
	bad.u.window.from = UINT32_MAX;
	reject(&bad, "beyond the array");
	bad = good;
	bad.slot = GA_LEASE_SLOTS;
	reject(&bad, "slot");
	stored_send_windows(&client, &good);
	check_reply(&good, &array);
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

int
main(void)
{
	Rng rng = {81};
	int type;

	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=88", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		test_type(&rng, (GaElementType) type);
	test_states(&rng);
	test_rules(&rng);
	client_close(&client);
	daemon_stop(&gpuaggd);
	return tap_done();
}
