/*
 * test_ahead_order.c
 *		Which arrays follow one that several sessions loaded with others.
 *
 * The processes of a query load parts of its rows at the same time.  What
 * follows an array is the array of the next row.
 */
#include <stdlib.h>
#include <string.h>

#include "stored_reduce.h"
#include "tap.h"

#define N_CLIENTS 32
#define N_EACH	  5
#define N_ARRAYS  (N_CLIENTS * N_EACH)

/* A session and a table beyond these have no place of their own. */
#define N_MAKERS 32

static Daemon gpuaggd;
static Client clients[N_CLIENTS];

/* Make arrays of one element, their numbers; none is resident. */
static StoredArray *
make_arrays(ArraySet *set)
{
	uint32_t i;

	array_set_init(set, GA_int4);
	for (i = 0; i < N_ARRAYS; i++)
		array_set_add_ints(set, "one", (const int64_t[]){i}, 1);
	return stored_make_all(set, STORED_FIRST);
}

/*
 * Have n sessions take turns, each with the next array of its part, of
 * the first n, in their order or in reverse.
 */
static void
load_in_turns(const StoredArray *arrays, uint32_t n, bool is_reverse)
{
	const GaStoredLookup lookup = stored_lookup_next();
	uint32_t i, k;

	for (i = 0; i < N_EACH; i++)
	{
		for (k = 0; k < n; k++)
		{
			const uint32_t part = is_reverse ? n - 1 - k : k;

			tap_check(stored_make_resident(&clients[k],
										   &arrays[part * N_EACH + i], 1,
										   &lookup) == 1,
					  "array %u of part %u is not resident", i, part);
		}
	}
}

/* Ask about an array, and return how many follow. */
static uint32_t
n_behind(const StoredArray *array, uint32_t n_ahead)
{
	const GaStoredLookup lookup = stored_lookup_next();
	GaRequest request = stored_name(&clients[0], array, 1, &lookup);

	request.u.stored.ahead.n = n_ahead;
	return client_call(&clients[0], &request).u.sum.n_ahead;
}

/* Return how many of those that follow an array are the next ones of a row. */
static uint32_t
count_next(const StoredArray *row, uint32_t n_ahead)
{
	const uint32_t n = n_behind(row, n_ahead);
	uint32_t i = 0;

	while (i < n &&
		   memcmp(&client_lookup(&clients[0], CLIENT_LOOKUP).refs[1 + i].key,
				  &row[1 + i].key, sizeof(row->key)) == 0)
		i++;
	return i;
}

/* Ask about an array that a query came to behind another one. */
static void
come_to(const StoredArray *array, const StoredArray *previous)
{
	const GaStoredLookup lookup = stored_lookup_next();
	GaRequest request = stored_name(&clients[0], array, 1, &lookup);
	GaReply reply;

	request.u.stored.lookup.previous = previous->key;
	reply = client_call(&clients[0], &request);
	tap_check(reply.status == GA_OK, "status %d", reply.status);
}

/* Does an array follow another one? */
static bool
follows(const StoredArray *array, const StoredArray *next)
{
	const StoredArray row[2] = {*array, *next};

	return count_next(row, 1) == 1;
}

/* Load n parts, and check that each of them is in order. */
static void
check_parts(const StoredArray *arrays, uint32_t n, bool is_reverse)
{
	uint32_t k;

	tap_begin("%u sessions load a part each%s", n,
			  is_reverse ? ", the last one first" : "");
	load_in_turns(arrays, n, is_reverse);
	for (k = 0; k < n; k++)
		tap_check(count_next(&arrays[k * N_EACH], N_EACH - 1) == N_EACH - 1,
				  "part %u is not in order", k);
	stored_clear(&clients[0], 0);
	tap_end();
}

/* An array that a session loads. */
typedef struct Load
{
	uint32_t client;
	uint32_t array;
} Load;

#define N_LOADS 10

/*
 * Have two sessions load arrays.  What each of them loaded, of several parts
 * perhaps, is one behind the other.
 */
