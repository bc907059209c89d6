/*
 * test_stored_relations.c
 *		Arrays of many relations: to ask for one takes no longer than if there
 *		are few.
 */
#include "tap.h"
#include "stored.h"

#define N_RELATIONS (10 * GA_SLOT_ARRAYS)

/* Promises of so many arrays are measured, and the shortest time counts. */
#define N_ROUNDS 3

static Daemon gpuaggd;
static Client client;
static ArraySet set; /* one small array */
static StoredArray arrays[GA_SLOT_ARRAYS];
static uint32_t next_id = STORED_FIRST;

/* New arrays of relations that lie so far apart, from one on. */
static void
make_arrays(uint32_t first, uint32_t apart)
{
	uint32_t i;

	for (i = 0; i < GA_SLOT_ARRAYS; i++)
	{
		arrays[i] = stored_make(&set, 0, next_id++);
		arrays[i].key.relation =
			STORED_RELATION + (first + i * apart) % N_RELATIONS;
	}
}

/* Ask for the arrays, and load them; return how long the question took. */
static double
load_arrays(void)
{
	const GaStoredLookup lookup = stored_lookup_next();
	double ms = -daemon_now_ms(&gpuaggd);

	tap_check(stored_request(&client, arrays, GA_SLOT_ARRAYS, &lookup) == 0,
			  "some are resident");
	ms += daemon_now_ms(&gpuaggd);
	stored_load(&client, arrays, GA_SLOT_ARRAYS);
	return ms;
}

/* Return the least time to ask for new arrays of such relations. */
static double
least_ms(uint32_t apart)
{
	double least = 0;
	int i;

	for (i = 0; i < N_ROUNDS; i++)
	{
		double ms;

		make_arrays((uint32_t) i, apart);
		ms = load_arrays();
		if (i == 0 || ms < least)
			least = ms;
	}
	return least;
}

static void
test_many(void)
{
	const uint32_t n = N_RELATIONS + 2 * N_ROUNDS * GA_SLOT_ARRAYS;
	double one_ms;
	double many_ms;
	uint32_t i;

	tap_begin("arrays of %d relations", N_RELATIONS);
	one_ms = least_ms(0);
	for (i = 0; i < N_RELATIONS; i += GA_SLOT_ARRAYS)
	{
		make_arrays(i, 1);
		(void) load_arrays();
	}
	many_ms = least_ms(7);
	tap_note("%d arrays of few relations are promised in %.1f ms, of many in "
			 "%.1f",
			 GA_SLOT_ARRAYS, one_ms, many_ms);
	/* less than no time is left where gpuaggd waited for a processor */
	tap_check(many_ms <= 4 * (one_ms > 0 ? one_ms : 0) + 20,
			  "%.1f ms, where few take %.1f", many_ms, one_ms);
	tap_check(stored_clear(&client, STORED_RELATION + N_RELATIONS - 1) > 0,
			  "none of the last relation");
	tap_check(stored_clear(&client, STORED_RELATION + N_RELATIONS) == 0,
			  "some of none");
	tap_check(stored_stat(&client, false).n_resident < n, "all are left");
	stored_check_empty(&client);
	tap_end();
}

int
main(void)
{
	static const int64_t ints[] = {1, 2, 3, 4};

	array_set_init(&set, GA_int4);
	array_set_add_ints(&set, "ints", ints, 4);
	daemon_start(&gpuaggd, "--staging-size=24", "--cache-size=2048", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	test_many();
	client_close(&client);
	daemon_stop(&gpuaggd);
	array_set_free(&set);
	return tap_done();
}
