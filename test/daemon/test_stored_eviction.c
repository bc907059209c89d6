/*
 * test_stored_eviction.c
 *		Little memory for arrays: which are evicted, and which stay.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "stored.h"

#define PAGE_BYTES (256 << 10)
#define N_CLIENTS  2
#define SLOW_MS	   300
#define MOST_TRIES 5

static Daemon gpuaggd;
static Client clients[N_CLIENTS];
static ArraySet page;	 /* an array as large as a page */
static uint32_t n_pages; /* that there are */
static uint32_t next_id = STORED_FIRST;

/* As many arrays of a page as there is memory for. */
static StoredArray *
page_values(uint32_t n)
{
	StoredArray *arrays = malloc(n * sizeof(*arrays));
	uint32_t i;

	for (i = 0; i < n; i++)
		arrays[i] = stored_make(&page, 0, next_id++);
	return arrays;
}

/* Ask for an array in a statement, and load it if it is to be loaded. */
static GaStoredState
touch(Client *who, const StoredArray *array, uint64_t statement_id, bool loads)
{
	GaStoredLookup lookup = stored_lookup(statement_id);
	GaStoredState state;

	lookup.loads = loads;
	state = stored_request_one(who, array, &lookup);
	if (state == GA_STORED_LOAD)
		stored_load(who, array, 1);
	return state;
}

static void
check_touch(const StoredArray *array, uint64_t statement_id, bool loads,
			GaStoredState state)
{
	GaStoredState is = touch(&clients[0], array, statement_id, loads);

	tap_check(is == state, "array %u, statement %llu: state %u, must be %u",
			  array->key.value_id - STORED_FIRST,
			  (unsigned long long) statement_id, is, state);
}

static uint64_t
n_evictions(void)
{
	return stored_stat(&clients[0], false).n_evictions;
}

/* The least recently used array is evicted. */
static void
test_order(void)
{
	StoredArray *arrays = page_values(n_pages + 2);
	uint64_t before = n_evictions();
	uint32_t i;

	tap_begin("what was not used for longest goes first");
	for (i = 0; i < n_pages; i++)
		check_touch(&arrays[i], 100 + i, true, GA_STORED_LOAD);
	check_touch(&arrays[0], 100, true, GA_STORED_RESIDENT);
	tap_check(n_evictions() == before, "there is no memory for all");
	check_touch(&arrays[n_pages], 10000, true, GA_STORED_LOAD);
	check_touch(&arrays[n_pages + 1], 10001, true, GA_STORED_LOAD);
	tap_check(n_evictions() == before + 2, "not two went");
	check_touch(&arrays[1], 101, false, GA_STORED_STREAM);
	check_touch(&arrays[2], 102, false, GA_STORED_STREAM);
	for (i = 0; i < n_pages; i++)
	{
		if (i != 1 && i != 2)
			check_touch(&arrays[i], 100 + i, false, GA_STORED_RESIDENT);
	}
	free(arrays);
	stored_check_empty(&clients[0]);
	tap_end();
}

/* A statement over more than there is memory for keeps what it loaded first. */
static void
test_one_scan(void)
{
	StoredArray *arrays = page_values(2 * n_pages);
	uint64_t before = n_evictions();
	uint32_t i;

	tap_begin("a statement does not evict what itself used");
	for (i = 0; i < 2 * n_pages; i++)
		check_touch(&arrays[i], 7, true,
					i < n_pages ? GA_STORED_LOAD : GA_STORED_STREAM);
	tap_check(n_evictions() == before, "some went");
	for (i = 0; i < n_pages; i++)
		check_touch(&arrays[i], 7, true, GA_STORED_RESIDENT);

	/* another one does */
	check_touch(&arrays[n_pages], 8, true, GA_STORED_LOAD);
	tap_check(n_evictions() == before + 1, "not one went");
	free(arrays);
	stored_check_empty(&clients[0]);
	tap_end();
}

/* Ask for an array that a statement would load later. */
static void
check_later(const StoredArray *array, uint64_t statement_id,
			GaStoredState state)
{
	GaStoredLookup lookup = stored_lookup(statement_id);
	GaStoredState is;

	lookup.loads = GA_LOADS_LATER;
	is = stored_request_one(&clients[0], array, &lookup);
	tap_check(is == state, "array %u, later: state %u, must be %u",
			  array->key.value_id - STORED_FIRST, is, state);
}

