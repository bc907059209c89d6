/*
 * test_stored_bounds.c
 *		A client changes the full records of parts, which lie in its slot,
 *		while its request is on the device: gpuaggd takes none that a device
 *		cannot have written.
 *
 * An array whose pages lie apart is several parts, whose records gpuaggd reads
 * from the slot and adds up.
 */
#include <math.h>
#include <stdlib.h>

#include "tap.h"
#include "stored.h"

/* Elements of a page, and of each of the array's two parts. */
#define N_PART ((256 << 10) / (int) sizeof(double))

static Daemon gpuaggd;
static Client client;
static ArraySet set;
static StoredArray array; /* each part has a NaN */

/* Where the counts of a record are, as a place among its numbers. */
enum
{
	N_NAN = 0,
	N_POS_INF,
	N_NEG_INF,
	FIRST_CELL
};

static GaFullRecord *
records(void)
{
	return (GaFullRecord *) (client_data(&client, 0) + GA_STORED_FULL_AT);
}

/* Wait until the device has written the records of both parts. */
static bool
await_records(void)
{
	double start = now_ms();

	while (now_ms() - start < CLIENT_WAIT_MS)
	{
		if (((volatile GaFullRecord *) records())[0].n_nan == 1 &&
			((volatile GaFullRecord *) records())[1].n_nan == 1)
			return true;
	}
	return false;
}

/*
 * Request the sum, and set a number of a part's record while the request is
 * held on the device.  Return the sum's kind.
 */
static GaPartialKind
sum_with(int part, int place, int64_t value)
{
	const GaStoredLookup lookup = stored_lookup(1);
	GaReply reply = {.status = -1};
	bool is_late;

	do
	{
		GaRequest request = stored_name(&client, &array, 1, &lookup);

		records()[0].n_nan = records()[1].n_nan = 0;
		client_send(&client, &request);
		tap_check(await_records(), "the device writes no records");
		((volatile int64_t *) &records()[part])[place] = value;
		is_late = client_has_reply(&client, 0);
		tap_check(client_receive(&client, &reply) && reply.status == GA_OK,
				  "status %d, %s", reply.status, reply.reason);
	} while (is_late && reply.status == GA_OK);
	tap_check(stored_state(&client, 0) == GA_STORED_RESIDENT, "state %u",
			  stored_state(&client, 0));
	return (GaPartialKind) client_slot(&client, 0)->sums[0].kind;
}

static void
check_refused(int place, int64_t value)
{
	int part;

	for (part = 0; part < 2; part++)
		tap_check(sum_with(part, place, value) == GA_PARTIAL_NO_CAPACITY,
				  "number %d of part %d can be %lld", place, part,
				  (long long) value);
}

static void
check_taken(int place, int64_t value)
{
	tap_check(sum_with(0, place, value) == GA_PARTIAL_FULL,
			  "number %d cannot be %lld", place, (long long) value);
}

static void
test_counts(void)
{
	int place;

	tap_begin("counts of no more than a part's elements");
	for (place = N_NAN; place <= N_NEG_INF; place++)
	{
		check_refused(place, -1);
		check_refused(place, N_PART + 1);
		check_refused(place, INT64_MAX);
	}
	check_taken(N_NAN, N_PART);
	check_taken(N_POS_INF, N_PART - 1);
	/* one is a NaN */
	check_refused(N_NEG_INF, N_PART);
	tap_end();
}

static void
test_cells(void)
{
	const int64_t limit = INT64_C(1) << 52;

	tap_begin("cells as a device has them");
	check_refused(FIRST_CELL, limit);
	check_refused(FIRST_CELL, -limit);
	check_refused(FIRST_CELL + 40, INT64_MIN);
	check_refused(FIRST_CELL + GA_MAX_CELLS - 1, limit);
	check_refused(FIRST_CELL + GA_MAX_CELLS - 1, -limit);
	check_taken(FIRST_CELL, limit - 1);
	check_taken(FIRST_CELL + 40, 1 - limit);
	tap_end();
}

int
main(void)
{
	double *x = calloc(2 * N_PART, sizeof(*x));
	GaStoredLookup lookup;

	x[1] = x[N_PART + 1] = NAN;
	array_set_init(&set, GA_float8);
	array_set_add_doubles(&set, "NaN in both parts", x, 2 * N_PART);
	free(x);
	array = stored_make(&set, 0, STORED_FIRST - 1);
	if (!daemon_is_emulated())
	{
		tap_skip("bounds of records", "only the emulated device waits");
		return tap_done();
	}
	daemon_start(&gpuaggd, "--staging-size=8", "--cache-size=8",
				 "--emulated-faults=slow_launch=40", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	(void) stored_fragment(&client);
	tap_begin("an array of two parts");
	lookup = stored_lookup(1);
	tap_check(stored_make_resident(&client, &array, 1, &lookup) == 1,
			  "not resident");
	tap_end();
	test_counts();
	test_cells();
	client_close(&client);
	daemon_stop(&gpuaggd);
	array_set_free(&set);
	return tap_done();
}
