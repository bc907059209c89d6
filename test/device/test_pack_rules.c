/*
 * test_pack_rules.c
 *		The rules of a device's requests that survey and pack arrays, measured
 *		time, and faults.
 */
#include "small_sum.h"
#include "tap.h"

#define PAGES_AT   1024
#define N_BYTES	   (PAGES_AT + 2 * GA_PACKED_PAGE_BYTES)
#define N_ELEMENTS 4000

static Fixture fixture;

/* Two arrays, the first of which has two pieces, and their memory. */
static GaPackPiece pieces[3];
static GaPackArray arrays[2];
static GaDeviceAddress pages[2];

/* Return a good request of elements that do not matter. */
static GaPackRequest
good_request(GaDeviceAddress in, GaDeviceAddress out)
{
	pieces[0] = (GaPackPiece){in, GA_PACKED_VECTOR, out};
	pieces[1] = (GaPackPiece){in + 8 * GA_PACKED_VECTOR, 1000, out + 32};
	pieces[2] = (GaPackPiece){in + 16, 2050, out + 64};
	pages[0] = out + PAGES_AT;
	pages[1] = out + PAGES_AT + GA_PACKED_PAGE_BYTES;
	arrays[0] = (GaPackArray){.n_pieces = 2, .pages = &pages[0]};
	arrays[1] = (GaPackArray){.n_pieces = 1, .at = 160, .pages = &pages[1]};
	return (GaPackRequest){.type = GA_int8,
						   .n_arrays = 2,
						   .arrays = arrays,
						   .pieces = pieces,
						   .n_pieces = 3};
}

/* Put elements on a device, and return a request that packs them. */
static GaPackRequest
request_on(Fixture *on)
{
	static int64_t elements[N_ELEMENTS];
	const GaDeviceAddress in = fixture_memory(on, FIXTURE_IN, sizeof(elements));
	int i;

	for (i = 0; i < N_ELEMENTS; i++)
		elements[i] = i * 1000 % 777;
	fixture_copy_in(on, in, elements, sizeof(elements));
	return good_request(in, fixture_memory(on, FIXTURE_PAGES, N_BYTES));
}

/* One of both requests is refused with a reason, wanted or not. */
static void
refuse_one(GaPackRequest request, bool packs, const char *what)
{
	GaStatus (*const submit)(GaDeviceQueue *, GaPackRequest *,
							 GaDeviceFailure *) =
		packs ? fixture.kind->pack : fixture.kind->survey;
	GaDeviceFailure failure = {.call = ""};

	tap_check(submit(fixture.queue, &request, &failure) == GA_BAD_REQUEST, "%s",
			  what);
	tap_check(failure.call[0] != 0 && failure.message[0] != 0, "%s: no reason",
			  what);
	tap_check(submit(fixture.queue, &request, NULL) == GA_BAD_REQUEST,
			  "%s, no failure wanted", what);
}

static void
refuse(GaPackRequest request, const char *what)
{
	refuse_one(request, false, what);
	refuse_one(request, true, what);
}

/* Lists that are wrong. */
static void
test_bad_lists(void)
{
	const GaPackRequest good = request_on(&fixture);
	GaPackRequest bad = good;

	tap_begin("bad requests");
	bad.type = GA_N_ELEMENT_TYPES;
	refuse(bad, "no type");
	bad = good;
	bad.arrays = NULL;
	refuse(bad, "no arrays");
	bad = good;
	bad.pieces = NULL;
	refuse(bad, "no pieces");
	bad = good;
	bad.n_arrays = GA_DEVICE_MAX_ARRAYS + 1;
	refuse(bad, "too many arrays");
	bad = good;
	bad.n_pieces = GA_DEVICE_MAX_ARRAYS + 1;
	refuse(bad, "too many pieces");
	bad.n_pieces = 2;
	refuse(bad, "fewer pieces than the arrays have");
	bad = good;
	bad.n_arrays = 1;
	refuse(bad, "a piece of no array");
	bad.n_arrays = 0;
	refuse(bad, "pieces of no array");
	arrays[1].n_pieces = 0;
	refuse(good, "an array without pieces");
	arrays[1].n_pieces = UINT32_MAX;
	arrays[0].n_pieces = 4;
	refuse(good, "as many pieces as others, modulo 2^32");
	tap_end();
}

