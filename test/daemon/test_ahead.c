/*
 * test_ahead.c
 *		Results of the arrays that were loaded behind the one that a request
 *		is about: of buckets, and of reductions.
 */
#include <stdlib.h>
#include <string.h>

#include "stored_reduce.h"
#include "stored_window.h"
#include "tap.h"

static Daemon gpuaggd;
static Client client;
static uint32_t next_id = STORED_FIRST;

/* Make n resident arrays of a length, with ids one after the other. */
static StoredArray *
make_arrays(ArraySet *set, Rng *rng, GaElementType type, uint32_t n,
			uint32_t length)
{
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray *arrays;
	uint32_t i;

	array_set_init(set, type);
	for (i = 0; i < n; i++)
		elements_fill_fast(type, rng, length,
						   array_set_add(set, "plain", length, 0, 0));
	arrays = stored_make_all(set, next_id);
	next_id += n;
	tap_check(stored_make_resident(&client, arrays, n, &lookup) == n,
			  "not resident");
	return arrays;
}

/* The buckets of an array, and of others behind it. */
static GaRequest
ahead_request(const StoredArray *array, GaElemForm form, uint32_t width,
			  uint32_t n_ahead)
{
	const GaWindows windows = {(uint32_t) array->set->arrays[array->i].n, width,
							   0, width};
	GaRequest request = stored_windows(array, 1, form, windows, 0);

	request.u.window.ahead.n = n_ahead;
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
	stored_check_array_values(&of_array, array, values);
	return of_array.u.window.n;
}

/*
 * Send a request: these arrays follow its own.  Return whether gpuaggd says
 * that there are no more.
 */
static bool
check_ahead(const GaRequest *request, const StoredArray *array,
			const StoredArray *const *behind, uint32_t n_behind)
{
	uint32_t n = request->u.window.n;
	GaReply reply;
	uint32_t i;

	stored_send_windows(&client, request);
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
	stored_check_values(&client, request, array, n);
	return reply.u.window.is_last != 0;
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
 * Buckets of arrays that were loaded behind a request's own, whatever their
 * lengths are.
 */
static void
test_ahead(Rng *rng)
{
	StoredArray arrays[N_AHEAD], other, of_int4, empty;
	const StoredArray *behind[N_AHEAD];
	const GaElemForm forms[] = {GA_FORM_SUM, GA_FORM_MEAN, GA_FORM_MIN,
								GA_FORM_MAX};
	ArraySet set, ints, none;
	GaRequest request;
	uint32_t i;

	tap_begin("buckets of the arrays behind one");
	array_set_init(&set, GA_float8);
	array_set_init(&ints, GA_int4);
	array_set_init(&none, GA_float8);
	array_set_add_doubles(&none, "none", NULL, 0);
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
		empty = stored_make(&none, 0, next_id++);
		tap_check(stored_make_resident(&client, &arrays[i], 1, &lookup) == 1 &&
					  stored_make_resident(&client, &other, 1, &lookup) == 1 &&
					  stored_make_resident(&client, &of_int4, 1, &lookup) ==
						  1 &&
					  stored_make_resident(&client, &empty, 1, &lookup) == 1,
				  "not resident");
	}
	(void) stored_stat(&client, true);
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
	{
		request = ahead_request(&arrays[0], forms[i], 100, 8);
		check_ahead(&request, &arrays[0], behind + 1, 7);
		request = ahead_request(&arrays[0], forms[i], 37, 8);
		check_ahead(&request, &arrays[0], behind + 1, 7);
		request = ahead_request(&arrays[2], forms[i], 1500, 8);
		check_ahead(&request, &arrays[2], behind + 3, 5);
	}
	tap_check(stored_stat(&client, true).n_hits == 4 * (8 + 8 + 6),
			  "other hits");
	request = ahead_request(&arrays[0], GA_FORM_MAX, 100, 2);
	tap_check(!check_ahead(&request, &arrays[0], behind + 1, 2),
			  "there are more than were wanted");
	request = ahead_request(&arrays[1], GA_FORM_SUM, 500, UINT32_MAX);
	tap_check(check_ahead(&request, &arrays[1], behind + 2, 6),
			  "these are the last ones");
	/* as many as have values in the slot */
	request = ahead_request(&arrays[4], GA_FORM_MAX, 1, 8);
	tap_check(!check_ahead(&request, &arrays[4], behind + 5, 2),
			  "there are more than have values in the slot");
	/* behind those of that request: the one that did not fit */
	request = ahead_request(&arrays[3], GA_FORM_MAX, 100, 8);
	request.u.window.ahead.behind = 1 + request.slot;
	request.slot = 0;
	tap_check(check_ahead(&request, &arrays[3], behind + 7, 1),
			  "it is not the last one");
	request = ahead_request(&arrays[2], GA_FORM_MAX, 1, 8);
	check_ahead(&request, &arrays[2], behind + 3, 4);
	request = ahead_request(&arrays[0], GA_FORM_MIN, 1, 8);
	check_ahead(&request, &arrays[0], behind + 1, 6);
	check_not_ahead(arrays, behind);
	array_set_free(&set);
	array_set_free(&ints);
	array_set_free(&none);
	stored_check_empty(&client);
	tap_end();
}

