/*
 * test_stored_memory.c
 *		What gpuaggd's own memory takes for what it knows of resident arrays:
 *		little for each, no more than a limit, and nothing once they are gone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"
#include "stored_scan.h"

#define N_MANY 1000000

/* Most bytes of host memory for an array, and when all are gone. */
#define MOST_BYTES 80
#define MOST_LEFT  (1 << 20)

/* What a small array takes of the emulated device's memory. */
#define DEVICE_BYTES 64

static Daemon gpuaggd;
static Client client;
static ArraySet set; /* one small array */
static uint64_t statement_id;

/* The resident memory of gpuaggd. */
static int64_t
resident_bytes(void)
{
	long long n_pages = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int) gpuaggd.pid);
	file = fopen(path, "r");
	tap_check(file != NULL && fscanf(file, "%*d %lld", &n_pages) == 1, "%s",
			  path);
	if (file != NULL)
		fclose(file);
	return n_pages * sysconf(_SC_PAGESIZE);
}

/*
 * Is the resident memory that of gpuaggd itself?  Sanitizers keep what was
 * freed, and a GPU's memory is its own.
 */
static bool
tells_memory(void)
{
	const char *program = getenv("GA_GPUAGGD");

	return daemon_is_emulated() &&
		   (program == NULL || strstr(program, "sanitized") == NULL);
}

/* Load n arrays under ids from one on, in one statement. */
static void
load_many(uint32_t first, uint32_t n)
{
	const GaStoredLookup lookup = stored_lookup(++statement_id);
	StoredArray *arrays = malloc(GA_SLOT_ARRAYS * sizeof(*arrays));
	uint32_t done;
	uint32_t i;

	for (done = 0; done < n; done += i)
	{
		for (i = 0; i < GA_SLOT_ARRAYS && done + i < n; i++)
			arrays[i] = stored_make(&set, 0, first + done + i);
		(void) stored_request(&client, arrays, i, &lookup);
		stored_load(&client, arrays, i);
	}
	free(arrays);
}

/* Return how many of n arrays from an id on are resident. */
static uint32_t
count_resident(uint32_t first, uint32_t n)
{
	GaStoredLookup lookup = stored_lookup(statement_id);
	StoredArray *arrays = malloc(n * sizeof(*arrays));
	uint32_t n_resident;
	uint32_t i;

	lookup.loads = 0;
	for (i = 0; i < n; i++)
		arrays[i] = stored_make(&set, 0, first + i);
	n_resident = stored_request(&client, arrays, n, &lookup);
	free(arrays);
	return n_resident;
}