static void
check_loads(const StoredArray *arrays, const char *title,
			const Load loads[N_LOADS])
{
	const GaStoredLookup lookup = stored_lookup_next();
	uint32_t n = 0;
	uint32_t i, k;

	tap_begin("%s", title);
	for (i = 0; i < N_LOADS; i++)
		(void) stored_make_resident(&clients[loads[i].client],
									&arrays[loads[i].array], 1, &lookup);
	for (i = 0; i < N_LOADS; i++)
	{
		for (k = i + 1; k < N_LOADS && loads[k].client != loads[i].client; k++)
			;
		if (k < N_LOADS)
			n += follows(&arrays[loads[i].array], &arrays[loads[k].array]);
	}
	/* all but the last ones of both */
	tap_check(n == N_LOADS - 2, "%u of %u are in order", n, N_LOADS - 2);
	stored_clear(&clients[0], 0);
	tap_end();
}

/* Sessions with more than one part, and rows whose ids do not ascend. */
static void
test_loads(const StoredArray *arrays)
{
	static const Load goes_on[N_LOADS] = {{0, 0}, {1, 2}, {0, 1}, {0, 6},
										  {1, 3}, {0, 7}, {1, 4}, {0, 8},
										  {1, 5}, {0, 9}};
	static const Load is_late[N_LOADS] = {{0, 0}, {1, 8}, {0, 1}, {0, 6},
										  {1, 9}, {0, 7}, {0, 4}, {0, 5},
										  {0, 2}, {0, 3}};
	static const Load mixed[N_LOADS] = {{0, 10}, {1, 60}, {0, 13}, {1, 63},
										{0, 11}, {0, 14}, {1, 61}, {0, 12},
										{1, 64}, {1, 62}};

	check_loads(arrays, "a session takes half of a part", goes_on);
	check_loads(arrays, "a session takes all of a part", is_late);
	check_loads(arrays, "rows whose ids do not ascend", mixed);
}

/* Check which n arrays follow the first one of an order, and that is all. */
static void
check_order(const StoredArray *arrays, const uint32_t *order, uint32_t n)
{
	StoredArray row[N_EACH];
	uint32_t i;

	for (i = 0; i <= n; i++)
		row[i] = arrays[order[i]];
	tap_check(count_next(row, n) == n, "%u of %u are in order",
			  count_next(row, n), n);
}

/* Queries that come to arrays in another order. */
static void
test_other_order(const StoredArray *arrays)
{
	GaStoredLookup lookup = stored_lookup_next();
	StoredArray other = arrays[1];
	StoredArray row[4];
	GaRequest request;
	GaReply reply;
	uint32_t i;

	tap_begin("queries come to arrays in another order");
	(void) stored_make_resident(&clients[0], arrays, 5, &lookup);
	check_order(arrays, (const uint32_t[]){0, 1, 2, 3, 4}, 4);
	come_to(&arrays[3], &arrays[0]);
	check_order(arrays, (const uint32_t[]){0, 3, 4}, 2);
	check_order(arrays, (const uint32_t[]){1, 2, 3, 4}, 3);
	/* the array itself, one that is not resident, one of another table */
	come_to(&arrays[2], &arrays[2]);
	come_to(&arrays[2], &arrays[20]);
	other.key.relation++;
	(void) stored_make_resident(&clients[0], &other, 1, &lookup);
	come_to(&arrays[2], &other);
	tap_check(n_behind(&other, 100) == 0, "%u arrays follow that",
			  n_behind(&other, 100));
	check_order(arrays, (const uint32_t[]){1, 2, 3, 4}, 3);
	/* from the last one on */
	for (i = 4; i > 0; i--)
		come_to(&arrays[i - 1], &arrays[i]);
	check_order(arrays, (const uint32_t[]){4, 3, 2, 1, 0}, 4);
	/* a request about several arrays, one behind the other, with a gap */
	row[0] = arrays[2];
	row[1] = arrays[4];
	row[2] = arrays[30];
	row[3] = arrays[1];
	lookup.loads = 0;
	request = stored_name(&clients[0], row, 4, &lookup);
	reply = client_call(&clients[0], &request);
	tap_check(reply.status == GA_OK, "status %d", reply.status);
	check_order(arrays, (const uint32_t[]){2, 4, 3}, 2);
	stored_clear(&clients[0], 0);
	tap_end();
}