/*
 * A statement that loads later evicts nothing that it comes to meanwhile, nor
 * what it has found in doubt; only then is an array counted as one that is
 * missing, or streamed.
 */
static void
test_later(void)
{
	StoredArray *arrays = page_values(n_pages + 2);
	GaStatRow before, after;
	uint32_t i;

	tap_begin("what is loaded later evicts nothing before");
	arrays[1].is_settled = 0;
	for (i = 1; i <= n_pages; i++)
		check_touch(&arrays[i], 11, true, GA_STORED_LOAD);
	before = stored_stat(&clients[0], false);
	for (i = 0; i < n_pages + 2; i++)
		check_later(&arrays[i], 12,
					i == 0 || i > n_pages ? GA_STORED_MISSING :
					i == 1				  ? GA_STORED_DOUBT :
											GA_STORED_RESIDENT);
	after = stored_stat(&clients[0], false);
	tap_check(after.n_evictions == before.n_evictions &&
				  after.n_misses == before.n_misses &&
				  after.n_streamed == before.n_streamed,
			  "evicted, or counted");
	check_touch(&arrays[0], 12, true, GA_STORED_STREAM);
	check_touch(&arrays[0], 13, true, GA_STORED_LOAD);
	free(arrays);
	stored_check_empty(&clients[0]);
	tap_end();
}

/* What two scans used stays when a third one goes through very much. */
static void
test_protected(void)
{
	const uint32_t n = n_pages / 4;
	StoredArray *arrays = page_values(3 * n_pages);
	uint32_t n_streamed = 0;
	uint32_t i;

	tap_begin("what two scans used stays");
	for (i = 0; i < n; i++)
		check_touch(&arrays[i], 20, true, GA_STORED_LOAD);
	for (i = 0; i < n; i++)
		check_touch(&arrays[i], 21, true, GA_STORED_RESIDENT);
	for (; i < 3 * n_pages; i++)
		n_streamed +=
			touch(&clients[0], &arrays[i], 22, true) == GA_STORED_STREAM;
	tap_check(n_streamed == 2 * n_pages, "%u were not loaded", n_streamed);
	for (i = 0; i < n; i++)
		check_touch(&arrays[i], 23, true, GA_STORED_RESIDENT);

	/* but no more than half of all */
	for (i = 0; i < n_pages; i++)
		check_touch(&arrays[i], 24, true, GA_STORED_RESIDENT);
	check_touch(&arrays[n_pages], 25, true, GA_STORED_LOAD);
	for (i = 1; i < n_pages / 2; i++)
		check_touch(&arrays[n_pages + i], 25, true, GA_STORED_LOAD);
	free(arrays);
	stored_check_empty(&clients[0]);
	tap_end();
}

/* Small arrays go with the page that they share, and only then. */
static void
test_shared(void)
{
	static const int64_t ints[] = {1, 2, 3};
	const uint32_t n = PAGE_BYTES / 64;
	const GaStoredLookup lookup = stored_lookup(30);
	StoredArray *arrays = page_values(n_pages);
	StoredArray *small = malloc(n * sizeof(*small));
	uint64_t before = n_evictions();
	ArraySet set;
	uint32_t i;

	tap_begin("small arrays go together");
	array_set_init(&set, GA_int8);
	array_set_add_ints(&set, "ints", ints, 3);
	for (i = 0; i < n; i++)
		small[i] = stored_make(&set, 0, next_id++);
	tap_check(stored_make_resident(&clients[0], small, n, &lookup) == n,
			  "not loaded");
	for (i = 1; i < n_pages; i++)
		check_touch(&arrays[i], 31, true, GA_STORED_LOAD);
	tap_check(n_evictions() == before, "they take more than a page");
	check_touch(&arrays[0], 32, true, GA_STORED_LOAD);
	tap_check(n_evictions() == before + n, "%llu went",
			  (unsigned long long) (n_evictions() - before));
	array_set_free(&set);
	free(small);
	free(arrays);
	stored_check_empty(&clients[0]);
	tap_end();
}

