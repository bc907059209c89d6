/*
 * test_interface.c
 *		Memory and copies of a device, and the rules that a request has to
 *		keep.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "array_set.h"
#include "small_sum.h"
#include "tap.h"

#define MIB	   (1 << 20)
#define BUDGET (64 * (uint64_t) MIB)

static Fixture fixture;
static const GaDeviceKind *kind;

static void
test_describe(void)
{
	GaDeviceInfo info;
	GaDeviceFailure failure = {.call = ""};
	GaDeviceOptions options = {0};
	GaDevice *device;
	int n = 0;

	tap_begin("how many devices there are, and which");
	fixture_must(&fixture, "count", kind->count(&n, &failure), &failure);
	tap_check(n >= 1, "%d devices", n);
	fixture_must(&fixture, "describe",
				 kind->describe(fixture.device, &info, &failure), &failure);
	tap_check(info.name[0] != 0 && info.id[0] != 0, "no name");
	tap_check(info.n_multiprocessors > 0 && info.memory_bytes > 0 &&
				  info.free_bytes <= info.memory_bytes,
			  "sizes of nothing");
	tap_check(info.budget_bytes == 0, "a budget");
	tap_note("%s, %s, %.1f GiB", info.name, info.id,
			 info.memory_bytes / (double) (1 << 30));
	for (options.ordinal = -1; options.ordinal <= n; options.ordinal += n + 1)
	{
		failure.message[0] = 0;
		tap_check(kind->open(&options, &device, &failure) == GA_NO_DEVICE,
				  "device %d of %d opens", options.ordinal, n);
		tap_check(failure.call[0] != 0 && failure.message[0] != 0, "no reason");
	}
	tap_end();
}

/*
 * A device computes the same when another one was opened behind it, which may
 * be of another kind.
 */
static void
test_other_device(void)
{
	const GaDeviceOptions options = {.ordinal = 1};
	GaDeviceFailure failure = {.call = ""};
	Rng rng = {67};
	GaDevice *other;
	ArraySet set;
	int type;
	int n = 0;

	fixture_must(&fixture, "count", kind->count(&n, &failure), &failure);
	if (n < 2)
	{
		tap_skip("another device is open", "there is one device");
		return;
	}
	tap_begin("another device is open");
	fixture_must(&fixture, "open", kind->open(&options, &other, &failure),
				 &failure);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		array_set_init(&set, (GaElementType) type);
		array_set_add_family(&set, &rng, 0, 50000);
		array_set_check_sums(&fixture, &set);
		array_set_check_reductions(&fixture, &set);
		(void) array_set_check_scans(&fixture, &set);
		array_set_free(&set);
	}
	kind->close(other);
	tap_end();
}

static uint64_t
used_bytes(GaDevice *device)
{
	GaDeviceInfo info;
	GaDeviceFailure failure = {.call = ""};

	fixture_must(&fixture, "describe", kind->describe(device, &info, &failure),
				 &failure);
	tap_check(info.budget_bytes == BUDGET, "the budget is %llu",
			  (unsigned long long) info.budget_bytes);
	return info.used_bytes;
}

/* All that fits can be had, and again after it was given back. */
static void
test_budget(void)
{
	GaDeviceOptions options = {.budget_bytes = BUDGET};
	GaDeviceFailure failure = {.call = ""};
	GaDeviceAddress a, b;
	Fixture small;
	uint64_t before;
	int i;

	tap_begin("the budget");
	fixture_open_with(&small, &options);
	before = used_bytes(small.device);
	tap_check(kind->allocate(small.device, BUDGET + 1, &a, &failure) ==
				  GA_NO_MEMORY,
			  "more than the budget");
	tap_check(failure.call[0] != 0 && failure.message[0] != 0, "no reason");
	tap_check(kind->allocate(small.device, UINT64_MAX, &a, NULL) ==
				  GA_NO_MEMORY,
			  "all there ever will be");
	for (i = 0; i < 3; i++)
	{
		fixture_must(&small, "allocate",
					 kind->allocate(small.device, BUDGET / 2, &a, &failure),
					 &failure);
		tap_check(used_bytes(small.device) >= before + BUDGET / 2,
				  "half of it is not used");
		tap_check(kind->allocate(small.device, BUDGET / 2 + 1, &b, &failure) ==
					  GA_NO_MEMORY,
				  "more than half is free");
		kind->free(small.device, a);
		tap_check(used_bytes(small.device) == before,
				  "%llu bytes used, %llu before",
				  (unsigned long long) used_bytes(small.device),
				  (unsigned long long) before);
	}
	fixture_close(&small);
	tap_end();
}

