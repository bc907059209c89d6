/*
 * test_scans.c
 *		GA_SCAN: running totals in segments are those of the whole.
 */
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "stored_scan.h"
#include "tap.h"

#define LATE_MS 70 /* of 100, of which waits for a processor are not counted */

static Daemon gpuaggd;
static Client client;

/*
 * Send n elements of the first array of a set, from one on.  What came
 * before is known to gpuaggd if the segment continues; or it is sent.
 */
static void
send_segment(const ArraySet *set, uint32_t slot, size_t from, size_t n,
			 bool continues)
{
	const size_t size = ga_element_size(set->type);
	GaRequest request = {.opcode = GA_SCAN,
						 .slot = slot,
						 .u.scan = {set->type, (uint32_t) n,
									set->totals == GA_TOTALS_INT128, continues,
									0}};

	if (from > 0 && !continues)
		request.u.scan.n_prefix_bytes =
			client_put_prefix(&client, slot, set, from);
	memcpy(client_data(&client, slot),
		   (char *) array_set_elements(set, 0) + from * size, n * size);
	client_send(&client, &request);
}

/* Check the answer about a segment; see stored_check_scan(). */
static bool
check_segment(ArraySet *set, uint32_t slot, size_t from, size_t n,
			  const char *must, size_t n_must)
{
	const GaRequest request = {
		.slot = slot, .u.scan = {.n = (uint32_t) n, .from = (uint32_t) from}};

	return stored_check_scan(&client, &request, set, must, n_must);
}

/*
 * Scan the first array in segments, at most so many of them under way; one in
 * some is sent with what came before.
 */
static void
check_scan(ArraySet *set, Rng *rng, size_t most, uint32_t depth)
{
	const size_t n = set->arrays[0].n;
	char *must = malloc((n + 1) * array_set_total_size(set));
	size_t n_must = array_set_expect(set, 0, must);
	bool goes_on = true;
	size_t from = 0;

	do
	{
		size_t starts[GA_LEASE_SLOTS + 1] = {from};
		uint32_t n_sent = 0;
		uint32_t i;

		while (n_sent < depth && (from < n || from == 0))
		{
			size_t length = rng_below(rng, most + 1);

			length = length < n - from ? length : n - from;
			length = length < stored_scan_limit(set, true) ?
						 length :
						 stored_scan_limit(set, true);
			send_segment(set, n_sent, from, length,
						 from > 0 && !rng_chance(rng, 5));
			from += length;
			starts[++n_sent] = from;
			if (n == 0 || from == 0)
				break;
		}
		for (i = 0; i < n_sent && goes_on; i++)
			goes_on = check_segment(set, i, starts[i],
									starts[i + 1] - starts[i], must, n_must);
	} while (from < n && goes_on);
	free(must);
}

