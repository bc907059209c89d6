/*
 * test_packed.c
 *		Packed arrays: what is computed of them is what is computed of plain
 *		ones, and they take less memory.
 *
 * Two gpuaggds run side by side, one of which packs no arrays.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/device_check.h"
#include "stored.h"
#include "stored_elem.h"
#include "stored_reduce.h"
#include "stored_scan.h"
#include "tap.h"

/* Elements of a large array: some pages, and a part of a vector. */
#define N_LARGE 300001

#define N_ARRAYS 4

typedef struct Side
{
	Daemon daemon;
	Client client;
} Side;

static Side packed;
static Side plain;

static void
open_side(Side *side, const char *option)
{
	daemon_start(&side->daemon, "--staging-size=32", "--cache-size=88", option,
				 NULL);
	stored_open(&side->client, &side->daemon, STORED_DATABASE);
}

static void
close_side(Side *side)
{
	client_close(&side->client);
	daemon_stop(&side->daemon);
}

/* Elements that take few bits: decimals, some of which are negative. */
static void
fill_decimals(GaElementType type, Rng *rng, size_t n, void *to)
{
	double *x = malloc(n * sizeof(*x));
	int64_t *ints = malloc(n * sizeof(*ints));
	size_t i;

	for (i = 0; i < n; i++)
	{
		ints[i] = (int64_t) rng_below(rng, 200) - 50;
		x[i] = (double) ints[i] / 100;
	}
	if (ga_element_is_float(type))
		elements_put(type, x, n, to);
	else
		elements_put_int(type, ints, n, to);
	free(x);
	free(ints);
}

static void
add_decimals(ArraySet *set, Rng *rng, size_t n)
{
	fill_decimals(set->type, rng, n, array_set_add(set, "decimals", n, 0, 0));
}

/* Two arrays of decimals, a small one, and one that cannot be packed. */
static StoredArray *
make_arrays(ArraySet *set, Rng *rng, int mode)
{
	array_set_init_scan(set, mode);
	add_decimals(set, rng, N_LARGE);
	add_decimals(set, rng, N_LARGE);
	add_decimals(set, rng, 1000);
	elements_fill_fast(set->type, rng, N_LARGE,
					   array_set_add(set, "random", N_LARGE, 0, 0));
	return stored_make_all(set, STORED_FIRST);
}

static GaStatRow
stat_of(Side *side)
{
	return stored_stat(&side->client, false);
}

/* Load arrays on a side; check their sums. */
static void
load(Side *side, const StoredArray *arrays, uint32_t n)
{
	const GaStoredLookup lookup = stored_lookup_next();

	tap_check(stored_make_resident(&side->client, arrays, n, &lookup) == n,
			  "not all of %u are resident", n);
}

/* Check that some arrays are packed on one side, and none on the other. */
static void
check_bytes(uint64_t n_bytes)
{
	const GaStatRow with = stat_of(&packed);
	const GaStatRow without = stat_of(&plain);

	tap_check(with.n_plain_bytes == n_bytes &&
				  without.n_plain_bytes == n_bytes &&
				  without.n_cache_bytes == n_bytes,
			  "%llu and %llu bytes, must be %llu",
			  (unsigned long long) with.n_plain_bytes,
			  (unsigned long long) without.n_plain_bytes,
			  (unsigned long long) n_bytes);
	tap_check(with.n_cache_bytes < n_bytes, "%llu of %llu bytes",
			  (unsigned long long) with.n_cache_bytes,
			  (unsigned long long) n_bytes);
}

/* Send a request about slot 0 to both sides; compare data and replies. */
static void
compare(const GaRequest *request, const char *name)
{
	GaReply with, without;

	memset(client_data(&packed.client, 0), 0, GA_SLOT_DATA_BYTES);
	memset(client_data(&plain.client, 0), 0, GA_SLOT_DATA_BYTES);
	with = client_call(&packed.client, request);
	without = client_call(&plain.client, request);
	tap_check(with.status == GA_OK && without.status == GA_OK &&
				  with.u.scan.n_totals == without.u.scan.n_totals,
			  "%s: status %d, %s; plain %d, %s", name, with.status, with.reason,
			  without.status, without.reason);
	tap_check(memcmp(client_data(&packed.client, 0),
					 client_data(&plain.client, 0), GA_SLOT_DATA_BYTES) == 0,
			  "%s: other bits", name);
}