/* Rows that come back to one that was before, which may not be the first. */
static void
test_circles(const StoredArray *arrays)
{
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray row[2];

	tap_begin("rows come back to one before");
	(void) stored_make_resident(&clients[0], arrays, 5, &lookup);
	come_to(&arrays[0], &arrays[4]);
	check_order(arrays, (const uint32_t[]){0, 1, 2, 3, 4}, 4);
	row[0] = arrays[4];
	row[1] = arrays[0];
	tap_check(n_behind(&arrays[0], 100) == 4, "%u arrays follow",
			  n_behind(&arrays[0], 100));
	tap_check(count_next(row, 1) == 1, "the first one does not follow");
	/* two of them go to and fro */
	come_to(&arrays[3], &arrays[4]);
	tap_check(n_behind(&arrays[0], 100) < 10, "%u arrays follow",
			  n_behind(&arrays[0], 100));
	stored_clear(&clients[0], 0);
	tap_end();
}

/*
 * Ask about an array in a lookup slot, for n at most behind those of the
 * request in another slot.  Return how many there are, and set the first one's
 * number.
 */
static uint32_t
ask_behind(const StoredArray *array, uint32_t slot, uint32_t other, uint32_t n,
		   uint32_t *first)
{
	const GaStoredLookup lookup = stored_lookup_next();
	GaRequest request = stored_name(&clients[0], array, 1, &lookup);
	GaReply reply;

	client_lookup(&clients[0], slot).refs[0] =
		client_lookup(&clients[0], CLIENT_LOOKUP).refs[0];
	request.slot = slot;
	request.u.stored.ahead = (GaAheadWanted){n, 1 + other};
	reply = client_call(&clients[0], &request);
	*first =
		client_lookup(&clients[0], slot).refs[1].key.value_id - STORED_FIRST;
	return reply.u.sum.n_ahead;
}

/* The arrays behind those of another request of the session. */
static void
test_behind(const StoredArray *arrays)
{
	const uint32_t slots[2] = {CLIENT_LOOKUP + 1, CLIENT_LOOKUP + 2};
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray other = arrays[20];
	uint32_t first;

	tap_begin("the arrays behind those of another request");
	other.key.relation++;
	(void) stored_make_resident(&clients[0], arrays, 10, &lookup);
	(void) stored_make_resident(&clients[0], &other, 1, &lookup);
	tap_check(n_behind(arrays, 2) == 2, "two do not follow");
	tap_check(ask_behind(arrays, slots[0], CLIENT_LOOKUP, 3, &first) == 3 &&
				  first == 3,
			  "%u is the first of three", first);
	tap_check(ask_behind(arrays, slots[1], slots[0], 2, &first) == 2 &&
				  first == 6,
			  "%u is the first of two", first);
	tap_check(ask_behind(&other, slots[0], slots[1], 2, &first) == 0,
			  "%u of another table", first);
	tap_check(ask_behind(arrays, slots[0], slots[1], 8, &first) == 2 &&
				  first == 8,
			  "%u is the first of the last ones", first);
	tap_check(ask_behind(arrays, slots[1], slots[0], 2, &first) == 0,
			  "%u is behind the last one", first);
	tap_check(ask_behind(arrays, slots[0], slots[0], 2, &first) == 0,
			  "%u is behind itself", first);
	tap_check(ask_behind(arrays, slots[0], GA_SLOTS, 2, &first) == 0 &&
				  ask_behind(arrays, slots[0], UINT32_MAX - 1, 2, &first) == 0,
			  "%u is behind no slot", first);
	/* loading uses CLIENT_LOOKUP, and not slots[1] */
	tap_check(n_behind(arrays, 2) == 2 &&
				  ask_behind(arrays, slots[1], CLIENT_LOOKUP, 2, &first) == 2 &&
				  first == 3,
			  "%u is the first of two", first);
	stored_clear(&clients[0], 0);
	(void) stored_make_resident(&clients[0], arrays, 1, &lookup);
	tap_check(ask_behind(arrays, slots[0], slots[1], 3, &first) == 0,
			  "%u was removed", first);
	stored_clear(&clients[0], 0);
	tap_end();
}

