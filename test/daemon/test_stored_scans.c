/*
 * test_stored_scans.c
 *		GA_SCAN of stored arrays: the totals that the same elements have when
 *		they are sent.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "stored_scan.h"

static Daemon gpuaggd;
static Client client;
static Client other;
static uint64_t statement_id; /* each test has its own */
static uint32_t next_id = STORED_FIRST;

/* The same elements, sent. */
static GaRequest
staged_scan_of(const StoredArray *array, uint32_t slot, size_t from, size_t n)
{
	const size_t size = ga_element_size(array->set->type);
	GaRequest request = stored_scan(array, statement_id, slot, from, n);

	request.u.scan.is_stored = 0;
	memcpy(client_data(&client, slot),
		   (char *) array_set_elements(array->set, array->i) + from * size,
		   n * size);
	return request;
}

/*
 * Scan an array in segments, all slots under way, unless there is an overflow,
 * which must not be continued.  One segment in some is staged, and one in some
 * is told what came before.
 */
static void
check_scan(ArraySet *set, const StoredArray *array, Rng *rng, size_t most)
{
	const size_t n = set->arrays[0].n;
	char *must = malloc((n + 1) * array_set_total_size(set));
	size_t n_must = array_set_expect(set, 0, must);
	uint32_t depth = n_must < n ? 1 : GA_LEASE_SLOTS;
	bool goes_on = true;
	size_t from = 0;

	while (from < n && goes_on)
	{
		GaRequest requests[GA_LEASE_SLOTS];
		uint32_t n_sent = 0;
		uint32_t i;

		for (; n_sent < depth && from < n; n_sent++)
		{
			GaRequest *request = &requests[n_sent];
			bool is_staged = rng_chance(rng, 4);
			size_t limit = stored_scan_limit(set, is_staged);
			size_t length = rng_below(rng, most + 1);

			length = length < n - from ? length : n - from;
			length = length < limit ? length : limit;
			*request = is_staged ? staged_scan_of(array, n_sent, from, length) :
								   stored_scan(array, statement_id, n_sent,
											   from, length);
			request->u.scan.continues = from > 0 && !rng_chance(rng, 5);
			if (from > 0 && !request->u.scan.continues)
				request->u.scan.n_prefix_bytes =
					client_put_prefix(&client, n_sent, set, from);
			client_send(&client, request);
			from += length;
		}
		for (i = 0; i < n_sent && goes_on; i++)
			goes_on =
				stored_check_scan(&client, &requests[i], set, must, n_must);
	}
	free(must);
}

/* Have the set's first array resident. */
static StoredArray
make_resident(const ArraySet *set)
{
	const StoredArray array = stored_make(set, 0, next_id++);
	const GaStoredLookup lookup = stored_lookup(++statement_id);

	tap_check(stored_make_resident(&client, &array, 1, &lookup) == 1,
			  "not resident");
	return array;
}

