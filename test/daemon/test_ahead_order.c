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

#define N_CLIENTS 20
#define N_EACH	  5
#define N_ARRAYS  (N_CLIENTS * N_EACH)

/* Sessions beyond these have no place of their own. */
#define N_MAKERS 16

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

/* Ask about an array: return how many of those that follow come next. */
static uint32_t
count_next(const StoredArray *array, uint32_t n_ahead)
{
	const GaStoredLookup lookup = stored_lookup_next();
	Client *client = &clients[0];
	GaRequest request = stored_name(client, array, 1, &lookup);
	GaReply reply;
	uint32_t i = 0;

	request.u.stored.n_ahead = n_ahead;
	reply = client_call(client, &request);
	while (i < reply.u.sum.n_ahead &&
		   memcmp(&client_lookup(client, CLIENT_LOOKUP).refs[1 + i].key,
				  &array[1 + i].key, sizeof(array->key)) == 0)
		i++;
	return i;
}

/* Load n parts, and check that all arrays are in order. */
static void
check_parts(const StoredArray *arrays, uint32_t n, bool is_reverse)
{
	const uint32_t n_behind = n * N_EACH - 1;

	tap_begin("%u sessions load a part each%s", n,
			  is_reverse ? ", the last one first" : "");
	load_in_turns(arrays, n, is_reverse);
	tap_check(count_next(arrays, n_behind) == n_behind,
			  "%u of %u arrays are in order", count_next(arrays, n_behind),
			  n_behind);
	stored_clear(&clients[0], 0);
	tap_end();
}

/* Sessions that load ten arrays, in this order. */
typedef struct Load
{
	uint32_t client;
	uint32_t array;
} Load;

static void
check_loads(const StoredArray *arrays, const char *title, const Load loads[10])
{
	const GaStoredLookup lookup = stored_lookup_next();
	uint32_t i;

	tap_begin("%s", title);
	for (i = 0; i < 10; i++)
		(void) stored_make_resident(&clients[loads[i].client],
									&arrays[loads[i].array], 1, &lookup);
	tap_check(count_next(arrays, 9) == 9, "%u of 9 arrays are in order",
			  count_next(arrays, 9));
	stored_clear(&clients[0], 0);
	tap_end();
}

/* A session that has loaded its part takes the end of another one's. */
static void
test_second_parts(const StoredArray *arrays)
{
	static const Load other_goes_on[10] = {{0, 0}, {1, 2}, {0, 1}, {0, 6},
										   {1, 3}, {0, 7}, {1, 4}, {0, 8},
										   {1, 5}, {0, 9}};
	static const Load other_is_late[10] = {{0, 0}, {1, 8}, {0, 1}, {0, 6},
										   {1, 9}, {0, 7}, {0, 4}, {0, 5},
										   {0, 2}, {0, 3}};
	static const Load backwards[10] = {{0, 9}, {0, 8}, {0, 7}, {0, 6}, {0, 5},
									   {0, 4}, {0, 3}, {0, 2}, {0, 1}, {0, 0}};

	check_loads(arrays, "a session takes half of a part", other_goes_on);
	check_loads(arrays, "a session takes all of a part", other_is_late);
	check_loads(arrays, "a session loads the last array first", backwards);
}

/* One array in the middle was loaded before the others. */
static void
test_first(const StoredArray *arrays)
{
	const GaStoredLookup lookup = stored_lookup_next();

	tap_begin("an array is there before the others");
	(void) stored_make_resident(&clients[0], &arrays[4], 1, &lookup);
	(void) stored_make_resident(&clients[0], arrays, 4, &lookup);
	(void) stored_make_resident(&clients[0], &arrays[5], 5, &lookup);
	tap_check(count_next(arrays, 9) == 9, "%u of 9 arrays are in order",
			  count_next(arrays, 9));
	stored_clear(&clients[0], 0);
	tap_end();
}

/* More sessions than have a place: in whatever order, all is well. */
static void
test_many(const StoredArray *arrays)
{
	tap_begin("more sessions than have a place");
	load_in_turns(arrays, N_CLIENTS, false);
	stored_check_empty(&clients[0]);
	tap_end();
}

/* What a session began to load last is cancelled, and it goes on. */
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

	daemon_start(&gpuaggd, "--staging-size=256", "--cache-size=88", NULL);
	for (k = 0; k < N_CLIENTS; k++)
		stored_open(&clients[k], &gpuaggd, STORED_DATABASE);
	arrays = make_arrays(&set);
	check_parts(arrays, 3, false);
	check_parts(arrays, 3, true);
	check_parts(arrays, N_MAKERS, false);
	test_second_parts(arrays);
	test_first(arrays);
	test_cancelled(arrays);
	test_many(arrays);
	for (k = 0; k < N_CLIENTS; k++)
		client_close(&clients[k]);
	daemon_stop(&gpuaggd);
	free(arrays);
	array_set_free(&set);
	return tap_done();
}
