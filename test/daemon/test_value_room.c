/*
 * test_value_room.c
 *		Little memory for values: which go, and which stay.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "values.h"

#define PAGE_BYTES (256 << 10)
#define N_CLIENTS  2

static Daemon gpuaggd;
static Client clients[N_CLIENTS];
static Batch page;		 /* an array as large as a page */
static uint32_t n_pages; /* that there are */
static uint32_t next_id = VALUES_FIRST;

/* As many values of a page as there is room for. */
static Value *
page_values(uint32_t n)
{
	Value *values = malloc(n * sizeof(*values));
	uint32_t i;

	for (i = 0; i < n; i++)
		values[i] = value_of(&page, 0, next_id++);
	return values;
}

/* Ask for a value in a scan, and load it if it is to be loaded. */
static GaStoredState
touch(Client *who, const Value *value, uint64_t scan, bool loads)
{
	GaStoredLookup how = values_how(scan);
	GaStoredState state;

	how.loads = loads;
	state = value_ask(who, value, &how);
	if (state == GA_STORED_LOAD)
		values_load(who, value, 1);
	return state;
}

static void
check_touch(const Value *value, uint64_t scan, bool loads, GaStoredState state)
{
	GaStoredState is = touch(&clients[0], value, scan, loads);

	tap_check(is == state, "value %u, scan %llu: state %u, must be %u",
			  value->key.value_id - VALUES_FIRST, (unsigned long long) scan, is,
			  state);
}

static uint64_t
n_evictions(void)
{
	return values_stat(&clients[0], false).n_evictions;
}

/* The one that was used least recently makes room. */
static void
test_order(void)
{
	Value *values = page_values(n_pages + 2);
	uint64_t before = n_evictions();
	uint32_t i;

	tap_begin("what was not used for longest goes first");
	for (i = 0; i < n_pages; i++)
		check_touch(&values[i], 100 + i, true, GA_STORED_LOAD);
	check_touch(&values[0], 100, true, GA_STORED_RESIDENT);
	tap_check(n_evictions() == before, "there is no room for all");
	check_touch(&values[n_pages], 10000, true, GA_STORED_LOAD);
	check_touch(&values[n_pages + 1], 10001, true, GA_STORED_LOAD);
	tap_check(n_evictions() == before + 2, "not two went");
	check_touch(&values[1], 101, false, GA_STORED_STREAM);
	check_touch(&values[2], 102, false, GA_STORED_STREAM);
	for (i = 0; i < n_pages; i++)
	{
		if (i != 1 && i != 2)
			check_touch(&values[i], 100 + i, false, GA_STORED_RESIDENT);
	}
	free(values);
	values_check_empty(&clients[0]);
	tap_end();
}

/* A scan of more than there is room for keeps what it loaded first. */
static void
test_one_scan(void)
{
	Value *values = page_values(2 * n_pages);
	uint64_t before = n_evictions();
	uint32_t i;

	tap_begin("a scan does not evict what itself used");
	for (i = 0; i < 2 * n_pages; i++)
		check_touch(&values[i], 7, true,
					i < n_pages ? GA_STORED_LOAD : GA_STORED_STREAM);
	tap_check(n_evictions() == before, "some went");
	for (i = 0; i < n_pages; i++)
		check_touch(&values[i], 7, true, GA_STORED_RESIDENT);

	/* another one does */
	check_touch(&values[n_pages], 8, true, GA_STORED_LOAD);
	tap_check(n_evictions() == before + 1, "not one went");
	free(values);
	values_check_empty(&clients[0]);
	tap_end();
}

/* What two scans used stays when a third one goes through very much. */
static void
test_protected(void)
{
	const uint32_t n = n_pages / 4;
	Value *values = page_values(3 * n_pages);
	uint32_t n_streamed = 0;
	uint32_t i;

	tap_begin("what two scans used stays");
	for (i = 0; i < n; i++)
		check_touch(&values[i], 20, true, GA_STORED_LOAD);
	for (i = 0; i < n; i++)
		check_touch(&values[i], 21, true, GA_STORED_RESIDENT);
	for (; i < 3 * n_pages; i++)
		n_streamed +=
			touch(&clients[0], &values[i], 22, true) == GA_STORED_STREAM;
	tap_check(n_streamed == 2 * n_pages, "%u were not loaded", n_streamed);
	for (i = 0; i < n; i++)
		check_touch(&values[i], 23, true, GA_STORED_RESIDENT);

	/* but no more than half of all */
	for (i = 0; i < n_pages; i++)
		check_touch(&values[i], 24, true, GA_STORED_RESIDENT);
	check_touch(&values[n_pages], 25, true, GA_STORED_LOAD);
	for (i = 1; i < n_pages / 2; i++)
		check_touch(&values[n_pages + i], 25, true, GA_STORED_LOAD);
	free(values);
	values_check_empty(&clients[0]);
	tap_end();
}