/* Pieces and pages that are wrong. */
static void
test_bad_memory(void)
{
	const GaPackRequest good = request_on(&fixture);
	const GaPackPiece piece = pieces[1];

	tap_begin("bad memory");
	pieces[1].n = 0;
	refuse(good, "a piece without elements");
	pieces[1].n = GA_DEVICE_MAX_ELEMENTS + 1;
	refuse(good, "too many elements");
	pieces[1] = piece;
	pieces[0].n = 1000;
	refuse(good, "a piece that ends within a vector");
	pieces[0].n = GA_PACKED_VECTOR;
	pieces[1].data = 0;
	refuse(good, "no address");
	pieces[1].data = piece.data + 8;
	refuse(good, "elements that are not aligned");
	pieces[1].data = ga_packed_address(piece.headers, sizeof(int64_t));
	refuse(good, "elements that are packed");
	pieces[1] = piece;
	pieces[1].headers = 0;
	refuse(good, "no headers");
	pieces[1].headers = piece.headers + sizeof(GaPackedHeader) / 2;
	refuse(good, "headers that are not aligned");
	pieces[1].headers = ga_packed_address(piece.headers, sizeof(int64_t));
	refuse(good, "headers at a packed address");
	pieces[1] = piece;
	arrays[0].at = GA_PACKED_PAGE_BYTES + 16;
	refuse(good, "no place in the page");
	arrays[0].at = 8;
	refuse(good, "a place that is not aligned");
	arrays[0].at = 0;
	arrays[1].n_pages = 1;
	arrays[1].pages = NULL;
	refuse_one(good, true, "no pages");
	arrays[1].pages = &pages[1];
	pages[1] = 0;
	refuse_one(good, true, "no page");
	pages[1] = piece.headers / 256 * 256 + 128;
	refuse_one(good, true, "a page that is not aligned");
	pages[1] = ga_packed_address(piece.headers, sizeof(int64_t));
	refuse_one(good, true, "a page at a packed address");
	pages[1] = UINT64_C(1) << 48;
	refuse_one(good, true, "a page that headers cannot name");
	tap_end();
}

/* A request can be packed after bad ones, and its time is measured. */
static void
test_good(void)
{
	GaPackRequest request = request_on(&fixture);
	int measured;

	tap_begin("good requests, measured or not");
	for (measured = 0; measured < 2; measured++)
	{
		fixture.kind->measure(fixture.queue, measured == 1);
		request.device_ms = 77777;
		fixture_survey(&fixture, &request);
		tap_check(measured ?
					  request.device_ms >= 0 && request.device_ms < 10000 :
					  request.device_ms < 0,
				  "%f ms", request.device_ms);
		tap_check(arrays[0].n_pages == 1 && arrays[1].n_pages == 1,
				  "%u and %u pages", (unsigned) arrays[0].n_pages,
				  (unsigned) arrays[1].n_pages);
		request.device_ms = 77777;
		fixture_pack(&fixture, &request);
		tap_check(measured ?
					  request.device_ms >= 0 && request.device_ms < 10000 :
					  request.device_ms < 0,
				  "%f ms", request.device_ms);
		tap_check(request.n_wrong == 0, "%llu are wrong",
				  (unsigned long long) request.n_wrong);
	}
	fixture.kind->measure(fixture.queue, false);
	tap_end();
}

/* While a survey is not answered, the queue takes nothing. */
static void
test_busy(void)
{
	GaPackRequest request = request_on(&fixture);
	GaDeviceFailure failure = {.call = ""};
	Small sum;

	tap_begin("one request at a time");
	small_init(&sum, fixture.memory[FIXTURE_IN], 10);
	fixture_must(&fixture, "survey",
				 fixture.kind->survey(fixture.queue, &request, &failure),
				 &failure);
	refuse(request, "a second request");
	tap_check(fixture.kind->sum(fixture.queue, &sum.request, NULL) ==
				  GA_BAD_REQUEST,
			  "a sum");
	fixture_must(&fixture, "a survey", fixture_finish(&fixture, &failure),
				 &failure);
	fixture_pack(&fixture, &request);
	tap_check(request.n_wrong == 0, "%llu are wrong",
			  (unsigned long long) request.n_wrong);
	tap_end();
}

/* The emulated device finds vectors that it cannot decode. */
static void
test_wrong(void)
{
	const GaDeviceOptions options = {.faults.wrong_pack = 2};
	GaPackRequest request;
	Fixture faulty;

	tap_begin("vectors that do not decode");
	fixture_open_with(&faulty, &options);
	request = request_on(&faulty);
	fixture_survey(&faulty, &request);
	fixture_pack(&faulty, &request);
	tap_check(request.n_wrong == 1, "%llu are wrong",
			  (unsigned long long) request.n_wrong);
	fixture_close(&faulty);
	tap_end();
}

/* Both requests count as launches, the second of which is refused, or fails. */
static void
test_launches(void)
{
	const GaDeviceOptions refuses = {.faults.refuse_launch = 2};
	const GaDeviceOptions fails = {.faults.fail_launch = 2};
	GaDeviceFailure failure = {.call = ""};
	GaPackRequest request;
	Fixture faulty;

	tap_begin("launches that are refused, or fail");
	fixture_open_with(&faulty, &refuses);
	request = request_on(&faulty);
	fixture_survey(&faulty, &request);
	tap_check(faulty.kind->pack(faulty.queue, &request, &failure) ==
				  GA_NO_MEMORY,
			  "it is not refused");
	fixture_pack(&faulty, &request);
	tap_check(request.n_wrong == 0, "%llu are wrong",
			  (unsigned long long) request.n_wrong);
	fixture_close(&faulty);
	fixture_open_with(&faulty, &fails);
	request = request_on(&faulty);
	fixture_survey(&faulty, &request);
	fixture_must(&faulty, "survey",
				 faulty.kind->survey(faulty.queue, &request, &failure),
				 &failure);
	tap_check(fixture_finish(&faulty, &failure) == GA_DEVICE_FAILED,
			  "it does not fail");
	fixture_close(&faulty);
	tap_end();
}

int
main(void)
{
	fixture_open(&fixture);
	test_bad_lists();
	test_bad_memory();
	test_good();
	test_busy();
	if (fixture_is_emulated())
	{
		test_wrong();
		test_launches();
	}
	fixture_close(&fixture);
	return tap_done();
}