/* Nothing overlaps, all is aligned; what is not freed goes with the device. */
static void
test_allocate(Rng *rng)
{
	enum
	{
		N = 64
	};
	GaDeviceAddress at[N];
	uint64_t n_bytes[N];
	GaDeviceFailure failure = {.call = ""};
	Fixture own;
	int i, j;

	tap_begin("memory");
	fixture_open(&own);
	for (i = 0; i < N; i++)
	{
		n_bytes[i] = rng_below(rng, 10000) + 1;
		fixture_must(&own, "allocate",
					 kind->allocate(own.device, n_bytes[i], &at[i], &failure),
					 &failure);
		tap_check(at[i] != 0 && at[i] % 256 == 0, "an address is %llx",
				  (unsigned long long) at[i]);
		for (j = 0; j < i; j++)
			tap_check(at[j] + n_bytes[j] <= at[i] ||
						  at[i] + n_bytes[i] <= at[j],
					  "two overlap");
	}
	for (i = 0; i < N; i += 3)
		kind->free(own.device, at[i]);
	kind->free(own.device, 0);
	fixture_close(&own);
	tap_end();
}

/* Bytes that go there come back, by any offset, and nothing beside them. */
static void
copy_both_ways(Rng *rng, char *host, char *back, size_t size)
{
	GaDeviceAddress at = fixture_memory(&fixture, FIXTURE_IN, size);
	int i;
	size_t k;

	for (i = 0; i < 100; i++)
	{
		size_t offset = rng_below(rng, 40);
		size_t from = rng_below(rng, 40);
		size_t n = rng_below(rng, (size - 40) >> rng_below(rng, 16));

		for (k = 0; k < n; k++)
			host[from + k] = (char) (rng->state * (k | 1) >> 20);
		memset(back, 0x5a, size);
		fixture_copy_in(&fixture, at + offset, host + from, n);
		fixture_copy_out(&fixture, back + from, at + offset, n);
		tap_check(memcmp(host + from, back + from, n) == 0,
				  "%zu bytes from offset %zu differ", n, offset);
		for (k = 0; k < 40; k++)
			tap_check((k >= from || back[k] == 0x5a) &&
						  back[from + n + k] == 0x5a,
					  "written beside them");
	}
}

static void
test_copies(Rng *rng)
{
	size_t size = MIB;
	char *host = malloc(size + 80);
	char *back = malloc(size + 80);
	GaDeviceFailure failure = {.call = ""};
	char *map = mmap(NULL, 4 * size, PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	tap_begin("copies there and back");
	copy_both_ways(rng, host, back, size);
	fixture_must(&fixture, "register_host",
				 kind->register_host(fixture.device, map, 4 * size, &failure),
				 &failure);
	copy_both_ways(rng, map, map + 2 * size, size);
	copy_both_ways(rng, map, back, size);
	kind->unregister_host(fixture.device, map);
	munmap(map, 4 * size);
	free(host);
	free(back);
	tap_end();
}

/* Zeros go where they are to, in order with copies, and nowhere else. */
static void
test_zero(Rng *rng)
{
	const size_t size = MIB;
	GaDeviceAddress at = fixture_memory(&fixture, FIXTURE_IN, size);
	GaDeviceFailure failure = {.call = ""};
	char *host = malloc(size);
	char *back = malloc(size);
	int i;

	tap_begin("zeros");
	memset(host, 0x5a, size);
	for (i = 0; i < 100; i++)
	{
		size_t from = rng_below(rng, size);
		size_t n = i == 0 ? 0 : rng_below(rng, (size - from) >> i % 16) + 1;

		fixture_copy_in(&fixture, at, host, size);
		fixture_must(&fixture, "zero",
					 kind->zero(fixture.queue, at + from, n, &failure),
					 &failure);
		fixture_copy_out(&fixture, back, at, size);
		memset(host + from, 0, n);
		tap_check(memcmp(host, back, size) == 0, "%zu bytes from %zu", n, from);
		memset(host + from, 0x5a, n);
	}
	free(host);
	free(back);
	tap_end();
}

/* Each is refused with a reason, known or not, and harms nothing. */
static void
refuse_sum(GaSumRequest request, const char *what)
{
	GaDeviceFailure failure = {.call = ""};

	tap_check(kind->sum(fixture.queue, &request, &failure) == GA_BAD_REQUEST,
			  "sums of %s", what);
	tap_check(failure.call[0] != 0 && failure.message[0] != 0,
			  "sums of %s: no reason", what);
	tap_check(kind->sum(fixture.queue, &request, NULL) == GA_BAD_REQUEST,
			  "sums of %s, no failure wanted", what);
}

static void
refuse_scan(GaScanRequest request, const char *what)
{
	GaDeviceFailure failure = {.call = ""};

	tap_check(kind->scan(fixture.queue, &request, &failure) == GA_BAD_REQUEST,
			  "scans of %s", what);
	tap_check(failure.call[0] != 0 && failure.message[0] != 0,
			  "scans of %s: no reason", what);
	tap_check(kind->scan(fixture.queue, &request, NULL) == GA_BAD_REQUEST,
			  "scans of %s, no failure wanted", what);
}

static void
test_bad_sums(void)
{
	GaDeviceAddress at = small_put(&fixture);
	Small good;
	GaSumRequest bad;
	GaDeviceArray array[2];
	GaPartialSum results[2];
	int type;

	tap_begin("bad requests for sums");
	small_init(&good, at, 10);
	bad = good.request;
	bad.type = GA_N_ELEMENT_TYPES;
	refuse_sum(bad, "no type");
	bad = good.request;
	bad.n_arrays = GA_DEVICE_MAX_ARRAYS + 1;
	refuse_sum(bad, "too many arrays");
	bad = good.request;
	bad.n_arrays = 2;
	bad.arrays = array;
	bad.results = results;
	array[0] = good.array;
	array[1] = (GaDeviceArray){at, (uint64_t) GA_DEVICE_MAX_ELEMENTS + 1};
	refuse_sum(bad, "too many elements");
	array[1] = (GaDeviceArray){0, 1};
	refuse_sum(bad, "no address");
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		bad.type = (GaElementType) type;
		array[1] = (GaDeviceArray){at + ga_element_size(bad.type) / 2, 1};
		refuse_sum(bad, "elements that are not aligned");
	}
	fixture_sum(&fixture, &good.request);
	small_check(&good);
	tap_end();
}

