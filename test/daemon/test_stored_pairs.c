/*
 * test_stored_pairs.c
 *		GA_REDUCE_STORED of pairs: sums of products of resident arrays.
 */
#include <stdlib.h>
#include <string.h>

#include "stored_reduce.h"
#include "tap.h"

static Daemon gpuaggd;
static Client client;

/* Arrays and their second arrays, and how a request names them. */
typedef struct PairSet
{
	ArraySet set;
	ArraySet others;
	StoredArray *named; /* the first, its other, the second, its other ... */
	uint32_t n;			/* pairs */
} PairSet;

static void
open_pairs(PairSet *pairs)
{
	uint32_t i;

	array_set_make_others(&pairs->others, &pairs->set);
	pairs->n = pairs->set.n_arrays;
	pairs->named = malloc(2 * pairs->n * sizeof(*pairs->named));
	for (i = 0; i < pairs->n; i++)
	{
		pairs->named[2 * i] = stored_make(&pairs->set, i, STORED_FIRST + 2 * i);
		pairs->named[2 * i + 1] =
			stored_make(&pairs->others, i, STORED_FIRST + 2 * i + 1);
	}
}

static void
close_pairs(PairSet *pairs)
{
	stored_check_empty(&client);
	array_set_free(&pairs->set);
	array_set_free(&pairs->others);
	free(pairs->named);
}

/* Ask for pairs from one on; returns how many had results. */
static uint32_t
ask(const PairSet *pairs, uint32_t first, uint32_t n,
	const GaStoredLookup *lookup)
{
	const StoredArray *named = pairs->named + 2 * first;
	const GaPartialSum *records = client_lookup(&client, CLIENT_LOOKUP).sums;
	GaRequest request = stored_name(&client, named, 2 * n, lookup);
	uint32_t n_results = 0;
	GaReply reply;
	uint32_t i;

	memset(client_lookup(&client, CLIENT_LOOKUP).sums, 0xa5,
		   2 * n * sizeof(GaPartialSum));
	request.u.stored.reduction = GA_REDUCE_PRODUCTS;
	reply = client_call(&client, &request);
	tap_check(reply.opcode == GA_REDUCE_STORED && reply.status == GA_OK,
			  "status %d, %s", reply.status, reply.reason);
	for (i = 0; i < n && reply.status == GA_OK; i++)
	{
		if (stored_state(&client, 2 * i) != GA_STORED_RESIDENT ||
			stored_state(&client, 2 * i + 1) != GA_STORED_RESIDENT)
			continue;
		(void) array_set_check_pair(&pairs->set, &pairs->others, first + i,
									records + 2 * n_results);
		n_results++;
	}
	return n_results;
}

/* Arrays that have to be lines have no elements if they are none. */
static void
test_lines(Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup_next();
	const GaPartialSum *records;
	const GaStoredRef *refs;
	uint32_t n_results = 0;
	GaRequest request;
	PairSet pairs;
	GaReply reply;
	uint32_t i;

	tap_begin("pairs that have to be lines");
	stored_fill_set(&pairs.set, rng, GA_int4, 60);
	open_pairs(&pairs);
	for (i = 0; i < 2 * pairs.n; i++)
		pairs.named[i].is_no_line = rng_chance(rng, 4);
	tap_check(stored_make_resident(&client, pairs.named, 2 * pairs.n,
								   &lookup) == 2 * pairs.n,
			  "they are not resident");
	request = stored_name(&client, pairs.named, 2 * pairs.n, &lookup);
	refs = client_lookup(&client, CLIENT_LOOKUP).refs;
	records = client_lookup(&client, CLIENT_LOOKUP).sums;
	memset(client_lookup(&client, CLIENT_LOOKUP).sums, 0xa5,
		   (2 * pairs.n + 1) * sizeof(GaPartialSum));
	request.u.stored.reduction = GA_REDUCE_PRODUCTS;
	request.u.stored.lines = 1;
	reply = client_call(&client, &request);
	tap_check(reply.status == GA_OK, "status %d", reply.status);
	for (i = 0; i < 2 * pairs.n; i++)
		tap_check(
			refs[i].state == GA_STORED_RESIDENT &&
				refs[i].n ==
					(pairs.named[i].is_no_line ? 0 : pairs.set.arrays[i / 2].n),
			"array %u has %u elements", (unsigned) i, (unsigned) refs[i].n);
	for (i = 0; i < pairs.n; i++)
	{
		if (refs[2 * i].n == 0 || refs[2 * i + 1].n == 0)
			continue;
		(void) array_set_check_pair(&pairs.set, &pairs.others, i,
									records + 2 * n_results);
		n_results++;
	}
	tap_check(n_results > 0 && n_results < pairs.n, "%u pairs",
			  (unsigned) n_results);
	tap_check(*(const unsigned char *) &records[2 * n_results] == 0xa5,
			  "there are more results");
	close_pairs(&pairs);
	tap_end();
}

