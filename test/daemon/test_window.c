/*
 * test_window.c
 *		GA_WINDOW: values of windows over a resident array, wherever its pages
 *		are; and requests that cannot be.
 */
#include <stdlib.h>
#include <string.h>

#include "form_value.h"
#include "stored.h"
#include "tap.h"

/* What no value has in each of its bytes. */
#define UNTOUCHED 0xa5

static Daemon gpuaggd;
static Client client;
static uint32_t next_id = STORED_FIRST;

/* A request for all windows over a part of an array. */
static GaRequest
window_request(const StoredArray *array, uint32_t slot, GaElemForm form,
			   GaWindows windows, uint32_t from)
{
	GaRequest request = {.opcode = GA_WINDOW,
						 .slot = slot,
						 .u.window = {.type = array->set->type,
									  .form = form,
									  .windows = windows,
									  .from = from,
									  .n = ga_windows_count(&windows),
									  .lookup = stored_lookup_next()}};

	request.u.window.stored.key = array->key;
	request.u.window.lookup.loads = 0;
	return request;
}

/* Compare the values of a request about an array, one in some of them. */
static void
check_array_values(const GaRequest *request, const StoredArray *array,
				   const uint64_t *values)
{
	const GaElemForm form = (GaElemForm) request->u.window.form;
	const GaWindows windows = request->u.window.windows;
	const uint32_t n = request->u.window.n;
	const size_t size = ga_element_size(array->set->type);
	const char *elements =
		(const char *) array_set_elements(array->set, array->i) +
		request->u.window.from * size;
	const uint32_t step = 1 + n / 500;
	uint32_t i;

	for (i = 0; i < n; i += step)
	{
		const uint32_t from =
			ga_window_from(&windows, request->u.window.first + i);
		const uint32_t end =
			ga_window_end(&windows, request->u.window.first + i);
		uint64_t bits;

		tap_check(form_value(array->set->type, form, elements + from * size,
							 end - from, &bits) &&
					  values[i] == bits,
				  "form %d, window %u of %u: %llx, must be %llx", form, i, n,
				  (unsigned long long) values[i], (unsigned long long) bits);
	}
}

/* Compare the values in a slot, n in all; all windows have one. */
static void
check_values(const GaRequest *request, const StoredArray *array, uint32_t n)
{
	const uint64_t *values =
		(const uint64_t *) client_data(&client, request->slot);

	check_array_values(request, array, values);
	tap_check(values[n] == 0, "%llu have no value",
			  (unsigned long long) values[n]);
	tap_check(*(const unsigned char *) (values + n + 1) == UNTOUCHED,
			  "more than %u values", n);
}

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
		check_values(request, array, request->u.window.n);
}