/* A session loads the arrays of two tables in turns, as those of a join. */
static void
test_two_tables(const StoredArray *arrays)
{
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray others[N_EACH];
	uint32_t i;

	tap_begin("arrays of two tables in turns");
	for (i = 0; i < N_EACH; i++)
	{
		others[i] = arrays[i];
		others[i].key.relation++;
		(void) stored_make_resident(&clients[0], &arrays[i], 1, &lookup);
		(void) stored_make_resident(&clients[0], &others[i], 1, &lookup);
	}
	check_order(arrays, (const uint32_t[]){0, 1, 2, 3, 4}, 4);
	check_order(others, (const uint32_t[]){0, 1, 2, 3, 4}, 4);
	stored_clear(&clients[0], 0);
	tap_end();
}

/* More tables than have a place: they are loaded, in whatever order. */
static void
test_many(const StoredArray *arrays)
{
	const GaStoredLookup lookup = stored_lookup_next();
	uint32_t i;

	tap_begin("more tables than have a place");
	for (i = 0; i < 4 * N_MAKERS; i++)
	{
		StoredArray array = arrays[i / (2 * N_MAKERS)];

		array.key.relation += i % (2 * N_MAKERS);
		tap_check(stored_make_resident(&clients[0], &array, 1, &lookup) == 1,
				  "array %u is not resident", i);
		stored_check_resident(&clients[0], &array);
	}
	stored_check_empty(&clients[0]);
	tap_end();
}

/*
 * What a session began to load last is cancelled, and it goes on.  What follows
 * the array before is learned from a query.
 */
static void
test_cancelled(const StoredArray *arrays)
{
	const GaStoredLookup lookup = stored_lookup_next();
	const GaRequest cancel = {.opcode = GA_CANCEL_LOADS};
	const StoredArray row[3] = {arrays[0], arrays[2], arrays[3]};
	GaRequest request;

	tap_begin("a session's last load is cancelled");
	(void) stored_make_resident(&clients[0], &row[0], 1, &lookup);
	request = stored_name(&clients[0], &arrays[1], 1, &lookup);
	(void) client_call(&clients[0], &request);
	tap_check(stored_state(&clients[0], 0) == GA_STORED_LOAD, "state %u",
			  stored_state(&clients[0], 0));
	(void) stored_make_resident(&clients[1], &arrays[N_EACH], 1, &lookup);
	client_send(&clients[0], &cancel);
	(void) stored_make_resident(&clients[0], &row[1], 1, &lookup);
	(void) stored_make_resident(&clients[0], &row[2], 1, &lookup);
	come_to(&row[1], &row[0]);
	tap_check(count_next(row, 2) == 2, "the next ones do not follow");
	stored_clear(&clients[0], 0);
	tap_end();
}

int
main(void)
{
	StoredArray *arrays;
	ArraySet set;
	uint32_t k;

	daemon_start(&gpuaggd, "--staging-size=512", "--cache-size=88", NULL);
	for (k = 0; k < N_CLIENTS; k++)
		stored_open(&clients[k], &gpuaggd, STORED_DATABASE);
	arrays = make_arrays(&set);
	check_parts(arrays, 3, false);
	check_parts(arrays, 3, true);
	check_parts(arrays, N_CLIENTS, false);
	test_loads(arrays);
	test_cancelled(arrays);
	test_other_order(arrays);
	test_circles(arrays);
	test_behind(arrays);
	test_two_tables(arrays);
	test_many(arrays);
	for (k = 0; k < N_CLIENTS; k++)
		client_close(&clients[k]);
	daemon_stop(&gpuaggd);
	free(arrays);
	array_set_free(&set);
	return tap_done();
}