/* Pairs of all lengths, all in one request and each in one of its own. */
static void
test_pairs(Rng *rng, GaElementType type)
{
	const GaStoredLookup lookup = stored_lookup_next();
	PairSet pairs;
	uint32_t i;

	tap_begin("%s: pairs of all sizes", ga_element_name(type));
	stored_fill_set(&pairs.set, rng, type, (int) tap_cases(100));
	open_pairs(&pairs);
	tap_check(stored_make_resident(&client, pairs.named, 2 * pairs.n,
								   &lookup) == 2 * pairs.n,
			  "they are not resident");
	tap_check(ask(&pairs, 0, pairs.n, &lookup) == pairs.n, "not all");
	for (i = 0; i < pairs.n; i += 9)
		tap_check(ask(&pairs, i, 1, &lookup) == 1, "pair %u", (unsigned) i);
	close_pairs(&pairs);
	tap_end();
}

/* Pairs have results where both arrays are resident, without gaps. */
static void
test_mixed(Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup_next();
	uint32_t n_both = 0;
	PairSet pairs;
	uint32_t i;

	tap_begin("one, none or both of a pair are resident");
	stored_fill_set(&pairs.set, rng, GA_float8, 40);
	open_pairs(&pairs);
	for (i = 0; i < pairs.n; i++)
	{
		const int which = rng_between(rng, 0, 3);

		if (which & 1)
			(void) stored_make_resident(&client, pairs.named + 2 * i, 1,
										&lookup);
		if (which & 2)
			(void) stored_make_resident(&client, pairs.named + 2 * i + 1, 1,
										&lookup);
		n_both += which == 3;
	}
	tap_check(ask(&pairs, 0, pairs.n, &lookup) == n_both,
			  "not those of which both are");
	stored_load(&client, pairs.named, 2 * pairs.n);
	tap_check(ask(&pairs, 0, pairs.n, &lookup) == pairs.n,
			  "not all after loading the others");
	close_pairs(&pairs);
	tap_end();
}

/* Ask for a part of each array of a pair, and check the sums. */
static void
check_parts(PairSet *pairs, uint32_t i, uint32_t from, uint32_t other_from,
			uint32_t n)
{
	const GaStoredLookup lookup = stored_lookup_next();
	const size_t size = ga_element_size(pairs->set.type);
	StoredArray *named = pairs->named + 2 * i;
	ArraySet part, other;
	GaRequest request;
	GaReply reply;

	named[0].part = (GaStoredPart){from, n};
	named[1].part = (GaStoredPart){other_from, n};
	request = stored_name(&client, named, 2, &lookup);
	request.u.stored.reduction = GA_REDUCE_PRODUCTS;
	reply = client_call(&client, &request);
	tap_check(reply.status == GA_OK, "status %d, %s", reply.status,
			  reply.reason);
	array_set_init(&part, pairs->set.type);
	memcpy(array_set_add(&part, "a part", n, 0, 0),
		   (char *) array_set_elements(&pairs->set, i) + from * size, n * size);
	array_set_init(&other, pairs->set.type);
	memcpy(array_set_add(&other, "a part", n, 0, 0),
		   (char *) array_set_elements(&pairs->others, i) + other_from * size,
		   n * size);
	(void) array_set_check_pair(&part, &other, 0,
								client_lookup(&client, CLIENT_LOOKUP).sums);
	array_set_free(&part);
	array_set_free(&other);
	named[0].part = named[1].part = GA_STORED_ALL;
}

