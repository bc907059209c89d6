/*
 * test_elem_rules.c
 *		The rules of a device's requests for sums by position, and measured
 *		time.
 */
#include "small_sum.h"
#include "tap.h"

#define POSITIONS 20

static Fixture fixture;
static uint32_t n_of[2] = {12, POSITIONS - 12};
static GaDeviceAddress arrays[4]; /* two arrays in two pieces */

/* Return a good request: the sums of 1 to 20 and of 11 to 30. */
static GaElemRequest
good_request(void)
{
	const GaDeviceAddress at = small_put(&fixture);

	arrays[0] = at;
	arrays[1] = at + 80;
	arrays[2] = at + 96;
	arrays[3] = at + 176;
	return (GaElemRequest){
		.type = GA_int8,
		.n_arrays = 2,
		.n_pieces = 2,
		.n_of = n_of,
		.arrays = arrays,
		.out = fixture_memory(&fixture, FIXTURE_OUT,
							  POSITIONS * sizeof(GaPartialSum)),
	};
}

static void
check_good(const GaElemRequest *request)
{
	GaPartialSum records[POSITIONS];
	uint64_t i;

	fixture_copy_out(&fixture, records, request->out, sizeof(records));
	for (i = 0; i < POSITIONS; i++)
		tap_check(records[i].kind == GA_PARTIAL_COMPACT &&
					  records[i].limb[0] == 12 + 2 * i,
				  "position %d: %d", (int) i, (int) records[i].limb[0]);
}

/* It is refused with a reason, wanted or not, and harms nothing. */
static void
refuse(GaElemRequest request, const char *what)
{
	const GaDeviceKind *kind = fixture.kind;
	GaDeviceFailure failure = {.call = ""};

	tap_check(kind->elem(fixture.queue, &request, &failure) == GA_BAD_REQUEST,
			  "%s", what);
	tap_check(failure.call[0] != 0 && failure.message[0] != 0, "%s: no reason",
			  what);
	tap_check(kind->elem(fixture.queue, &request, NULL) == GA_BAD_REQUEST,
			  "%s, no failure wanted", what);
}

static void
test_bad_requests(void)
{
	const GaElemRequest good = good_request();
	GaElemRequest bad = good;

	tap_begin("bad requests");
	bad.type = GA_N_ELEMENT_TYPES;
	refuse(bad, "no type");
	bad = good;
	bad.n_arrays = 0;
	refuse(bad, "no arrays");
	bad.n_arrays = GA_DEVICE_MAX_ARRAYS / 2 + 1;
	refuse(bad, "too many arrays");
	bad = good;
	bad.n_pieces = UINT32_MAX;
	refuse(bad, "too many pieces");
	bad = good;
	bad.n_of = NULL;
	refuse(bad, "no numbers of positions");
	bad = good;
	bad.arrays = NULL;
	refuse(bad, "no addresses");
	bad = good;
	bad.out = 0;
	refuse(bad, "no place for results");
	bad.out = good.out + 8;
	refuse(bad, "results that are not aligned");
	n_of[1] = 0;
	refuse(good, "a piece without positions");
	n_of[1] = GA_DEVICE_MAX_ELEMENTS + 1;
	refuse(good, "too many positions in a piece");
	n_of[1] = GA_DEVICE_MAX_ELEMENTS;
	refuse(good, "too many positions");
	n_of[1] = POSITIONS - 12;
	arrays[3] = 0;
	refuse(good, "no address");
	arrays[3] = arrays[0] + 4;
	refuse(good, "elements that are not aligned");
	bad = good_request();
	fixture_elem(&fixture, &bad);
	check_good(&bad);
	tap_end();
}

/* While sums are not answered, the queue takes nothing. */
static void
test_busy(void)
{
	GaElemRequest request = good_request();
	GaElemRequest other = request;
	GaDeviceFailure failure = {.call = ""};
	Small sum;

	tap_begin("one request at a time");
	small_init(&sum, arrays[0], 10);
	fixture_must(&fixture, "elem",
				 fixture.kind->elem(fixture.queue, &request, &failure),
				 &failure);
	refuse(other, "a second request");
	tap_check(fixture.kind->sum(fixture.queue, &sum.request, NULL) ==
				  GA_BAD_REQUEST,
			  "a sum");
	fixture_must(&fixture, "sums by position",
				 fixture_finish(&fixture, &failure), &failure);
	check_good(&request);
	fixture_sum(&fixture, &sum.request);
	small_check(&sum);
	tap_end();
}

/* The time is measured if that is wanted, also of nothing. */
static void
test_measure(void)
{
	GaElemRequest request = good_request();
	uint32_t n_pieces;

	tap_begin("measured time");
	for (n_pieces = 0; n_pieces <= 2; n_pieces += 2)
	{
		request.n_pieces = n_pieces;
		fixture.kind->measure(fixture.queue, true);
		fixture_elem(&fixture, &request);
		tap_check(request.device_ms >= 0 && request.device_ms < 10000, "%f ms",
				  request.device_ms);
		fixture.kind->measure(fixture.queue, false);
		fixture_elem(&fixture, &request);
		tap_check(request.device_ms < 0, "%f ms, not wanted",
				  request.device_ms);
	}
	tap_end();
}

int
main(void)
{
	fixture_open(&fixture);
	test_bad_requests();
	test_busy();
	test_measure();
	fixture_close(&fixture);
	return tap_done();
}
