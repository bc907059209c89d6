/*
 * test_stored_rules.c
 *		Requests about stored arrays that break a rule end their session, and
 *		load nothing; other clients are not disturbed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "stored.h"

#define N_ELEMENTS 1000

static Daemon gpuaggd;
static Client witness;
static ArraySet set; /* a small array, and one of several pages */
static StoredArray *arrays;

/* The client receives this reason, and no more; the others go on. */
static void
check_turned_away(Client *client, const char *reason)
{
	client_check_turned_away(client, GA_BAD_REQUEST, reason);
	stored_check_witness(&witness, arrays);
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

static void
test_sums(void)
{
	const GaRequest good = {.opcode = GA_REDUCE_STORED,
							.slot = CLIENT_LOOKUP,
							.u.stored = {.type = GA_int8,
										 .n_arrays = 1,
										 .lookup = stored_lookup_next()}};
	GaRequest bad = good;

	tap_begin("sums of arrays that cannot be");
	bad.slot = GA_SLOTS;
	check_request(&bad, "slot");
	bad.slot = 0;
	check_request(&bad, "no lease of the slot");
	bad = good;
	bad.device = 1;
	check_request(&bad, "device");
	bad = good;
	bad.u.stored.type = GA_N_ELEMENT_TYPES;
	check_request(&bad, "type");
	bad.u.stored.type = UINT32_MAX;
	check_request(&bad, "type");
	bad = good;
	bad.u.stored.n_arrays = GA_SLOT_ARRAYS + 1;
	check_request(&bad, "arrays");
	bad.u.stored.n_arrays = UINT32_MAX;
	check_request(&bad, "arrays");
	bad.u.stored.reduction = GA_REDUCE_MOMENTS;
	bad.u.stored.n_arrays = GA_SLOT_ARRAYS / 2 + 1;
	check_request(&bad, "arrays");
	bad = good;
	bad.u.stored.reduction = GA_N_ALL_REDUCTIONS;
	check_request(&bad, "reduction");
	bad.u.stored.reduction = UINT32_MAX;
	check_request(&bad, "reduction");
	tap_end();
}

static void
test_loads(void)
{
	const GaRequest good = {.opcode = GA_LOAD, .u.load = {GA_int8, 1, 64}};
	GaRequest bad = good;

	tap_begin("loads that cannot be");
	bad.slot = UINT32_MAX;
	check_request(&bad, "slot");
	bad = good;
	bad.u.load.type = GA_N_ELEMENT_TYPES;
	check_request(&bad, "type");
	bad = good;
	bad.u.load.n_segments = GA_SLOT_ARRAYS + 1;
	check_request(&bad, "segments");
	bad.u.load.n_segments = UINT32_MAX;
	check_request(&bad, "segments");
	bad = good;
	bad.u.load.n_data_bytes = GA_SLOT_DATA_BYTES + 1;
	check_request(&bad, "bytes");
	bad.u.load.n_data_bytes = UINT32_MAX;
	check_request(&bad, "bytes");
	tap_end();
}

/*
 * A segment of the small array, with the other one to be loaded as well.  The
 * first so many elements of it have been loaded before.
 */
static void
check_segment(uint32_t n_before, GaLoadSegment segment, uint32_t n_data_bytes,
			  const char *reason)
{
	const GaStoredLookup lookup = stored_lookup_next();
	GaRequest request;
	Client client;

	stored_open(&client, &gpuaggd, STORED_DATABASE);
	tap_check(stored_request(&client, arrays, 2, &lookup) == 0,
			  "they are there");
	if (n_before > 0)
	{
		request = stored_segment(&client, 1, &arrays[0], 0, n_before);
		tap_check(client_call(&client, &request).status == GA_OK, "before it");
	}
	segment.key = arrays[0].key;
	client_slot(&client, 1)->segments[0] = segment;
	request = (GaRequest){
		.opcode = GA_LOAD, .slot = 1, .u.load = {GA_int8, 1, n_data_bytes}};
	client_send(&client, &request);
	check_turned_away(&client, reason);
}

static void
test_segments(void)
{
	const GaLoadSegment good = {.n = 10, .n_all = N_ELEMENTS};
	GaLoadSegment bad = good;

	tap_begin("segments that cannot be");
	bad.at = 4;
	check_segment(0, bad, 8000, "aligned");
	bad.at = 0;
	bad.n = 11;
	check_segment(0, bad, 80, "beyond the data");
	bad.at = 80;
	bad.n = 1;
	check_segment(0, bad, 80, "beyond the data");
	bad.at = UINT32_MAX - 7;
	check_segment(0, bad, 8000, "beyond the data");
	bad = good;
	bad.from = 1;
	check_segment(0, bad, 8000, "next");
	check_segment(2, bad, 8000, "next");
	bad.from = UINT32_MAX;
	check_segment(0, bad, 8000, "next");
	check_segment(10, good, 8000, "next");
	bad = good;
	bad.n = N_ELEMENTS + 1;
	check_segment(0, bad, 16000, "its array's elements");
	bad.n = UINT32_MAX;
	check_segment(0, bad, 16000, "its array's elements");
	bad.n = 10;
	bad.n_all = 9;
	check_segment(0, bad, 8000, "its array's elements");
	bad.from = 10;
	bad.n_all = 19;
	check_segment(10, bad, 8000, "its array's elements");
	bad = good;
	bad.n_all = N_ELEMENTS + 1;
	check_segment(0, bad, 8000, "than its array has bytes");
	bad.n_all = UINT32_MAX;
	check_segment(0, bad, 8000, "than its array has bytes");
	tap_end();
}

/* A whole array in front of a segment that cannot be was not copied. */
static void
test_whole_before(void)
{
	const GaStoredLookup lookup = stored_lookup_next();
	const GaRequest request = {
		.opcode = GA_LOAD, .slot = 1, .u.load = {GA_int8, 2, 16384}};
	GaLoadSegment *segments;
	Client client;

	tap_begin("an array in front of a segment that cannot be");
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	tap_check(stored_request(&client, arrays, 2, &lookup) == 0,
			  "they are there");
	segments = client_slot(&client, 1)->segments;
	segments[0] = (GaLoadSegment){.key = arrays[0].key,
								  .n = N_ELEMENTS,
								  .n_all = N_ELEMENTS,
								  .is_settled = 1};
	segments[1] = (GaLoadSegment){
		.key = arrays[1].key, .at = 4, .n = 10, .n_all = 100000};
	client_send(&client, &request);
	check_turned_away(&client, "aligned");
	tap_end();
}

/* Segments that are of no use, but do no harm. */
static void
test_odd_segments(void)
{
	const GaStoredLookup lookup = stored_lookup_next();
	const uint32_t n = N_ELEMENTS;
	GaRequest request = {
		.opcode = GA_LOAD, .slot = 1, .u.load = {GA_int8, 4, 16384}};
	GaLoadSegment *segments;
	Client client;
	uint32_t i;

	tap_begin("segments that are odd");
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	segments = client_slot(&client, 1)->segments;
	(void) stored_request(&client, arrays + 1, 1, &lookup);
	(void) stored_request(&client, arrays, 1, &lookup);

	/* nothing, of another type; all, of the other one, and again the end */
	for (i = 0; i < 4; i++)
		segments[i] =
			(GaLoadSegment){.key = arrays[0].key, .n_all = n, .is_settled = 1};
	tap_check(client_call(&client, &request).status == GA_OK, "nothing");
	request.u.load.type = GA_int4;
	tap_check(client_call(&client, &request).status == GA_OK, "another type");
	request.u.load.type = GA_int8;
	memcpy(client_data(&client, 1), array_set_elements(&set, 0), n * 8);
	segments[0].n = n;
	segments[1].key = arrays[1].key;
	segments[1].n_all = (uint32_t) set.arrays[1].n;
	segments[2].from = segments[3].from = n;
	tap_check(client_call(&client, &request).status == GA_OK, "all of it");
	tap_check(client_call(&client, &request).status == GA_OK, "once more");
	tap_check(stored_request_one(&client, &arrays[0], &lookup) ==
				  GA_STORED_RESIDENT,
			  "it is not there: %u", stored_state(&client, 0));
	client_close(&client);
	tap_check(stored_clear(&witness, 0) <= 2, "more than two");
	stored_check_witness(&witness, arrays);
	tap_end();
}

/*
 * Segments are where the client has put them: arrays that are neighbours on the
 * device need not be neighbours in the slot.
 */
static void
test_apart(void)
{
	const GaStoredLookup lookup = stored_lookup_next();
	static const uint32_t places[] = {0, 8192, 1 << 20, 16384, 64 << 10};
	GaRequest request = {
		.opcode = GA_LOAD, .slot = 1, .u.load = {GA_int8, 0, 1 << 21}};
	StoredArray small[5];
	ArraySet numbers;
	Client client;
	uint32_t i;

	tap_begin("segments that lie apart");
	request.u.load.n_data_bytes = GA_SLOT_DATA_BYTES;
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	memset(client_data(&client, 1), 0x5a, GA_SLOT_DATA_BYTES);
	array_set_init(&numbers, GA_int8);
	for (i = 0; i < 5; i++)
	{
		const int64_t ints[] = {i, 1 << i, INT64_C(1) << (40 + i)};

		array_set_add_ints(&numbers, "numbers", ints, 3);
	}
	for (i = 0; i < 5; i++)
		small[i] = stored_make(&numbers, i, STORED_FIRST + 10 + i);
	(void) stored_request(&client, small, 5, &lookup);
	for (i = 0; i < 5; i++)
	{
		GaLoadSegment *segment = &client_slot(&client, 1)->segments[i];

		*segment = (GaLoadSegment){.key = small[i].key,
								   .at = places[i],
								   .n = 3,
								   .n_all = 3,
								   .is_settled = 1};
		memcpy(client_data(&client, 1) + places[i],
			   array_set_elements(&numbers, i), 24);
		request.u.load.n_segments++;
	}
	tap_check(client_call(&client, &request).status == GA_OK, "not loaded");
	tap_check(stored_request(&client, small, 5, &lookup) == 5, "not resident");
	client_close(&client);
	array_set_free(&numbers);
	tap_check(stored_clear(&witness, 0) == 5, "not five");
	stored_check_witness(&witness, arrays);
	tap_end();
}

static void
test_scans(void)
{
	const GaRequest good = {.opcode = GA_SCAN,
							.u.scan = {.type = GA_int8,
									   .n = 1,
									   .is_stored = 1,
									   .stored.key = arrays[1].key,
									   .lookup = stored_lookup_next()}};
	const uint32_t n = (uint32_t) set.arrays[1].n;
	const uint32_t beyond[][2] = {{0, n + 1},	   {1, n},
								  {100, n - 99},   {0, UINT32_MAX},
								  {1, UINT32_MAX}, {2, UINT32_MAX}};
	GaRequest bad = good;
	size_t i;

	tap_begin("running totals of arrays that cannot be");
	bad.u.scan.type = GA_N_ELEMENT_TYPES;
	check_request(&bad, "type");
	bad = good;
	bad.u.scan.n = GA_SLOT_DATA_BYTES / 8 + 1;
	check_request(&bad, "too many elements");
	bad.u.scan.n = UINT32_MAX;
	check_request(&bad, "too many elements");
	for (i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++)
	{
		const GaStoredLookup lookup = stored_lookup_next();
		Client client;

		tap_check(stored_make_resident(&witness, arrays + 1, 1, &lookup) == 1,
				  "no array");
		bad = good;
		bad.u.scan.n = beyond[i][0];
		bad.u.scan.from = beyond[i][1];
		stored_open(&client, &gpuaggd, STORED_DATABASE);
		client_send(&client, &bad);
		client_check_turned_away(&client, GA_BAD_REQUEST, "beyond");
		tap_check(stored_clear(&witness, 0) == 1, "not one");
		stored_check_witness(&witness, arrays);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {71};

	array_set_init(&set, GA_int8);
	array_set_add_random(&set, &rng, N_ELEMENTS, ARRAY_SET_PACKED,
						 ARRAY_SET_PACKED);
	array_set_add_random(&set, &rng, 100000, ARRAY_SET_PACKED,
						 ARRAY_SET_PACKED);
	arrays = stored_make_all(&set, STORED_FIRST);
	daemon_start(&gpuaggd, "--staging-size=24", "--cache-size=40", NULL);
	stored_open(&witness, &gpuaggd, STORED_DATABASE);
	test_sums();
	test_loads();
	test_segments();
	test_whole_before();
	test_apart();
	test_odd_segments();
	test_scans();
	client_close(&witness);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	free(arrays);
	array_set_free(&set);
	return tap_done();
}