/* Small values go with the page that they share, and only then. */
static void
test_shared(void)
{
	static const int64_t ints[] = {1, 2, 3};
	const uint32_t n = PAGE_BYTES / 64;
	const GaStoredLookup how = values_how(30);
	Value *values = page_values(n_pages);
	Value *small = malloc(n * sizeof(*small));
	uint64_t before = n_evictions();
	Batch batch;
	uint32_t i;

	tap_begin("small values go together");
	batch_init(&batch, GA_int8);
	batch_add_ints(&batch, "ints", ints, 3);
	for (i = 0; i < n; i++)
		small[i] = value_of(&batch, 0, next_id++);
	tap_check(values_have(&clients[0], small, n, &how) == n, "not loaded");
	for (i = 1; i < n_pages; i++)
		check_touch(&values[i], 31, true, GA_STORED_LOAD);
	tap_check(n_evictions() == before, "they take more than a page");
	check_touch(&values[0], 32, true, GA_STORED_LOAD);
	tap_check(n_evictions() == before + n, "%llu went",
			  (unsigned long long) (n_evictions() - before));
	batch_free(&batch);
	free(small);
	free(values);
	values_check_empty(&clients[0]);
	tap_end();
}

/* There is no room for it, and nothing is evicted in vain. */
static void
test_too_large(void)
{
	Value *values = page_values(2);
	Batch batch;
	Value value;

	tap_begin("a value that is larger than all");
	check_touch(&values[0], 40, true, GA_STORED_LOAD);
	batch_init(&batch, GA_int2);
	memset(
		batch_add(&batch, "large", (size_t) n_pages * PAGE_BYTES / 2 + 1, 0, 0),
		1, (size_t) n_pages * PAGE_BYTES + 2);
	value = value_of(&batch, 0, next_id++);
	check_touch(&value, 41, true, GA_STORED_STREAM);
	check_touch(&values[0], 40, true, GA_STORED_RESIDENT);

	/* one that is as large is none too large */
	batch.arrays[0].n--;
	value = value_of(&batch, 0, next_id++);
	check_touch(&value, 41, true, GA_STORED_LOAD);
	check_touch(&value, 41, true, GA_STORED_RESIDENT);
	check_touch(&values[0], 40, false, GA_STORED_STREAM);
	value.key.raw_bytes = UINT32_MAX;
	check_touch(&value, 42, true, GA_STORED_STREAM);
	value.key.raw_bytes = 24;
	check_touch(&value, 42, true, GA_STORED_STREAM);
	value.key.raw_bytes = 0;
	check_touch(&value, 42, true, GA_STORED_STREAM);
	batch_free(&batch);
	free(values);
	values_check_empty(&clients[0]);
	tap_end();
}

/* All that there is is being loaded, or in use. */
static void
test_pinned(void)
{
	const GaStoredLookup how = values_how(50);
	Value *values = page_values(n_pages + 1);
	GaRequest request;
	GaReply reply;

	tap_begin("what is in use stays");
	(void) values_ask(&clients[1], values, n_pages, &how);
	check_touch(&values[n_pages], 51, true, GA_STORED_STREAM);
	values_load(&clients[1], values, n_pages);

	request = values_name(&clients[1], values, n_pages, &how);
	client_send(&clients[1], &request);
	if (daemon_is_emulated())
	{
		sleep_ms(5);
		check_touch(&values[n_pages], 52, true, GA_STORED_STREAM);
	}
	tap_check(client_receive(&clients[1], &reply) &&
				  values_check(&clients[1], &reply, values, n_pages) == n_pages,
			  "they are not resident");
	check_touch(&values[n_pages], 53, true, GA_STORED_LOAD);
	free(values);
	values_check_empty(&clients[0]);
	tap_end();
}

static void
open_all(const char *faults)
{
	int i;

	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=16", faults,
				 NULL);
	for (i = 0; i < N_CLIENTS; i++)
		values_open(&clients[i], &gpuaggd, VALUES_DATABASE);
	n_pages =
		(uint32_t) (values_stat(&clients[0], false).cache_bytes / PAGE_BYTES);
}

static void
close_all(void)
{
	int i;

	for (i = 0; i < N_CLIENTS; i++)
		client_close(&clients[i]);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
}

int
main(void)
{
	Rng rng = {67};

	batch_init(&page, GA_int4);
	elements_fill_fast(GA_int4, &rng, PAGE_BYTES / 4,
					   batch_add(&page, "a page", PAGE_BYTES / 4, 0, 0));
	open_all(NULL);
	test_order();
	test_one_scan();
	test_protected();
	test_shared();
	test_too_large();
	close_all();
	open_all("--emulated-faults=slow_launch=30");
	test_pinned();
	close_all();
	batch_free(&page);
	return tap_done();
}