/* Up to the first overflow, on pages that lie apart and others. */
static void
test_mode(Rng *rng, int mode)
{
	ArraySet set;
	StoredArray array;
	int i;

	tap_begin("%s: in segments", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	(void) stored_fragment(&client);
	for (i = 0; i < 60; i++)
	{
		size_t n = i % 10 == 0 ? 100000 : rng_below(rng, 3000);

		array_set_clear(&set);
		array_set_add_random(&set, rng, n, ARRAY_SET_PACKED, ARRAY_SET_PACKED);
		array = make_resident(&set);
		check_scan(&set, &array, rng, i % 3 ? n / 3 + 1 : n);
	}
	array_set_clear(&set);
	elements_fill_fast(set.type, rng, 500000,
					   array_set_add(&set, "plain", 500000, 0, 0));
	array = make_resident(&set);
	check_scan(&set, &array, rng, stored_scan_limit(&set, false));
	stored_check_empty(&client);
	array_set_free(&set);
	tap_end();
}

/* From the middle on, with nothing before. */
static void
test_middle(Rng *rng)
{
	const uint32_t n = 200000;
	ArraySet set;
	ArraySet part;
	StoredArray array;
	char *must;
	int i;

	tap_begin("from the middle on");
	(void) stored_fragment(&client);
	array_set_init_scan(&set, GA_float8);
	elements_fill_fast(set.type, rng, n, array_set_add(&set, "plain", n, 0, 0));
	array = make_resident(&set);
	must = malloc(n * sizeof(double));
	for (i = 0; i < 40; i++)
	{
		/* first at a page's border, and at the end */
		size_t from = i == 0 ? 32768 : i == 1 ? n : rng_below(rng, n);
		size_t length = rng_below(rng, n - from + 1);
		GaRequest request = stored_scan(&array, statement_id, 0, from, length);
		GaReply reply;

		array_set_init_scan(&part, GA_float8);
		memcpy(array_set_add(&part, "part", length, 0, 0),
			   (double *) array_set_elements(&set, 0) + from,
			   length * sizeof(double));
		array_set_expect(&part, 0, must);
		reply = client_call(&client, &request);
		tap_check(reply.status == GA_OK && reply.u.scan.n_totals == length &&
					  memcmp(must, client_data(&client, 0),
							 length * sizeof(double)) == 0,
				  "%zu from %zu: %d, %llu totals", length, from, reply.status,
				  (unsigned long long) reply.u.scan.n_totals);
		array_set_check_sum(&part, 0, &reply.u.scan.sum,
							client_slot(&client, 0)->full);
		array_set_free(&part);
	}
	free(must);
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

/* An overflow on the third of some pages that lie apart, or at its border. */
static void
test_overflow(Rng *rng, int mode)
{
	static const uint32_t places[] = {65535, 65536, 65537, 80000};
	const size_t n = 140000;
	char *must = malloc(n * 16);
	ArraySet set;
	StoredArray array;
	size_t i;

	tap_begin("%s: an overflow in the middle", array_set_mode_name(mode));
	(void) stored_fragment(&client);
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
	{
		const double large[] = {1.7e308, 1.7e308};
		const int64_t ints[] = {INT64_MAX, INT64_MAX};
		GaRequest request;
		char *elements;
		size_t n_must;

		array_set_init_scan(&set, mode);
		elements = array_set_add(&set, "one too large", n, 0, 0);
		elements_fill_fast(set.type, rng, n, elements);
		memcpy(elements + places[i] * 8,
			   set.type == GA_int8 ? (const void *) ints : large, 16);
		n_must = array_set_expect(&set, 0, must);
		tap_check(n_must >= places[i] && n_must < places[i] + 2,
				  "%zu totals are to be expected", n_must);
		array = make_resident(&set);
		request = stored_scan(&array, statement_id, 2, 0, n);
		client_send(&client, &request);
		tap_check(!stored_check_scan(&client, &request, &set, must, n_must),
				  "no overflow");
		request.u.scan.n = 60000;
		client_send(&client, &request);
		tap_check(stored_check_scan(&client, &request, &set, must, n_must),
				  "too early");
		array_set_free(&set);
	}
	free(must);
	stored_check_empty(&client);
	tap_end();
}

/* Arrays without memory, or being loaded: a state, and no totals. */
static void
check_state(Client *who, const GaRequest *request, GaStoredState state)
{
	GaReply reply = client_call(who, request);

	tap_check(reply.status == GA_OK && reply.u.scan.state == state &&
				  reply.u.scan.n_totals == 0,
			  "status %d, state %u, must be %u", reply.status,
			  reply.u.scan.state, state);
}

static void
test_missing(void)
{
	static const int64_t ints[] = {1, 2, 3};
	GaRequest request;
	GaReply reply;
	ArraySet set;
	StoredArray array;
	char must[24];

	tap_begin("an array that is not resident");
	array_set_init_scan(&set, GA_int8);
	array_set_add_ints(&set, "ints", ints, 3);
	array_set_expect(&set, 0, must);
	array = stored_make(&set, 0, next_id++);
	request = stored_scan(&array, statement_id, 0, 0, 3);
	check_state(&client, &request, GA_STORED_STREAM);
	request.u.scan.lookup.waits = 1;
	check_state(&client, &request, GA_STORED_STREAM);
	request.u.scan.lookup.loads = 1;
	check_state(&client, &request, GA_STORED_LOAD);
	check_state(&client, &request, GA_STORED_STREAM);
	request.u.scan.lookup.waits = 0;
	check_state(&client, &request, GA_STORED_BUSY);
	check_state(&other, &request, GA_STORED_BUSY);

	request.u.scan.lookup.waits = 1;
	client_send(&other, &request);
	tap_check(!client_has_reply(&other, 20), "it does not wait");
	stored_set_load(&client);
	stored_load(&client, &array, 1);
	tap_check(stored_check_scan(&other, &request, &set, must, 3), "no totals");
	check_state(&client,
				&(GaRequest){.opcode = GA_SCAN,
							 .u.scan = {.type = GA_int4,
										.n = 3,
										.is_stored = 1,
										.stored = request.u.scan.stored,
										.lookup = request.u.scan.lookup}},
				GA_STORED_STREAM);

	/* a segment that there was not cannot be continued */
	(void) stored_clear(&client, 0);
	request.u.scan.lookup.loads = 0;
	check_state(&client, &request, GA_STORED_STREAM);
	request.u.scan.continues = 1;
	client_send(&client, &request);
	tap_check(client_receive(&client, &reply) && reply.status == GA_BAD_STATE,
			  "it goes on: %d", reply.status);
	client_close(&client);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

int
main(void)
{
	Rng rng = {53};
	int mode;

	daemon_start(&gpuaggd, "--staging-size=24", "--cache-size=64", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	stored_open(&other, &gpuaggd, STORED_DATABASE);
	for (mode = 0; mode < SCAN_N_MODES; mode++)
		test_mode(&rng, mode);
	test_middle(&rng);
	test_overflow(&rng, GA_int8);
	test_overflow(&rng, GA_float8);
	test_missing();
	client_close(&client);
	client_close(&other);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	return tap_done();
}
