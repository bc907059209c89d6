/*
 * test_reduce_rules.c
 *		The rules of a device's requests for reductions, and measured time.
 */
#include "small_sum.h"
#include "tap.h"

static Fixture fixture;

/* It is refused with a reason, wanted or not, and harms nothing. */
static void
refuse(GaReduceRequest request, const char *what)
{
	const GaDeviceKind *kind = fixture.kind;
	GaDeviceFailure failure = {.call = ""};

	tap_check(kind->reduce(fixture.queue, &request, &failure) == GA_BAD_REQUEST,
			  "%s", what);
	tap_check(failure.call[0] != 0 && failure.message[0] != 0, "%s: no reason",
			  what);
	tap_check(kind->reduce(fixture.queue, &request, NULL) == GA_BAD_REQUEST,
			  "%s, no failure wanted", what);
}

static void
test_bad_requests(void)
{
	const GaDeviceAddress at = small_put(&fixture);
	GaDeviceArray parts[3] = {{at, 10}, {at + 80, 10}, {at + 160, 10}};
	GaDeviceArray others[3] = {{at, 10}, {at, 9}, {at, 10}};
	uint32_t n_parts_of[2] = {2, 1};
	GaPartialSum results[2];
	const GaReduceRequest good = {.reduction = GA_REDUCE_MAX,
								  .type = GA_int8,
								  .n_parts = 3,
								  .parts = parts,
								  .n_results = 2,
								  .n_parts_of = n_parts_of,
								  .results = results};
	GaReduceRequest bad = good;

	tap_begin("bad requests");
	bad.type = GA_N_ELEMENT_TYPES;
	refuse(bad, "no type");
	bad = good;
	bad.reduction = GA_N_REDUCTIONS;
	refuse(bad, "no reduction");
	bad.reduction = GA_REDUCE_SUM;
	refuse(bad, "a sum");
	bad = good;
	bad.n_parts = 2;
	refuse(bad, "fewer arrays than the results have");
	bad.n_parts = GA_DEVICE_MAX_ARRAYS + 1;
	refuse(bad, "too many arrays");
	bad = good;
	bad.n_results = 1;
	refuse(bad, "arrays without a result");
	bad.n_results = 0;
	refuse(bad, "arrays without any result");
	bad = good;
	n_parts_of[1] = 0;
	refuse(bad, "a result without arrays");
	n_parts_of[1] = UINT32_MAX;
	refuse(bad, "a result of too many arrays");
	n_parts_of[0] = 4;
	refuse(bad, "as many arrays as others, modulo 2^32");
	n_parts_of[0] = 2;
	n_parts_of[1] = 1;
	bad.parts = NULL;
	refuse(bad, "no arrays");
	bad = good;
	bad.n_parts_of = NULL;
	refuse(bad, "no numbers of arrays");
	bad = good;
	bad.results = NULL;
	refuse(bad, "no place for results");
	parts[2].n = (uint64_t) GA_DEVICE_MAX_ELEMENTS + 1;
	refuse(good, "too many elements");
	parts[2] = (GaDeviceArray){at + 160, 10};
	parts[0].n = parts[1].n = GA_DEVICE_MAX_ELEMENTS / 2 + 1;
	refuse(good, "too many elements of one result");
	parts[0].n = parts[1].n = 10;
	parts[2] = (GaDeviceArray){0, 1};
	refuse(good, "no address");
	parts[2] = (GaDeviceArray){at + 4, 1};
	refuse(good, "elements that are not aligned");
	parts[2] = (GaDeviceArray){at + 160, 10};
	bad = good;
	bad.reduction = GA_N_ALL_REDUCTIONS;
	refuse(bad, "no reduction of pairs");
	bad.reduction = GA_REDUCE_PRODUCTS;
	refuse(bad, "no second arrays");
	bad.others = others;
	refuse(bad, "a pair of arrays of different lengths");
	others[1].n = 10;
	others[2].data = at + 4;
	refuse(bad, "second elements that are not aligned");
	bad = good;
	fixture_reduce(&fixture, &bad);
	tap_check(results[0].limb[0] == 20 && results[1].limb[0] == 30,
			  "a good one after bad ones");
	tap_end();
}

/* While a reduction is not answered, the queue takes nothing. */
static void
test_busy(void)
{
	const uint32_t one = 1;
	const GaDeviceArray array = {small_put(&fixture), SMALL_MAX};
	GaDeviceFailure failure = {.call = ""};
	GaPartialSum result;
	GaReduceRequest request = {.reduction = GA_REDUCE_MIN,
							   .type = GA_int8,
							   .n_parts = 1,
							   .parts = &array,
							   .n_results = 1,
							   .n_parts_of = &one,
							   .results = &result};
	GaReduceRequest other = request;
	Small sum;

	tap_begin("one request at a time");
	small_init(&sum, array.data, 10);
	fixture_must(&fixture, "reduce",
				 fixture.kind->reduce(fixture.queue, &request, &failure),
				 &failure);
	refuse(other, "a second request");
	tap_check(fixture.kind->sum(fixture.queue, &sum.request, NULL) ==
				  GA_BAD_REQUEST,
			  "a sum");
	fixture_must(&fixture, "a reduction", fixture_finish(&fixture, &failure),
				 &failure);
	tap_check(result.limb[0] == 1, "the least is %llu",
			  (unsigned long long) result.limb[0]);
	fixture_sum(&fixture, &sum.request);
	small_check(&sum);
	tap_end();
}

/* The time is measured if that is wanted. */
static void
test_measure(void)
{
	const uint32_t one = 1;
	const GaDeviceArray array = {small_put(&fixture), SMALL_MAX};
	GaPartialSum results[GA_MAX_RECORDS];
	GaReduceRequest request = {.reduction = GA_REDUCE_MOMENTS,
							   .type = GA_int8,
							   .n_parts = 1,
							   .parts = &array,
							   .n_results = 1,
							   .n_parts_of = &one,
							   .results = results};

	tap_begin("measured time");
	fixture.kind->measure(fixture.queue, true);
	fixture_reduce(&fixture, &request);
	tap_check(request.device_ms >= 0 && request.device_ms < 10000, "%f ms",
			  request.device_ms);
	fixture.kind->measure(fixture.queue, false);
	fixture_reduce(&fixture, &request);
	tap_check(request.device_ms < 0, "%f ms, not wanted", request.device_ms);
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