/* Running totals of parts of an array, from anywhere. */
static void
compare_scans(Rng *rng, const StoredArray *array, int mode)
{
	int round;

	for (round = 0; round < 5; round++)
	{
		const size_t from =
			round == 0 ? 0 : (size_t) rng_below(rng, N_LARGE - 1);
		const size_t limit = stored_scan_limit(array->set, false);
		const size_t n = N_LARGE - from < limit ? N_LARGE - from : limit;
		GaRequest request = stored_scan(array, 1000, 0, from, n);

		request.u.scan.is_int128 = mode == SCAN_INT128;
		compare(&request, "running totals");
	}
}

/* Windows of all forms: buckets, those that move, extremes that run. */
static void
compare_windows(const StoredArray *array)
{
	const uint32_t n = 20000;
	const GaWindows all[] = {
		{n, 777, 0, 777}, {n, 1, 19, 20}, {n, 1, n - 1, n}, {n, 1, 0, 2}};
	uint32_t i, form;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (form = GA_FORM_RECORD + 1; form < GA_N_ALL_FORMS; form++)
		{
			GaRequest request = {.opcode = GA_WINDOW,
								 .u.window = {.type = array->set->type,
											  .form = form,
											  .windows = all[i],
											  .from = 123457,
											  .n = ga_windows_count(&all[i]),
											  .lookup = stored_lookup_next()}};

			if (!ga_window_has_form(array->set->type, form) ||
				ga_windows_fault(&all[i], (GaElemForm) form) != NULL)
				continue;
			request.u.window.stored.key = array->key;
			request.u.window.lookup.loads = 0;
			compare(&request, "windows");
		}
}

/* All forms by position, of packed arrays beside one that is not. */
static void
compare_elem(const StoredArray *arrays)
{
	const StoredArray large[] = {arrays[0], arrays[3], arrays[1]};
	uint32_t form;

	for (form = GA_FORM_RECORD; form < GA_N_ELEM_FORMS; form++)
	{
		GaRequest request;

		if (!ga_elem_has_form(arrays->set->type, form))
			continue;
		(void) elem_name(&plain.client, 0, large, 3, 100001, 30000);
		request = elem_name(&packed.client, 0, large, 3, 100001, 30000);
		request.u.elem.form = form;
		compare(&request, "by position");
	}
}

/* Everything that is computed of resident arrays, of one type. */
static void
test_type(Rng *rng, int mode)
{
	StoredArray *arrays;
	ArraySet set;
	uint64_t n_bytes = 0;
	uint32_t i;

	tap_begin("packed arrays of %s give the same bits",
			  array_set_mode_name(mode));
	arrays = make_arrays(&set, rng, mode);
	for (i = 0; i < N_ARRAYS; i++)
		n_bytes += set.arrays[i].n * ga_element_size(set.type);
	load(&packed, arrays, N_ARRAYS);
	load(&plain, arrays, N_ARRAYS);
	check_bytes(n_bytes);
	stored_reduce_all(&packed.client, arrays, N_ARRAYS);
	compare_scans(rng, &arrays[0], mode);
	compare_windows(&arrays[0]);
	compare_elem(arrays);
	stored_check_empty(&packed.client);
	stored_check_empty(&plain.client);
	free(arrays);
	array_set_free(&set);
	tap_end();
}

/* Arrays of few pages, and of no elements but NULLs, which takes pages. */
static void
test_lengths(Rng *rng)
{
	static const size_t lengths[] = {1,		65536, 65537,  66560,
									 98304, 98305, 131072, 1 << 20};
	const uint32_t n = sizeof(lengths) / sizeof(lengths[0]);
	StoredArray *arrays;
	ArraySet set;
	uint32_t i;

	tap_begin("arrays of all lengths");
	array_set_init(&set, GA_int4);
	for (i = 0; i < n; i++)
		add_decimals(&set, rng, lengths[i]);
	arrays = stored_make_all(&set, STORED_FIRST);
	/* with room for many NULLs */
	arrays[0].key.raw_bytes += 4 << 20;
	load(&packed, arrays, n);
	stored_reduce_all(&packed.client, arrays, n);
	stored_check_empty(&packed.client);
	free(arrays);
	array_set_free(&set);
	tap_end();
}