static void
send_request(const GaRequest *request)
{
	memset(client_data(&client, request->slot), UNTOUCHED,
		   request->u.window.n_ahead > 0 ?
			   GA_SLOT_DATA_BYTES :
			   (request->u.window.n + 2) * sizeof(uint64_t));
	client_send(&client, request);
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
	request = window_request(array, slot, (GaElemForm) form, windows, from);
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
			send_request(&requests[i]);
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
	request = window_request(&array, 0, GA_FORM_SUM, windows, 0);
	send_request(&request);
	tap_check(client_receive(&client, &reply) && reply.status == GA_OK &&
				  reply.u.window.state != GA_STORED_RESIDENT,
			  "status %d, state %u", reply.status, reply.u.window.state);
	tap_check(*(unsigned char *) client_data(&client, 0) == UNTOUCHED,
			  "there are values");
	array = make_resident(&set);
	(void) stored_stat(&client, true);
	request = window_request(&array, 0, GA_FORM_SUM, windows, 0);
	send_request(&request);
	check_reply(&request, &array);
	request.u.window.first = request.u.window.n = 50;
	send_request(&request);
	check_reply(&request, &array);
	tap_check(stored_stat(&client, true).n_hits == 1, "other hits");
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

/* The buckets of an array, and of others behind it. */
static GaRequest
ahead_request(const StoredArray *array, GaElemForm form, uint32_t width,
			  uint32_t n_ahead)
{
	const GaWindows windows = {(uint32_t) array->set->arrays[array->i].n, width,
							   0, width};
	GaRequest request = window_request(array, 1, form, windows, 0);

	request.u.window.n_ahead = n_ahead;
	return request;
}

/* The buckets of one of the arrays behind a request's own. */
static uint32_t
check_named(const GaRequest *request, const StoredArray *array,
			const GaStoredRef *ref, const uint64_t *values)
{
	const GaRequest of_array =
		ahead_request(array, (GaElemForm) request->u.window.form,
					  request->u.window.windows.step, 0);

	tap_check(memcmp(&ref->key, &array->key, sizeof(array->key)) == 0 &&
				  ref->n == of_array.u.window.windows.n &&
				  ref->state == GA_STORED_RESIDENT,
			  "array %u of %u elements, must be %u of %u", ref->key.value_id,
			  ref->n, array->key.value_id, of_array.u.window.windows.n);
	check_array_values(&of_array, array, values);
	return of_array.u.window.n;
}

/* Send a request: these arrays follow its own. */
static void
check_ahead(const GaRequest *request, const StoredArray *array,
			const StoredArray *const *behind, uint32_t n_behind)
{
	uint32_t n = request->u.window.n;
	GaReply reply;
	uint32_t i;

	send_request(request);
	tap_check(client_receive(&client, &reply) && reply.status == GA_OK &&
				  reply.u.window.state == GA_STORED_RESIDENT,
			  "status %d, %s, state %u", reply.status, reply.reason,
			  reply.u.window.state);
	tap_check(reply.u.window.n_ahead == n_behind,
			  "%u arrays follow, must be %u", reply.u.window.n_ahead, n_behind);
	for (i = 0; i < reply.u.window.n_ahead && i < n_behind; i++)
		n += check_named(
			request, behind[i], &client_slot(&client, request->slot)->refs[i],
			(const uint64_t *) client_data(&client, request->slot) + n);
	tap_check(n == request->u.window.n + reply.u.window.n_more,
			  "%u windows more", reply.u.window.n_more);
	check_values(request, array, n);
}

/* Arrays of some lengths, that are loaded in this order. */
#define N_AHEAD 8
static const uint32_t lengths[N_AHEAD] = {1000, 2000,  500,	  1050,
										  300,	70000, 70000, 70000};

/* What may not follow a request's own array, or be followed. */
static void
check_not_ahead(const StoredArray *arrays, const StoredArray *const *behind)
{
	GaRequest request = ahead_request(&arrays[0], GA_FORM_MAX, 100, 0);

	check_ahead(&request, &arrays[0], NULL, 0);
	request = ahead_request(&arrays[3], GA_FORM_MAX, 100, 8);
	check_ahead(&request, &arrays[3], NULL, 0);
	request = ahead_request(&arrays[0], GA_FORM_MAX, 100, 8);
	request.u.window.from = 100;
	request.u.window.windows.n = 900;
	request.u.window.n = 9;
	check_ahead(&request, &arrays[0], NULL, 0);
	request = ahead_request(&arrays[0], GA_FORM_MAX, 100, 8);
	request.u.window.windows.n = 900;
	request.u.window.n = 9;
	check_ahead(&request, &arrays[0], NULL, 0);
	request = ahead_request(&arrays[0], GA_FORM_MAX, 100, 8);
	request.u.window.n = 9;
	check_ahead(&request, &arrays[0], NULL, 0);
	request = ahead_request(&arrays[0], GA_FORM_MAX, 100, 8);
	request.u.window.first = 1;
	request.u.window.n = 9;
	check_ahead(&request, &arrays[0], NULL, 0);
	request = ahead_request(&arrays[0], GA_FORM_MAX, 1, 8);
	request.u.window.windows.size = 2;
	check_ahead(&request, &arrays[0], NULL, 0);
	request = ahead_request(&arrays[0], GA_FORM_DELTA, 1, 8);
	request.u.window.windows.size = 2;
	request.u.window.n--;
	check_ahead(&request, &arrays[0], NULL, 0);
	/* the ids up to that one may be others' by now */
	request = ahead_request(&arrays[0], GA_FORM_MAX, 100, 8);
	request.u.window.stored.xmin = arrays[0].xmin;
	request.u.window.lookup.sample.next_oid = arrays[4].key.value_id + 1;
	check_ahead(&request, &arrays[0], behind + 5, 3);
}

/*
 * Buckets of arrays that were loaded behind a request's own, until one whose
 * length is no multiple of the width.
 */
static void
test_ahead(Rng *rng)
{
	StoredArray arrays[N_AHEAD], other, of_int4;
	const StoredArray *behind[N_AHEAD];
	const GaElemForm forms[] = {GA_FORM_SUM, GA_FORM_MEAN, GA_FORM_MIN,
								GA_FORM_MAX};
	ArraySet set, ints;
	GaRequest request;
	uint32_t i;

	tap_begin("buckets of the arrays behind one");
	array_set_init(&set, GA_float8);
	array_set_init(&ints, GA_int4);
	for (i = 0; i < N_AHEAD; i++)
		elements_fill_fast(GA_float8, rng, lengths[i],
						   array_set_add(&set, "plain", lengths[i], 0, 0));
	elements_fill_fast(GA_int4, rng, 1000,
					   array_set_add(&ints, "plain", 1000, 0, 0));
	for (i = 0; i < N_AHEAD; i++)
	{
		const GaStoredLookup lookup = stored_lookup_next();

		arrays[i] = stored_make(&set, i, next_id++);
		behind[i] = &arrays[i];
		/* arrays among them that are of no use */
		other = stored_make(&set, 0, next_id++);
		other.key.relation++;
		other.is_no_line = i % 2;
		other.key.relation -= i % 2;
		of_int4 = stored_make(&ints, 0, next_id++);
		tap_check(stored_make_resident(&client, &arrays[i], 1, &lookup) == 1 &&
					  stored_make_resident(&client, &other, 1, &lookup) == 1 &&
					  stored_make_resident(&client, &of_int4, 1, &lookup) == 1,
				  "not resident");
	}
	(void) stored_stat(&client, true);
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
	{
		request = ahead_request(&arrays[0], forms[i], 100, 8);
		check_ahead(&request, &arrays[0], behind + 1, 3);
	}
	tap_check(stored_stat(&client, true).n_hits == 16, "other hits");
	request = ahead_request(&arrays[0], GA_FORM_MAX, 100, 2);
	check_ahead(&request, &arrays[0], behind + 1, 2);
	request = ahead_request(&arrays[1], GA_FORM_SUM, 500, UINT32_MAX);
	check_ahead(&request, &arrays[1], behind + 2, 2);
	/* as many as have values in the slot */
	request = ahead_request(&arrays[4], GA_FORM_MAX, 1, 8);
	check_ahead(&request, &arrays[4], behind + 5, 2);
	request = ahead_request(&arrays[2], GA_FORM_MAX, 1, 8);
	check_ahead(&request, &arrays[2], behind + 3, 4);
	request = ahead_request(&arrays[0], GA_FORM_MIN, 1, 8);
	check_ahead(&request, &arrays[0], behind + 1, 6);
	check_not_ahead(arrays, behind);
	array_set_free(&set);
	array_set_free(&ints);
	stored_check_empty(&client);
	tap_end();
}

/* However many are wanted, no more than GA_WINDOW_AHEAD follow. */
static void
test_most_ahead(Rng *rng)
{
	const uint32_t n = GA_WINDOW_AHEAD + 10;
	const StoredArray *behind[GA_WINDOW_AHEAD];
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray *arrays;
	GaRequest request;
	ArraySet set;
	uint32_t i;

	tap_begin("as many arrays behind one as may be");
	array_set_init(&set, GA_int8);
	for (i = 0; i < n; i++)
		elements_fill_fast(GA_int8, rng, 20,
						   array_set_add(&set, "plain", 20, 0, 0));
	arrays = stored_make_all(&set, next_id);
	next_id += n;
	tap_check(stored_make_resident(&client, arrays, n, &lookup) == n,
			  "not resident");
	for (i = 0; i < GA_WINDOW_AHEAD; i++)
		behind[i] = &arrays[i + 1];
	request = ahead_request(&arrays[0], GA_FORM_MIN, 10, UINT32_MAX);
	check_ahead(&request, &arrays[0], behind, GA_WINDOW_AHEAD);
	free(arrays);
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
	good = window_request(&array, 0, GA_FORM_SUM, windows, 0);
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
	send_request(&good);
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
	test_ahead(&rng);
	test_most_ahead(&rng);
	test_rules(&rng);
	client_close(&client);
	daemon_stop(&gpuaggd);
	return tap_done();
}