static void
test_bad_scans(void)
{
	GaDeviceAddress in = small_put(&fixture);
	GaDeviceAddress out = fixture_memory(&fixture, FIXTURE_OUT, SMALL_MAX * 16);
	const GaScanRequest good = {.type = GA_int8, .in = in, .out = out, .n = 10};
	GaScanRequest bad;
	int64_t totals[10];

	tap_begin("bad requests for running totals");
	bad = good;
	bad.type = GA_N_ELEMENT_TYPES;
	refuse_scan(bad, "no type");
	bad = good;
	bad.totals = GA_TOTALS_INT128;
	for (bad.type = GA_int2; bad.type < GA_N_ELEMENT_TYPES; bad.type++)
	{
		if (bad.type != GA_int8)
			refuse_scan(bad, "int128 totals of other types");
	}
	bad = good;
	bad.n = (uint64_t) GA_DEVICE_MAX_ELEMENTS + 1;
	refuse_scan(bad, "too many elements");
	bad = good;
	bad.in = 0;
	refuse_scan(bad, "no input");
	bad = good;
	bad.out = 0;
	refuse_scan(bad, "no output");
	bad = good;
	bad.in = in + 4;
	refuse_scan(bad, "input that is not aligned");
	bad = good;
	bad.out = out + 4;
	refuse_scan(bad, "output that is not aligned");
	bad.totals = GA_TOTALS_INT128;
	refuse_scan(bad, "int128 output that is not aligned");
	bad = good;
	bad.out = in + 72;
	refuse_scan(bad, "output over input");

	bad = (GaScanRequest){.type = GA_int8};
	fixture_scan(&fixture, &bad);
	tap_check(bad.n_totals == 0 && bad.sum.limb[0] == 0, "no elements");
	bad = good;
	fixture_scan(&fixture, &bad);
	fixture_copy_out(&fixture, totals, out, sizeof(totals));
	tap_check(totals[0] == 1 && totals[9] == 55 && bad.n_totals == 10,
			  "a good one after bad ones");
	tap_end();
}

int
main(void)
{
	Rng rng = {51};

	fixture_open(&fixture);
	kind = fixture.kind;
	test_describe();
	test_other_device();
	test_budget();
	test_allocate(&rng);
	test_copies(&rng);
	test_zero(&rng);
	test_bad_sums();
	test_bad_scans();
	fixture_close(&fixture);
	return tap_done();
}