/* There is no memory for it, and nothing is evicted in vain. */
static void
test_too_large(void)
{
	StoredArray *arrays = page_values(2);
	ArraySet set;
	StoredArray array;

	tap_begin("an array that is larger than all");
	check_touch(&arrays[0], 40, true, GA_STORED_LOAD);
	array_set_init(&set, GA_int2);
	memset(array_set_add(&set, "large", (size_t) n_pages * PAGE_BYTES / 2 + 1,
						 0, 0),
		   1, (size_t) n_pages * PAGE_BYTES + 2);
	array = stored_make(&set, 0, next_id++);
	check_touch(&array, 41, true, GA_STORED_STREAM);
	check_touch(&arrays[0], 40, true, GA_STORED_RESIDENT);

	/* one that is as large is none too large */
	set.arrays[0].n--;
	array = stored_make(&set, 0, next_id++);
	check_touch(&array, 41, true, GA_STORED_LOAD);
	check_touch(&array, 41, true, GA_STORED_RESIDENT);
	check_touch(&arrays[0], 40, false, GA_STORED_STREAM);
	array.key.raw_bytes = UINT32_MAX;
	check_touch(&array, 42, true, GA_STORED_STREAM);
	array.key.raw_bytes = 24;
	check_touch(&array, 42, true, GA_STORED_STREAM);
	array.key.raw_bytes = 0;
	check_touch(&array, 42, true, GA_STORED_STREAM);
	array_set_free(&set);
	free(arrays);
	stored_check_empty(&clients[0]);
	tap_end();
}

/*
 * All that there is is being loaded, or in use.  Return false if the use may
 * have ended before another array was asked for.
 */
static bool
try_pinned(void)
{
	const GaStoredLookup lookup = stored_lookup(50);
	const GaStoredLookup another = stored_lookup(52);
	StoredArray *arrays = page_values(n_pages + 1);
	bool is_late = false;
	double start_ms;
	GaRequest request;
	GaReply reply;

	(void) stored_request(&clients[1], arrays, n_pages, &lookup);
	check_touch(&arrays[n_pages], 51, true, GA_STORED_STREAM);
	stored_load(&clients[1], arrays, n_pages);

	request = stored_name(&clients[1], arrays, n_pages, &lookup);
	start_ms = now_ms();
	client_send(&clients[1], &request);
	if (daemon_is_emulated())
	{
		GaStoredState state;

		sleep_ms(5);
		state = stored_request_one(&clients[0], &arrays[n_pages], &another);
		is_late = now_ms() - start_ms >= SLOW_MS;
		tap_check(is_late || state == GA_STORED_STREAM, "state %u", state);
		if (state == GA_STORED_LOAD)
			stored_load(&clients[0], &arrays[n_pages], 1);
	}
	tap_check(client_receive(&clients[1], &reply) &&
				  stored_check(&clients[1], &reply, arrays, n_pages) == n_pages,
			  "they are not resident");
	if (!is_late)
		check_touch(&arrays[n_pages], 53, true, GA_STORED_LOAD);
	free(arrays);
	stored_check_empty(&clients[0]);
	return !is_late;
}

/* On a busy machine this program may be late, so it tries again. */
static void
test_pinned(void)
{
	int n_late = 0;

	tap_begin("what is in use stays");
	while (n_late < MOST_TRIES && !try_pinned())
		n_late++;
	tap_check(n_late < MOST_TRIES, "it was late each time");
	tap_end();
}

static void
open_all(const char *faults)
{
	int i;

	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=16", faults,
				 NULL);
	for (i = 0; i < N_CLIENTS; i++)
		stored_open(&clients[i], &gpuaggd, STORED_DATABASE);
	n_pages =
		(uint32_t) (stored_stat(&clients[0], false).cache_bytes / PAGE_BYTES);
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
	char slow[64];

	array_set_init(&page, GA_int4);
	elements_fill_fast(GA_int4, &rng, PAGE_BYTES / 4,
					   array_set_add(&page, "a page", PAGE_BYTES / 4, 0, 0));
	open_all(NULL);
	test_order();
	test_one_scan();
	test_later();
	test_protected();
	test_shared();
	test_too_large();
	close_all();
	snprintf(slow, sizeof(slow), "--emulated-faults=slow_launch=%d", SLOW_MS);
	open_all(slow);
	test_pinned();
	close_all();
	array_set_free(&page);
	return tap_done();
}