/* Pages of an array that lie apart, and headers, too. */
static void
test_fragments(Rng *rng)
{
	StoredArray array;
	ArraySet set;

	tap_begin("pages that lie apart");
	array_set_init(&set, GA_float8);
	add_decimals(&set, rng, N_LARGE);
	array = stored_make(&set, 0, STORED_FIRST);
	(void) stored_fragment(&packed.client);
	load(&packed, &array, 1);
	stored_reduce_all(&packed.client, &array, 1);
	stored_check_empty(&packed.client);
	array_set_free(&set);
	tap_end();
}

/* More arrays fit than if they were plain. */
static void
test_capacity(Rng *rng)
{
	StoredArray arrays[200];
	const uint32_t n = 200;
	const GaStoredLookup lookup = stored_lookup_next();
	ArraySet set;
	uint32_t n_packed, n_plain;
	uint32_t i;

	tap_begin("more packed arrays fit than plain ones");
	array_set_init(&set, GA_float8);
	add_decimals(&set, rng, 1 << 18);
	for (i = 0; i < n; i++)
		arrays[i] = stored_make(&set, 0, STORED_FIRST + i);
	for (i = n_packed = n_plain = 0; i < n; i++)
	{
		n_packed +=
			stored_make_resident(&packed.client, &arrays[i], 1, &lookup);
		n_plain += stored_make_resident(&plain.client, &arrays[i], 1, &lookup);
	}
	tap_check(n_plain < 88 / 2 && n_packed > 2 * n_plain,
			  "%u packed, %u plain ones", n_packed, n_plain);

	/* others replace them */
	for (i = 0; i < n; i++)
	{
		arrays[i] = stored_make(&set, 0, STORED_FIRST + n + i);
		load(&packed, &arrays[i], 1);
	}
	tap_check(stat_of(&packed).n_evictions > 0, "none is evicted");
	stored_check_empty(&packed.client);
	stored_check_empty(&plain.client);
	array_set_free(&set);
	tap_end();
}

/* The rows of GA_CACHE have the bytes of both. */
static void
test_view(Rng *rng)
{
	const GaRequest request = {.opcode = GA_CACHE};
	StoredArray array;
	ArraySet set;
	GaCacheRow row = {0};
	GaReply reply;
	int fd;

	tap_begin("what is resident, and what it takes");
	array_set_init(&set, GA_int8);
	add_decimals(&set, rng, N_LARGE);
	array = stored_make(&set, 0, STORED_FIRST);
	load(&packed, &array, 1);
	client_send(&packed.client, &request);
	tap_check(client_receive_file(&packed.client, &reply, &fd) &&
				  reply.u.cache.n_rows == 1 &&
				  pread(fd, &row, sizeof(row), 0) == sizeof(row),
			  "no row");
	close(fd);
	tap_check(row.n_bytes == N_LARGE * sizeof(int64_t) &&
				  row.n_packed_bytes == stat_of(&packed).n_cache_bytes &&
				  row.n_packed_bytes < row.n_bytes / 2 &&
				  row.n_packed_bytes >= N_LARGE / GA_PACKED_VECTOR * 16,
			  "%llu of %llu bytes", (unsigned long long) row.n_packed_bytes,
			  (unsigned long long) row.n_bytes);
	stored_check_empty(&packed.client);
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {113};
	int mode;

	open_side(&packed, "--cache-packing=on");
	open_side(&plain, "--cache-packing=off");
	for (mode = 0; mode < SCAN_N_MODES; mode++)
		test_type(&rng, mode);
	test_lengths(&rng);
	test_fragments(&rng);
	test_capacity(&rng);
	test_view(&rng);
	tap_begin("the end");
	close_side(&packed);
	close_side(&plain);
	tap_end();
	return tap_done();
}