/* Memory of arrays that lies in many pieces, cut at different places. */
static void
test_pieces(Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup_next();
	const uint32_t n = 120 * 1000;
	PairSet pairs;
	uint32_t n_pages;
	int i;

	tap_begin("pairs of arrays in many pieces");
	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=10", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	n_pages = stored_fragment(&client);
	tap_check(n_pages > 4, "%u pages", (unsigned) n_pages);
	array_set_init(&pairs.set, GA_int4);
	for (i = 0; i < 2; i++)
		elements_fill_fast(GA_int4, rng, n + i,
						   array_set_add(&pairs.set, "pages", n + i, 0, 0));
	open_pairs(&pairs);
	tap_check(stored_make_resident(&client, pairs.named, 4, &lookup) == 4,
			  "they are not resident");
	tap_check(ask(&pairs, 0, 2, &lookup) == 2, "not both");
	for (i = 0; i < 20; i++)
	{
		const uint32_t from = (uint32_t) rng_below(rng, n / 2);
		const uint32_t other_from = (uint32_t) rng_below(rng, n / 2);

		check_parts(&pairs, i % 2, from, other_from, n / 2);
	}
	close_pairs(&pairs);
	client_close(&client);
	daemon_stop(&gpuaggd);
	tap_end();
}

/* Parts of both arrays, as long as each other, and of other lengths. */
static void
test_parts(Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup_next();
	GaRequest request;
	PairSet pairs;
	GaReply reply;

	tap_begin("pairs of parts");
	array_set_init(&pairs.set, GA_int8);
	array_set_add_random(&pairs.set, rng, 5000, 0, 0);
	open_pairs(&pairs);
	tap_check(stored_make_resident(&client, pairs.named, 2, &lookup) == 2,
			  "they are not resident");
	check_parts(&pairs, 0, 100, 1900, 3000);
	check_parts(&pairs, 0, 0, 1999, 3001);
	pairs.named[0].part = (GaStoredPart){100, 3000};
	pairs.named[1].part = (GaStoredPart){1900, 2999};
	request = stored_name(&client, pairs.named, 2, &lookup);
	request.u.stored.reduction = GA_REDUCE_PRODUCTS;
	memset(client_lookup(&client, CLIENT_LOOKUP).sums, 0xa5,
		   2 * sizeof(GaPartialSum));
	reply = client_call(&client, &request);
	tap_check(reply.status == GA_OK &&
				  client_lookup(&client, CLIENT_LOOKUP).refs[0].n == 3000 &&
				  client_lookup(&client, CLIENT_LOOKUP).refs[1].n == 2999,
			  "status %d", reply.status);
	tap_check(client_lookup(&client, CLIENT_LOOKUP).sums[0].kind == 0xa5,
			  "a result of arrays of different lengths");
	pairs.named[0].part = pairs.named[1].part = GA_STORED_ALL;
	tap_check(ask(&pairs, 0, 1, &lookup) == 1, "all of both, after that");
	close_pairs(&pairs);
	tap_end();
}

/* Half a pair, and an array with itself. */
static void
test_rules(Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray same[2];
	GaRequest request;
	GaReply reply;
	PairSet pairs;

	tap_begin("half a pair, and an array with itself");
	array_set_init(&pairs.set, GA_int4);
	array_set_add_ints(&pairs.set, "three", (const int64_t[]){3, -4, 12}, 3);
	array_set_add_random(&pairs.set, rng, 100, 0, 0);
	open_pairs(&pairs);
	(void) stored_make_resident(&client, pairs.named, 2 * pairs.n, &lookup);
	request = stored_name(&client, pairs.named, 3, &lookup);
	request.u.stored.reduction = GA_REDUCE_PRODUCTS;
	reply = client_call(&client, &request);
	tap_check(reply.status == GA_BAD_REQUEST &&
				  strstr(reply.reason, "half a pair") != NULL,
			  "status %d, %s", reply.status, reply.reason);
	client_close(&client);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	same[0] = same[1] = pairs.named[0];
	request = stored_name(&client, same, 2, &lookup);
	request.u.stored.reduction = GA_REDUCE_PRODUCTS;
	reply = client_call(&client, &request);
	tap_check(reply.status == GA_OK &&
				  client_lookup(&client, CLIENT_LOOKUP).sums[0].limb[0] == 11 &&
				  client_lookup(&client, CLIENT_LOOKUP).sums[1].limb[0] == 169,
			  "status %d", reply.status);
	close_pairs(&pairs);
	tap_end();
}

int
main(void)
{
	Rng rng = {61};
	int type;

	daemon_start(&gpuaggd, NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		test_pairs(&rng, (GaElementType) type);
	test_mixed(&rng);
	test_lines(&rng);
	test_parts(&rng);
	test_rules(&rng);
	client_close(&client);
	daemon_stop(&gpuaggd);
	test_pieces(&rng);
	return tap_done();
}