static void
start(const char *cache_size)
{
	daemon_start(&gpuaggd, "--staging-size=24", cache_size, NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
}

static void
stop(void)
{
	client_close(&client);
	daemon_stop(&gpuaggd);
}

/* A million arrays take little memory, and leave nothing. */
static void
test_many(void)
{
	int64_t before;
	int64_t full;
	int64_t left;
	GaStatRow stat;

	tap_begin("a million arrays take at most %d bytes each", MOST_BYTES);
	load_many(STORED_FIRST, GA_SLOT_ARRAYS);
	(void) stored_clear(&client, 0);
	before = resident_bytes();
	load_many(STORED_FIRST, N_MANY);
	full = resident_bytes() - before;
	stat = stored_stat(&client, false);
	tap_check(stat.n_resident == N_MANY, "%llu arrays",
			  (unsigned long long) stat.n_resident);
	tap_check(stat.host_bytes <= (uint64_t) N_MANY * MOST_BYTES,
			  "%.1f bytes each", (double) stat.host_bytes / N_MANY);
	if (tells_memory())
		tap_check(full <= (int64_t) N_MANY * (MOST_BYTES + DEVICE_BYTES),
				  "%.1f bytes each, with those of the device",
				  (double) full / N_MANY);
	tap_check(count_resident(STORED_FIRST, GA_SLOT_ARRAYS) == GA_SLOT_ARRAYS &&
				  count_resident(STORED_FIRST + N_MANY - 1000, 2000) == 1000,
			  "not all are found");
	tap_end();

	tap_begin("nothing is left of them after a clear");
	tap_check(stored_clear(&client, 0) == N_MANY, "not all are removed");
	left = resident_bytes() - before;
	stat = stored_stat(&client, false);
	tap_check(stat.host_bytes <= MOST_LEFT, "%llu bytes are left",
			  (unsigned long long) stat.host_bytes);
	if (tells_memory())
		tap_check(left <= MOST_LEFT, "%lld bytes of resident memory are left",
				  (long long) left);
	tap_check(count_resident(STORED_FIRST, 100) == 0, "some are found");
	tap_end();
}

/* Every second array goes: the others are found, and their places used. */
static void
test_holes(void)
{
	const uint32_t n = 40000;
	GaStatRow before;
	GaStatRow stat;
	uint32_t i;

	tap_begin("places of arrays that were removed are used again");
	for (i = 0; i < n; i += 1000)
	{
		load_many(STORED_FIRST + i, 1000);
		load_many(STORED_FIRST + N_MANY + i, 1000);
	}
	before = stored_stat(&client, false);
	for (i = 0; i < 4; i++)
	{
		StoredArray array = stored_make(&set, 0, STORED_FIRST + n + i);
		const GaStoredLookup lookup = stored_lookup(++statement_id);

		array.key.relation++;
		tap_check(stored_make_resident(&client, &array, 1, &lookup) == 1,
				  "not resident");
	}
	tap_check(stored_clear(&client, STORED_RELATION + 1) == 4, "not four");
	tap_check(stored_clear(&client, STORED_RELATION) == 2 * n, "not all");
	load_many(STORED_FIRST, 2 * n);
	stat = stored_stat(&client, false);
	tap_check(stat.host_bytes <= before.host_bytes + (128 << 10),
			  "%llu bytes, before %llu", (unsigned long long) stat.host_bytes,
			  (unsigned long long) before.host_bytes);
	for (i = 0; i < 2 * n; i += 4000)
		tap_check(count_resident(STORED_FIRST + i, 4000) == 4000,
				  "some from %u on are not found", i);
	stored_check_empty(&client);
	tap_end();
}

/* What was learned by scanning counts, too, and goes with the arrays. */
static void
test_hints(void)
{
	const uint32_t n = 2000;
	GaStatRow before;
	GaStatRow after;
	ArraySet floats;
	char must[64];
	size_t n_must;
	uint32_t i;

	tap_begin("hints are counted, and go with their arrays");
	array_set_init_scan(&floats, GA_float8);
	array_set_add_doubles(&floats, "floats", (double[]){1.5, 2.5, 1e-3}, 3);
	n_must = array_set_expect(&floats, 0, must);
	before = stored_stat(&client, false);
	for (i = 0; i < n; i++)
	{
		StoredArray array = stored_make(&floats, 0, STORED_FIRST + i);
		const GaStoredLookup lookup = stored_lookup(++statement_id);
		GaRequest request;

		tap_check(stored_make_resident(&client, &array, 1, &lookup) == 1,
				  "not resident");
		request = stored_scan(&array, statement_id, 1, 0, 3);
		client_send(&client, &request);
		(void) stored_check_scan(&client, &request, &floats, must, n_must);
	}
	after = stored_stat(&client, false);
	tap_check(after.host_bytes >= before.host_bytes + n * 24,
			  "%llu bytes more for %u arrays with hints",
			  (unsigned long long) (after.host_bytes - before.host_bytes), n);
	tap_check(stored_clear(&client, 0) == n, "not all are removed");
	tap_check(stored_stat(&client, false).host_bytes <= MOST_LEFT,
			  "hints are left");
	array_set_free(&floats);
	tap_end();
}

/* At the limit, what was used last stays: by statement, as with the device. */
static void
test_limit(void)
{
	const uint32_t n = 5 * GA_SLOT_ARRAYS;
	GaStatRow stat;
	uint32_t i;

	tap_begin("at the limit others are evicted");
	for (i = 0; i < n; i += GA_SLOT_ARRAYS)
		load_many(STORED_FIRST + i, GA_SLOT_ARRAYS);
	stat = stored_stat(&client, true);
	tap_check(stat.n_evictions > 0 && stat.n_streamed == 0,
			  "%llu evictions, %llu streamed",
			  (unsigned long long) stat.n_evictions,
			  (unsigned long long) stat.n_streamed);
	tap_check(stat.n_resident + stat.n_evictions == n, "%llu are resident",
			  (unsigned long long) stat.n_resident);
	/* but for what tables and loads need, which is not limited */
	tap_check(stat.host_bytes <= stat.host_limit_bytes + (256 << 10),
			  "%llu bytes, the limit is %llu",
			  (unsigned long long) stat.host_bytes,
			  (unsigned long long) stat.host_limit_bytes);
	tap_check(count_resident(STORED_FIRST + n - GA_SLOT_ARRAYS,
							 GA_SLOT_ARRAYS) == GA_SLOT_ARRAYS,
			  "those of the last statement are evicted");
	stored_check_empty(&client);
	tap_end();

	tap_begin("but not by the statement that loaded them");
	load_many(STORED_FIRST, n);
	stat = stored_stat(&client, true);
	tap_check(stat.n_evictions == 0 && stat.n_streamed > 0 &&
				  stat.n_resident + stat.n_streamed == n,
			  "%llu evictions, %llu streamed, %llu resident",
			  (unsigned long long) stat.n_evictions,
			  (unsigned long long) stat.n_streamed,
			  (unsigned long long) stat.n_resident);
	tap_check(count_resident(STORED_FIRST, GA_SLOT_ARRAYS) == GA_SLOT_ARRAYS,
			  "the first ones are evicted");
	stored_check_empty(&client);
	tap_end();
}

int
main(void)
{
	static const int64_t ints[] = {1, 2, 3, 4};

	array_set_init(&set, GA_int4);
	array_set_add_ints(&set, "ints", ints, 4);
	start("--cache-size=2048");
	test_many();
	test_holes();
	test_hints();
	stop();
	start("--cache-size=12");
	test_limit();
	stop();
	array_set_free(&set);
	return tap_done();
}
