/*
 * test_stored_parts.c
 *		GA_REDUCE_STORED of parts of arrays: a part has the sum, and all else,
 *		of its elements, wherever its pages are.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "stored_reduce.h"

/* Parts of each array. */
#define N_PARTS 40

static Daemon gpuaggd;
static Client client;

/* An array of the set, and parts of it, which are further arrays of the set. */
static void
add_with_parts(ArraySet *set, StoredArray *arrays, uint32_t *n_arrays, Rng *rng,
			   size_t n, uint32_t id)
{
	const uint32_t whole = set->n_arrays;
	StoredArray array;
	uint32_t i;

	if (n < 2000)
		array_set_add_random(set, rng, n, ARRAY_SET_PACKED, ARRAY_SET_PACKED);
	else
		elements_fill_fast(
			set->type, rng, n,
			array_set_add(set, "plain", n, ARRAY_SET_PACKED, ARRAY_SET_PACKED));
	array = stored_make(set, whole, id);
	arrays[(*n_arrays)++] = array;
	for (i = 0; i < N_PARTS; i++)
	{
		const size_t from = i < 2 ? 0 : rng_below(rng, n);
		const size_t most = n - from;
		const size_t n_part = i == 0 ? n :
							  i == 1 ? 1 :
							  i == 2 ? most :
									   1 + rng_below(rng, i % 2		 ? most :
														  most < 900 ? most :
																	   900);

		array_set_add_part(set, whole, from, n_part);
		array.i = set->n_arrays - 1;
		array.part = (GaStoredPart){(uint32_t) from, (uint32_t) n_part};
		arrays[(*n_arrays)++] = array;
	}
}

/* Of arrays of all sizes, in pages that lie apart. */
static void
test_parts(Rng *rng, GaElementType type)
{
	static const uint32_t n_bytes[] = {
		8, 64, 4096, 128 << 10, 256 << 10, 700000, 2 << 20, (5 << 20) + 8};
	const uint32_t n_wholes = sizeof(n_bytes) / sizeof(n_bytes[0]);
	const size_t size = ga_element_size(type);
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray arrays[8 * (N_PARTS + 1)];
	uint32_t n = 0;
	uint32_t n_known;
	ArraySet set;
	uint32_t i;

	tap_begin("%s: parts of resident arrays", ga_element_name(type));
	array_set_init(&set, type);
	for (i = 0; i < n_wholes; i++)
		add_with_parts(&set, arrays, &n, rng, n_bytes[i] / size,
					   STORED_FIRST + i);
	(void) stored_fragment(&client);
	for (i = 0; i < n; i += N_PARTS + 1)
		tap_check(stored_make_resident(&client, arrays + i, 1, &lookup) == 1,
				  "array %u is not resident", i);
	n_known = stored_request(&client, arrays, n, &lookup);
	tap_check(n_known == n, "%u of %u are resident", n_known, n);
	stored_reduce_all(&client, arrays, n);
	array_set_free(&set);
	tap_check(stored_clear(&client, 0) > 0, "nothing was cleared");
	tap_end();
}

/* What an array has not is cut off. */
static void
test_beyond(Rng *rng)
{
	static const GaStoredPart wanted[] = {{100, 1}, {UINT32_MAX, UINT32_MAX},
										  {99, 2},	{50, UINT32_MAX},
										  {0, 101}, {UINT32_MAX, 0}};
	static const GaStoredPart parts[] = {{100, 0}, {100, 0}, {99, 1},
										 {50, 50}, {0, 100}, {0, 100}};
	const uint32_t n = sizeof(wanted) / sizeof(wanted[0]);
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray arrays[6];
	ArraySet set;
	uint32_t i;

	tap_begin("parts that an array has not");
	array_set_init(&set, GA_float8);
	array_set_add_random(&set, rng, 100, 0, 0);
	arrays[0] = stored_make(&set, 0, STORED_FIRST);
	tap_check(stored_make_resident(&client, arrays, 1, &lookup) == 1,
			  "it is not resident");
	for (i = 0; i < n; i++)
	{
		array_set_add_part(&set, 0, parts[i].from, parts[i].n);
		arrays[i] = stored_make(&set, 0, STORED_FIRST);
		arrays[i].i = i + 1;
		arrays[i].part = wanted[i];
	}
	tap_check(stored_request(&client, arrays, n, &lookup) == n,
			  "they are not resident");
	stored_reduce_all(&client, arrays, n);
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

/* A session that will not load an array for a part reserves nothing. */
static void
test_small(Rng *rng)
{
	GaStoredLookup lookup = stored_lookup_next();
	StoredArray array;
	GaStatRow before;
	GaStatRow after;
	ArraySet set;

	tap_begin("a part of an array that is not resident");
	array_set_init(&set, GA_int4);
	array_set_add_random(&set, rng, 1000, 0, 0);
	array_set_add_part(&set, 0, 7, 30);
	array = stored_make(&set, 0, STORED_FIRST);
	array.i = 1;
	array.part = (GaStoredPart){7, 30};
	lookup.loads = 0;
	before = stored_stat(&client, false);
	tap_check(stored_request_one(&client, &array, &lookup) == GA_STORED_STREAM,
			  "state %u", stored_state(&client, 0));
	after = stored_stat(&client, false);
	tap_check(after.n_streamed == before.n_streamed &&
				  after.n_misses == before.n_misses && after.n_resident == 0,
			  "it is counted, or expected");

	/* one that will loads all of it */
	lookup.loads = 1;
	tap_check(stored_request_one(&client, &array, &lookup) == GA_STORED_LOAD,
			  "state %u", stored_state(&client, 0));
	array.i = 0;
	stored_load(&client, &array, 1);
	array.i = 1;
	tap_check(stored_request_one(&client, &array, &lookup) ==
				  GA_STORED_RESIDENT,
			  "it is not resident");
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

int
main(void)
{
	Rng rng = {61};
	int type;

	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=88", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		test_parts(&rng, (GaElementType) type);
	test_beyond(&rng);
	test_small(&rng);
	client_close(&client);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	return tap_done();
}
