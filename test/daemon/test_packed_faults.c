/*
 * test_packed_faults.c
 *		Packing that comes to nothing: the arrays stay as they are, and no
 *		memory is lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/device.h"
#include "stored.h"
#include "tap.h"

#define PAGE_BYTES (256 << 10)
#define N_ELEMENTS 400000

static Daemon gpuaggd;
static Client client;
static ArraySet set; /* one array, of small integers */
static StoredArray array;

static void
start(const char *option, const char *more)
{
	daemon_start(&gpuaggd, "--staging-size=32", option, more, NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
}

static void
stop(void)
{
	client_close(&client);
	daemon_stop(&gpuaggd);
}

/* An array of n elements that can be packed. */
static void
add_small(ArraySet *to, Rng *rng, size_t n)
{
	int64_t *x = malloc(n * sizeof(*x));
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = (int64_t) rng_below(rng, 1000);
	array_set_add_ints(to, "small integers", x, n);
	free(x);
}

/* What arrays take of the device's memory. */
static uint64_t
used_bytes(void)
{
	const GaRequest request = {.opcode = GA_DEVICES};

	return client_call(&client, &request).u.device.used_bytes;
}

static bool
is_packed(void)
{
	const GaStatRow stat = stored_stat(&client, false);

	return stat.n_cache_bytes < stat.n_plain_bytes;
}

/* Load the array; it stays plain, and is as right as ever. */
static void
check_plain(const StoredArray *of)
{
	const GaStoredLookup lookup = stored_lookup_next();

	tap_check(stored_make_resident(&client, of, 1, &lookup) == 1,
			  "not resident");
	tap_check(!is_packed(), "it is packed");
}

static void
check_packed(void)
{
	const GaStoredLookup lookup = stored_lookup_next();

	tap_check(stored_make_resident(&client, &array, 1, &lookup) == 1,
			  "not resident");
	tap_check(is_packed(), "it is not packed");
}

/* The device refuses the survey, or to pack. */
static void
test_refused(int launch)
{
	char fault[60];

	tap_begin("launch %d is refused: the array stays plain", launch);
	snprintf(fault, sizeof(fault), "--emulated-faults=refuse_launch=%d",
			 launch);
	start(fault, "--cache-size=64");
	check_plain(&array);
	tap_check(daemon_said(&gpuaggd, "arrays are not packed"), "no warning");
	stored_check_empty(&client);
	check_packed();
	stored_check_empty(&client);
	stop();
	tap_end();
}

/* Load the array, and remove it; it stays plain. */
static void
check_plain_once(void)
{
	check_plain(&array);
	stored_check_empty(&client);
}

/*
 * The device refuses two surveys: for 100 ms it is not asked again.  Return
 * whether the next load ended in time to tell.
 */
static bool
check_pause(void)
{
	const GaStoredLookup lookup = stored_lookup_next();
	double since;
	bool in_time;

	start("--emulated-faults=refuse_surveys=3", "--cache-size=64");
	check_plain_once();
	since = now_ms();
	check_plain_once();
	tap_check(stored_make_resident(&client, &array, 1, &lookup) == 1,
			  "not resident");
	in_time = now_ms() - since < 100;
	tap_check(!in_time || !is_packed(), "it was asked again at once");
	stored_check_empty(&client);
	sleep_ms(150);
	check_packed();
	stored_check_empty(&client);
	stop();
	return in_time;
}

static void
test_refused_twice(void)
{
	int i;

	tap_begin("a device that refused twice is not asked again at once");
	for (i = 0; i < 20 && !check_pause(); i++)
		;
	tap_check(i < 20, "no load ended in time");
	tap_end();
}

/* The device fails meanwhile. */
static void
test_failed(int launch)
{
	const GaStoredLookup lookup = stored_lookup_next();
	char fault[60];
	GaReply reply;
	uint32_t from = 0;

	tap_begin("launch %d fails, and the load with it", launch);
	snprintf(fault, sizeof(fault), "--emulated-faults=fail_launch=%d", launch);
	start(fault, "--cache-size=64");
	(void) stored_request(&client, &array, 1, &lookup);
	do
	{
		GaRequest request =
			stored_segment(&client, 1, &array, from, UINT32_MAX);

		from += client_slot(&client, 1)->segments[0].n;
		reply = client_call(&client, &request);
	} while (reply.status == GA_OK && from < N_ELEMENTS);
	tap_check(from == N_ELEMENTS && reply.status == GA_DEVICE_FAILED,
			  "%u elements, status %d", from, reply.status);
	tap_check(WEXITSTATUS(daemon_wait(&gpuaggd, 10000)) == 20, "it goes on");
	client_close(&client);
	daemon_remove(&gpuaggd);
	tap_end();
}

/* The device packs wrong, as its self-test finds. */
static void
test_wrong(void)
{
	char fault[60];

	tap_begin("a device that packs wrong packs nothing");
	snprintf(fault, sizeof(fault), "--emulated-faults=wrong_bits=%d",
			 1 << GA_PACKED_VECTORS);
	start(fault, "--cache-size=64");
	tap_check(daemon_said(&gpuaggd, "it packs no arrays"), "no warning");
	tap_check(!daemon_said(&gpuaggd, "the CPU computes"), "and more is wrong");
	check_plain(&array);
	stored_check_empty(&client);
	stop();
	tap_end();
}

/* It packs wrong later, and from then on no more. */
static void
test_wrong_later(void)
{
	tap_begin("a device that packs wrong once packs no more");
	start("--emulated-faults=wrong_pack=2", "--cache-size=64");
	check_plain(&array);
	tap_check(daemon_said(&gpuaggd,
						  "1 packed vectors have wrong bits, and it packs no "
						  "more arrays"),
			  "no warning");
	stored_check_empty(&client);
	check_plain(&array);
	stored_check_empty(&client);
	stop();
	tap_end();
}

/* There is no memory for headers, or for payloads. */
static void
test_no_memory(Rng *rng)
{
	uint32_t n_left;

	tap_begin("no memory to pack in: the array stays plain");
	start("--cache-size=16", NULL);
	for (n_left = 0; n_left < 3; n_left++)
	{
		const uint64_t n_bytes = stored_stat(&client, false).cache_bytes -
								 n_left * (uint64_t) PAGE_BYTES;
		StoredArray large;
		ArraySet other;

		array_set_init(&other, GA_int4);
		add_small(&other, rng, n_bytes / sizeof(int32_t));
		large = stored_make(&other, 0, STORED_FIRST + 1);
		check_plain(&large);
		array_set_free(&other);
		stored_check_empty(&client);
	}
	check_packed();
	stored_check_empty(&client);
	stop();
	tap_end();
}

/* Begin to load the array; the last request is not answered yet. */
static void
send_load(Client *who)
{
	const GaStoredLookup lookup = stored_lookup_next();
	uint32_t from = 0;
	uint32_t slot = 0;

	(void) stored_request(who, &array, 1, &lookup);
	tap_check(stored_state(who, 0) == GA_STORED_LOAD, "not to be loaded: %u",
			  stored_state(who, 0));
	while (from < N_ELEMENTS)
	{
		GaRequest request = stored_segment(who, slot, &array, from, UINT32_MAX);

		from += client_slot(who, slot++)->segments[0].n;
		client_send(who, &request);
	}
}

/* Take the answers to all parts of a load. */
static void
receive_load(Client *who)
{
	const uint32_t n = (N_ELEMENTS * sizeof(int32_t) + GA_SLOT_DATA_BYTES - 1) /
					   GA_SLOT_DATA_BYTES;
	uint32_t i;

	for (i = 0; i < n; i++)
	{
		GaReply reply;

		tap_check(client_receive(who, &reply) && reply.status == GA_OK,
				  "part %u: status %d, %s", i, reply.status, reply.reason);
	}
}

/*
 * The session ends at any time, or the array is removed: nothing is left, and
 * no memory is lost.
 */
static void
test_gone(bool closes)
{
	uint64_t before;
	int round;

	tap_begin(closes ? "a session ends while its array is packed" :
					   "an array is removed while it is packed");
	start("--cache-size=64", NULL);
	check_packed();
	stored_check_empty(&client);
	before = used_bytes();
	for (round = 0; round < 100; round++)
	{
		Client loader;

		stored_open(&loader, &gpuaggd, STORED_DATABASE);
		send_load(&loader);
		usleep((useconds_t) (round * 100));
		if (!closes)
		{
			(void) stored_clear(&client, 0);
			receive_load(&loader);
		}
		client_close(&loader);
		if (round % 10 == 9)
		{
			stored_check_empty(&client);
			check_packed();
			stored_check_empty(&client);
		}
		else
			(void) stored_clear(&client, 0);
	}
	stored_check_empty(&client);
	tap_check(used_bytes() <= before, "%llu bytes, before %llu",
			  (unsigned long long) used_bytes(), (unsigned long long) before);
	stop();
	tap_end();
}

int
main(void)
{
	Rng rng = {127};
	int launch;

	if (!daemon_is_emulated())
	{
		printf("1..0 # SKIP a GPU does not fail on purpose\n");
		return 0;
	}
	array_set_init(&set, GA_int4);
	add_small(&set, &rng, N_ELEMENTS);
	array = stored_make(&set, 0, STORED_FIRST);
	for (launch = 1; launch <= 2; launch++)
		test_refused(launch);
	for (launch = 1; launch <= 2; launch++)
		test_failed(launch);
	test_refused_twice();
	test_wrong();
	test_wrong_later();
	test_no_memory(&rng);
	test_gone(true);
	test_gone(false);
	array_set_free(&set);
	return tap_done();
}