/* However many are wanted, no more than GA_AHEAD_MOST follow. */
static void
test_most_ahead(Rng *rng)
{
	const uint32_t n = GA_AHEAD_MOST + 10;
	const StoredArray *behind[GA_AHEAD_MOST];
	StoredArray *arrays;
	GaRequest request;
	ArraySet set;
	uint32_t i;

	tap_begin("as many arrays behind one as may be");
	arrays = make_arrays(&set, rng, GA_int8, n, 20);
	for (i = 0; i < GA_AHEAD_MOST; i++)
		behind[i] = &arrays[i + 1];
	request = ahead_request(&arrays[0], GA_FORM_MIN, 10, UINT32_MAX);
	tap_check(!check_ahead(&request, &arrays[0], behind, GA_AHEAD_MOST),
			  "there are more");
	free(arrays);
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

/* Arrays whose pages lie apart. */
static void
test_pieces(Rng *rng)
{
	const StoredArray *behind[3];
	StoredArray *arrays;
	GaRequest request;
	ArraySet set;
	uint32_t i;

	tap_begin("arrays in pieces behind one in pieces");
	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=88",
				 "--cache-packing=off", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	(void) stored_fragment(&client);
	arrays = make_arrays(&set, rng, GA_float8, 4, 100003);
	for (i = 0; i < 3; i++)
		behind[i] = &arrays[i + 1];
	request = ahead_request(&arrays[0], GA_FORM_MEAN, 1000, 3);
	check_ahead(&request, &arrays[0], behind, 3);
	free(arrays);
	array_set_free(&set);
	stored_check_empty(&client);
	client_close(&client);
	daemon_stop(&gpuaggd);
	tap_end();
}

/*
 * Send a request about an array: n_behind others follow it in `arrays`.  Return
 * whether gpuaggd says that there are no more.
 */
static bool
check_reduction(GaReduction reduction, const StoredArray *arrays,
				uint32_t n_ahead, uint32_t n_behind)
{
	const GaStoredLookup lookup = stored_lookup_next();
	GaRequest request = stored_name(&client, arrays, 1, &lookup);
	StoredResults results;
	GaReply reply;
	uint32_t i;

	request.u.stored.reduction = reduction;
	request.u.stored.ahead.n = n_ahead;
	reply = client_call(&client, &request);
	tap_check(reply.u.sum.n_ahead == n_behind, "%u arrays follow, must be %u",
			  reply.u.sum.n_ahead, n_behind);
	if (reply.u.sum.n_ahead != n_behind)
		return false;
	results = stored_check_reduction(&client, &reply, reduction, arrays,
									 1 + n_behind);
	tap_check(results.n_resident == 1 + n_behind, "%u are resident",
			  results.n_resident);
	for (i = 0; i <= n_behind; i++)
		tap_check(memcmp(&client_lookup(&client, CLIENT_LOOKUP).refs[i].key,
						 &arrays[i].key, sizeof(arrays[i].key)) == 0,
				  "array %u is another one", i);
	return reply.u.sum.is_last != 0;
}

/* Reductions of the arrays behind one, whatever their lengths are. */
static void
test_reductions(Rng *rng, GaElementType type)
{
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray *arrays, *others;
	StoredArray part;
	GaRequest request;
	GaReply reply;
	ArraySet set;
	uint32_t i;
	int reduction;

	tap_begin("%s: reductions of the arrays behind one", ga_element_name(type));
	array_set_init(&set, type);
	for (i = 0; i < N_AHEAD; i++)
		elements_fill_fast(type, rng, lengths[i],
						   array_set_add(&set, "plain", lengths[i], 0, 0));
	arrays = stored_make_all(&set, next_id);
	others = stored_make_all(&set, next_id + N_AHEAD);
	next_id += 2 * N_AHEAD;
	for (i = 0; i < N_AHEAD; i++)
	{
		others[i].key.relation++;
		arrays[i].is_no_line = i % 2;
		tap_check(stored_make_resident(&client, &arrays[i], 1, &lookup) == 1 &&
					  stored_make_resident(&client, &others[i], 1, &lookup) ==
						  1,
				  "not resident");
	}
	for (reduction = 0; reduction < GA_N_REDUCTIONS; reduction++)
	{
		check_reduction((GaReduction) reduction, arrays, 0, 0);
		tap_check(!check_reduction((GaReduction) reduction, arrays, 3, 3),
				  "others follow");
		tap_check(check_reduction((GaReduction) reduction, arrays + 2,
								  UINT32_MAX, N_AHEAD - 3),
				  "no others follow");
		check_reduction((GaReduction) reduction, arrays + N_AHEAD - 1, 8, 0);
	}
	/* a part of an array is not followed */
	part = arrays[0];
	part.part = (GaStoredPart){0, 100};
	request = stored_name(&client, &part, 1, &lookup);
	request.u.stored.ahead.n = 8;
	reply = client_call(&client, &request);
	tap_check(reply.status == GA_OK && reply.u.sum.n_ahead == 0,
			  "status %d, %u arrays follow", reply.status, reply.u.sum.n_ahead);
	stored_check_empty(&client);
	free(arrays);
	free(others);
	array_set_free(&set);
	tap_end();
}

/* Two arrays of one request, or one that is not resident: no others follow. */
static void
test_two(Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray *arrays;
	GaRequest request;
	GaReply reply;
	ArraySet set;

	tap_begin("a request about two arrays, and one about none");
	arrays = make_arrays(&set, rng, GA_float8, 5, 1000);
	request = stored_name(&client, arrays, 2, &lookup);
	request.u.stored.ahead.n = 3;
	reply = client_call(&client, &request);
	tap_check(reply.u.sum.n_ahead == 0, "%u arrays follow",
			  reply.u.sum.n_ahead);
	tap_check(stored_check(&client, &reply, arrays, 2) == 2, "not resident");
	stored_clear(&client, 0);
	request = stored_name(&client, arrays, 1, &lookup);
	request.u.stored.lookup.loads = 0;
	client_lookup(&client, CLIENT_LOOKUP).refs[0].n = 1000;
	request.u.stored.ahead.n = 3;
	reply = client_call(&client, &request);
	tap_check(reply.status == GA_OK && reply.u.sum.n_ahead == 0 &&
				  stored_state(&client, 0) != GA_STORED_RESIDENT,
			  "status %d, %u arrays follow", reply.status, reply.u.sum.n_ahead);
	stored_check_empty(&client);
	free(arrays);
	array_set_free(&set);
	tap_end();
}

/* As many as may be, and as have results in small slots. */
static void
test_most_reductions(void)
{
	const uint32_t n = GA_AHEAD_MOST + 10;
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray *arrays;
	ArraySet set;
	uint32_t i;

	tap_begin("as many reductions as may be");
	array_set_init(&set, GA_int8);
	for (i = 0; i < n; i++)
		array_set_add_ints(&set, "two", (const int64_t[]){i, -5}, 2);
	arrays = stored_make_all(&set, next_id);
	next_id += n;
	tap_check(stored_make_resident(&client, arrays, n, &lookup) == n,
			  "not resident");
	check_reduction(GA_REDUCE_SUM, arrays, UINT32_MAX, GA_AHEAD_MOST);
	check_reduction(GA_REDUCE_MOMENTS, arrays, UINT32_MAX, GA_AHEAD_MOST);
	tap_check(client_get_lookups(&client, false) == GA_OK, "no small slots");
	check_reduction(GA_REDUCE_SUM, arrays, UINT32_MAX,
					GA_LOOKUP_SMALL_ARRAYS - 1);
	check_reduction(GA_REDUCE_MOMENTS, arrays, UINT32_MAX,
					GA_LOOKUP_SMALL_ARRAYS / 2 - 1);
	stored_check_empty(&client);
	free(arrays);
	array_set_free(&set);
	tap_end();
}

/* Another session removes all arrays while the device is at a request. */
static void
test_removed(Rng *rng)
{
	const StoredArray *behind[3];
	StoredArray *arrays;
	GaRequest request;
	GaReply reply;
	Client other;
	ArraySet set;
	uint32_t n, i;

	tap_begin("arrays that are removed meanwhile");
	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=88",
				 "--emulated-faults=slow_launch=300", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	stored_open(&other, &gpuaggd, STORED_DATABASE);
	arrays = make_arrays(&set, rng, GA_float8, 4, 1000);
	for (i = 0; i < 3; i++)
		behind[i] = &arrays[1 + i];
	request = ahead_request(&arrays[0], GA_FORM_MAX, 10, 3);
	stored_send_windows(&client, &request);
	tap_check(stored_clear(&other, 0) == 4, "not four arrays");
	tap_check(client_receive(&client, &reply) && reply.status == GA_OK &&
				  reply.u.window.n_ahead == 3,
			  "status %d, %u arrays follow", reply.status,
			  reply.u.window.n_ahead);
	for (n = 100, i = 0; i < 3; i++)
		n += check_named(
			&request, behind[i], &client_slot(&client, request.slot)->refs[i],
			(const uint64_t *) client_data(&client, request.slot) + n);
	stored_check_empty(&other);
	client_close(&other);
	client_close(&client);
	daemon_stop(&gpuaggd);
	free(arrays);
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {83};
	int type;

	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=88", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	test_ahead(&rng);
	test_most_ahead(&rng);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		test_reductions(&rng, (GaElementType) type);
	test_two(&rng);
	test_most_reductions();
	client_close(&client);
	daemon_stop(&gpuaggd);
	test_removed(&rng);
	test_pieces(&rng);
	return tap_done();
}