/* One segment under way at a time, or all slots; up to the first overflow. */
static void
test_mode(Rng *rng, int mode)
{
	long n_cases = tap_cases(100);
	ArraySet set;
	long i;

	tap_begin("%s: in segments", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	for (i = 0; i < n_cases; i++)
	{
		size_t n = i % 10 == 0 ? 100000 : rng_below(rng, 2000);

		array_set_clear(&set);
		array_set_add_random(&set, rng, n, ARRAY_SET_PACKED, ARRAY_SET_PACKED);
		check_scan(&set, rng, i % 3 ? n / 3 + 1 : n, 1);
	}
	array_set_clear(&set);
	elements_fill_fast(set.type, rng, 1 << 20,
					   array_set_add(&set, "plain", 1 << 20, 0, 0));
	check_scan(&set, rng, stored_scan_limit(&set, true), GA_LEASE_SLOTS);
	array_set_free(&set);
	tap_end();
}

/*
 * The largest segment there can be.  Returns the milliseconds it takes, without
 * those in which there was no processor.
 */
static double
check_largest(Rng *rng, int mode)
{
	ArraySet set;
	double start_ms;
	size_t n;
	char *must;

	array_set_init_scan(&set, mode);
	n = stored_scan_limit(&set, true);
	elements_fill_fast(set.type, rng, n, array_set_add(&set, "plain", n, 0, 0));
	must = malloc(n * array_set_total_size(&set));
	tap_check(array_set_expect(&set, 0, must) == n, "not that many");
	start_ms = daemon_now_ms(&gpuaggd);
	send_segment(&set, 3, 0, n, false);
	(void) client_has_reply(&client, CLIENT_WAIT_MS);
	start_ms = daemon_now_ms(&gpuaggd) - start_ms;
	check_segment(&set, 3, 0, n, must, n);
	free(must);
	array_set_free(&set);
	return start_ms;
}

/*
 * None waits until all are looked at, which happens ten times a second.  If
 * they did, about half would be late: others end while gpuaggd still polls.
 * Some may be late on a busy machine.
 */
static void
test_largest(Rng *rng)
{
	const int n = 8 * SCAN_N_MODES;
	int n_late = 0;
	int i;

	tap_begin("the largest segments");
	for (i = 0; i < n; i++)
		n_late += check_largest(rng, i % SCAN_N_MODES) > LATE_MS;
	tap_check(n_late < n / 4, "%d of %d were late", n_late, n);
	tap_note("%d of %d largest segments were late", n_late, n);
	tap_end();
}

/* An overflow ends it: the next segment must not continue, but may begin. */
static void
test_overflow(void)
{
	static const int64_t ints[] = {INT64_MAX, 0, 1, -1};
	ArraySet set;
	char must[64];
	GaReply reply;

	tap_begin("an overflow");
	array_set_init_scan(&set, GA_int8);
	array_set_add_ints(&set, "too large", ints, 4);
	tap_check(array_set_expect(&set, 0, must) == 2, "it does not overflow");
	send_segment(&set, 0, 0, 1, false);
	send_segment(&set, 1, 1, 3, true);
	tap_check(check_segment(&set, 0, 0, 1, must, 2), "too early");
	tap_check(!check_segment(&set, 1, 1, 3, must, 2), "no overflow");
	send_segment(&set, 0, 0, 1, false);
	tap_check(check_segment(&set, 0, 0, 1, must, 2), "no new beginning");
	send_segment(&set, 1, 1, 3, true);
	send_segment(&set, 0, 0, 1, true);
	tap_check(!check_segment(&set, 1, 1, 3, must, 2), "no overflow");
	tap_check(client_receive(&client, &reply) && reply.status == GA_BAD_STATE,
			  "it goes on: %d", reply.status);
	array_set_free(&set);
	tap_end();
}

/* Sums in between do not disturb what came before. */
static void
test_mixed(Rng *rng)
{
	GaRequest sum;
	GaReply reply;
	ArraySet set;
	char *must;
	size_t from;

	tap_begin("sums between the segments");
	array_set_init_scan(&set, GA_float8);
	array_set_add_family(&set, rng, 1, 1000);
	must = malloc(1000 * sizeof(double));
	array_set_expect(&set, 0, must);
	for (from = 0; from < 1000; from += 100)
	{
		sum = client_fill_one(&client, 2, (int64_t) from);
		send_segment(&set, 1, from, 100, from > 0);
		client_send(&client, &sum);
		check_segment(&set, 1, from, 100, must, 1000);
		tap_check(client_receive(&client, &reply) &&
					  client_is_one(&client, &reply, (int64_t) from),
				  "the sum");
	}
	free(must);
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {43};
	int mode;

	daemon_start(&gpuaggd, "--staging-size=8", NULL);
	client_open(&client, &gpuaggd);
	client_lease(&client, false);
	for (mode = 0; mode < SCAN_N_MODES; mode++)
		test_mode(&rng, mode);
	test_largest(&rng);
	test_overflow();
	test_mixed(&rng);
	client_close(&client);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	return tap_done();
}
