/*
 * test_stored_view.c
 *		The reports about stored arrays, GA_CACHE and GA_STAT, and their
 *		removal, GA_CLEAR.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"
#include "stored_scan.h"

static Daemon gpuaggd;
static Client client;
static uint64_t statement_id; /* each test has its own */

/* Return the rows of GA_CACHE, which the caller unmaps. */
static GaCacheRow *
cache_rows(Client *who, uint64_t *n)
{
	const GaRequest request = {.opcode = GA_CACHE};
	GaCacheRow *rows;
	GaReply reply;
	int fd;

	client_send(who, &request);
	tap_check(client_receive_file(who, &reply, &fd) && reply.status == GA_OK &&
				  fd >= 0,
			  "no rows: %d", reply.status);
	*n = reply.u.cache.n_rows;
	rows = mmap(NULL, *n * sizeof(*rows) + 1, PROT_READ, MAP_PRIVATE, fd, 0);
	tap_check(rows != MAP_FAILED, "no map of the rows");
	close(fd);
	return rows;
}

static void
check_row(Client *who, uint32_t database, uint32_t relation, uint64_t n_values,
		  uint64_t n_bytes, uint64_t n_hits)
{
	uint64_t n;
	GaCacheRow *rows = cache_rows(who, &n);
	bool is_there = false;
	uint64_t i;

	for (i = 0; i < n; i++)
		is_there =
			is_there ||
			(rows[i].database == database && rows[i].relation == relation &&
			 rows[i].n_arrays == n_values && rows[i].n_bytes == n_bytes &&
			 rows[i].n_hits == n_hits &&
			 rows[i].used_us > INT64_C(1600000000000000));
	tap_check(is_there == (n_values > 0), "database %u, relation %u", database,
			  relation);
	munmap(rows, n * sizeof(*rows) + 1);
}

/* Two databases with the same relations: each clears its own. */
static void
test_clear(void)
{
	const GaStoredLookup lookup = stored_lookup(++statement_id);
	static const int64_t ints[] = {1, 2, 3, 4};
	Client stranger;
	ArraySet set;
	StoredArray arrays[3];

	tap_begin("clear, and what is resident");
	stored_open(&stranger, &gpuaggd, STORED_DATABASE + 1);
	array_set_init(&set, GA_int4);
	array_set_add_ints(&set, "ints", ints, 4);
	arrays[0] = stored_make(&set, 0, STORED_FIRST);
	arrays[1] = stored_make(&set, 0, STORED_FIRST + 1);
	arrays[2] = arrays[1];
	arrays[2].key.relation++;
	tap_check(stored_make_resident(&client, arrays, 3, &lookup) == 3 &&
				  stored_make_resident(&stranger, arrays, 2, &lookup) == 2,
			  "not loaded");
	check_row(&client, STORED_DATABASE, STORED_RELATION, 2, 32, 2);
	check_row(&client, STORED_DATABASE, STORED_RELATION + 1, 1, 16, 1);
	check_row(&client, STORED_DATABASE + 1, STORED_RELATION, 2, 32, 2);

	tap_check(stored_clear(&client, STORED_RELATION) == 2, "not two");
	check_row(&client, STORED_DATABASE, STORED_RELATION, 0, 0, 0);
	check_row(&client, STORED_DATABASE + 1, STORED_RELATION, 2, 32, 2);
	tap_check(stored_clear(&client, STORED_RELATION) == 0, "some are left");
	tap_check(stored_request(&stranger, arrays, 2, &lookup) == 2,
			  "the other's");
	tap_check(stored_request(&client, arrays, 3, &lookup) == 1,
			  "the other relation");
	tap_check(stored_clear(&stranger, 0) == 5, "not all of them");
	client_close(&stranger);
	stored_check_empty(&client);
	array_set_free(&set);
	tap_end();
}

/* Counters begin anew; what is resident stays. */
static void
test_stat(Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup(++statement_id);
	const uint32_t n_bytes = 300000;
	GaStatRow stat;
	ArraySet set;
	StoredArray array;
	size_t i;

	tap_begin("counters");
	array_set_init(&set, GA_float4);
	array_set_add_random(&set, rng, n_bytes / sizeof(float), 0, 0);
	array = stored_make(&set, 0, STORED_FIRST);
	(void) stored_stat(&client, true);
	tap_check(stored_make_resident(&client, &array, 1, &lookup) == 1,
			  "not loaded");
	stat = stored_stat(&client, true);
	tap_check(stat.n_requests == 2 && stat.n_arrays == 0 && stat.n_hits == 1 &&
				  stat.n_misses == 1 && stat.n_streamed == 0 &&
				  stat.n_evictions == 0 && stat.n_bytes_in == n_bytes &&
				  stat.n_bytes_out == 0,
			  "%llu requests, %llu hits, %llu misses",
			  (unsigned long long) stat.n_requests,
			  (unsigned long long) stat.n_hits,
			  (unsigned long long) stat.n_misses);
	tap_check(stat.n_resident == 1 && stat.n_cache_bytes == n_bytes &&
				  stat.cache_bytes > n_bytes,
			  "%llu arrays", (unsigned long long) stat.n_resident);
	stat = stored_stat(&client, false);
	tap_check(stat.n_requests == 0 && stat.n_hits == 0 && stat.n_misses == 0 &&
				  stat.n_bytes_in == 0 && stat.n_resident == 1,
			  "not from zero");

	/* a session that asked before, and loaded it, finds it: this is no hit */
	array.is_missed = 1;
	tap_check(stored_request(&client, &array, 1, &lookup) == 1, "not there");
	check_row(&client, STORED_DATABASE, STORED_RELATION, 1, n_bytes, 1);
	tap_check(stored_stat(&client, true).n_hits == 0, "its own load is a hit");

	/* running totals are one hit, however many segments they have */
	array.is_missed = 0;
	for (i = 0; i < 3; i++)
	{
		GaRequest scan = stored_scan(&array, statement_id, 0, 1000 * i, 1000);

		scan.u.scan.continues = i > 0;
		tap_check(client_call(&client, &scan).status == GA_OK, "no totals");
	}
	check_row(&client, STORED_DATABASE, STORED_RELATION, 1, n_bytes, 2);
	tap_check(stored_stat(&client, true).n_hits == 1, "not one hit");
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

int
main(void)
{
	Rng rng = {79};

	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=64", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	test_clear();
	test_stat(&rng);
	client_close(&client);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	return tap_done();
}
