/*
 * test_scan_memory.c
 *		A device's running totals of one long array, where there is hardly
 *		more memory than the array and its totals take.
 *
 * What a queue has besides is known of the GPU alone: memory that is clean for
 * the next array, which is of no use to one that is tried again.
 */
#include "array_set.h"
#include "tap.h"

#define LENGTH 50000
#define CLEAN  (256 << 10) /* bytes that a GPU's queue keeps clean */
#define SLACK  1024		   /* around the array and its totals */

static Fixture fixture;
static ArraySet set;

/* One plain array of doubles, and a device with so much memory besides. */
static void
begin(Rng *rng, size_t n_spare_bytes)
{
	const size_t n_bytes = LENGTH * sizeof(double);
	const GaDeviceOptions options = {.budget_bytes =
										 2 * n_bytes + SLACK + n_spare_bytes};

	fixture_open_with(&fixture, &options);
	array_set_init_scan(&set, GA_float8);
	elements_fill_fast(set.type, rng, LENGTH,
					   array_set_add(&set, "plain", LENGTH, 0, 0));
	array_set_add_hints(&set);
}

static void
end(void)
{
	array_set_free(&set);
	fixture_close(&fixture);
}

/* A plain array's totals are right, without a second try. */
static void
check_plain(void)
{
	set.hints[0] = (GaScanHint){0};
	tap_check(array_set_check_scans(&fixture, &set) == 0, "refused");
}

/* ... and are so if the first try is sure to be refused. */
static void
check_second_try(void)
{
	set.hints[0] = (GaScanHint){.unit = 900, .n_levels = 2};
	tap_check(array_set_check_scans(&fixture, &set) > 0,
			  "a scale of 2^900 does");
}

static uint64_t
used_bytes(void)
{
	GaDeviceFailure failure = {.call = ""};
	GaDeviceInfo info;

	fixture_must(&fixture, "describe",
				 fixture.kind->describe(fixture.device, &info, &failure),
				 &failure);
	return info.used_bytes;
}

/* Not enough for clean memory: the array goes another way. */
static void
test_unclean(Rng *rng)
{
	int i;

	tap_begin("no memory for clean memory");
	begin(rng, CLEAN / 2);
	for (i = 0; i < 3; i++)
	{
		check_plain();
		check_second_try();
	}
	end();
	tap_end();
}

/* Enough for that and no more: the second try has it instead, and keeps it. */
static void
test_second_try(Rng *rng)
{
	int i;

	tap_begin("memory for clean memory or for a second try");
	begin(rng, CLEAN);
	for (i = 0; i < 3; i++)
	{
		check_plain();
		tap_check(i > 0 || fixture_is_emulated() ||
					  used_bytes() > 2 * LENGTH * sizeof(double) + CLEAN,
				  "%llu bytes used, without clean memory",
				  (unsigned long long) used_bytes());
		check_second_try();
		tap_check(used_bytes() <= 2 * LENGTH * sizeof(double) + CLEAN,
				  "%llu bytes used", (unsigned long long) used_bytes());
	}
	end();
	tap_end();
}

/*
 * An array that no scale does for takes more than there is, and is refused by a
 * GPU; the next one is none the worse.
 */
static void
test_refused(Rng *rng)
{
	ArraySet apart;
	int i;

	tap_begin("no memory for what no scale does for");
	begin(rng, CLEAN);
	array_set_init_scan(&apart, GA_float8);
	elements_fill_fast(apart.type, rng, LENGTH,
					   array_set_add(&apart, "all of the range", LENGTH, 0, 0));
	elements_put(apart.type, (const double[]){1e300, 1e-300}, 2,
				 array_set_elements(&apart, 0));
	for (i = 0; i < 6; i++)
	{
		GaDeviceFailure failure = {.call = ""};
		GaScanRequest request = {
			.type = GA_float8,
			.in = array_set_copy_in(&fixture, &apart) + apart.arrays[0].at,
			.out =
				fixture_memory(&fixture, FIXTURE_OUT, LENGTH * sizeof(double)),
			.n = LENGTH};
		GaStatus status;

		if (i % 2 > 0)
			request.hint.n_levels = GA_SCAN_NO_SCALE;
		status = fixture.kind->scan(fixture.queue, &request, &failure);
		if (status == GA_OK)
			status = fixture_finish(&fixture, &failure);
		tap_check(status == (fixture_is_emulated() ? GA_OK : GA_NO_MEMORY),
				  "status %d", status);
		tap_check(status == GA_OK || failure.message[0] != 0, "no reason");
		check_plain();
		check_second_try();
	}
	array_set_free(&apart);
	end();
	tap_end();
}

int
main(void)
{
	Rng rng = {53};

	test_unclean(&rng);
	test_second_try(&rng);
	test_refused(&rng);
	return tap_done();
}
