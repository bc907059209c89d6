/*
 * test_scan_room.c
 *		A device's running totals of one long array, where there is hardly
 *		more memory than the array and its totals take.
 *
 * What a queue has besides is known of the GPU alone: memory that is clean for
 * the next array, which is of no use to one that is tried again.
 */
#include "batch.h"
#include "tap.h"

#define LENGTH 50000
#define CLEAN  (256 << 10) /* bytes that a GPU's queue keeps clean */
#define SLACK  1024		   /* around the array and its totals */

static Rig rig;
static Batch batch;

/* One plain array of doubles, and a device with so much room for work. */
static void
begin(Rng *rng, size_t room)
{
	const size_t n_bytes = LENGTH * sizeof(double);
	const GaDeviceOptions options = {.budget_bytes =
										 2 * n_bytes + SLACK + room};

	rig_open_with(&rig, &options);
	batch_init_scan(&batch, GA_float8);
	elements_fill_fast(batch.type, rng, LENGTH,
					   batch_add(&batch, "plain", LENGTH, 0, 0));
	batch_add_hints(&batch);
}

static void
end(void)
{
	batch_free(&batch);
	rig_close(&rig);
}

/* A plain array's totals are right, without a second try. */
static void
check_plain(void)
{
	batch.hints[0] = (GaScanHint){0};
	tap_check(batch_check_scans(&rig, &batch) == 0, "refused");
}

/* ... and are so if the first try is sure to be refused. */
static void
check_second_try(void)
{
	batch.hints[0] = (GaScanHint){.unit = 900, .n_levels = 2};
	tap_check(batch_check_scans(&rig, &batch) > 0, "a scale of 2^900 does");
}

static uint64_t
used_bytes(void)
{
	GaDeviceFailure failure = {.call = ""};
	GaDeviceInfo info;

	rig_must(&rig, "describe", rig.kind->describe(rig.device, &info, &failure),
			 &failure);
	return info.used_bytes;
}

/* Not enough for clean memory: the array goes another way. */
static void
test_unclean(Rng *rng)
{
	int i;

	tap_begin("no room for clean memory");
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

	tap_begin("room for clean memory or for a second try");
	begin(rng, CLEAN);
	for (i = 0; i < 3; i++)
	{
		check_plain();
		tap_check(i > 0 || rig_is_emulated() ||
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
	Batch apart;
	int i;

	tap_begin("no room for what no scale does for");
	begin(rng, CLEAN);
	batch_init_scan(&apart, GA_float8);
	elements_fill_fast(apart.type, rng, LENGTH,
					   batch_add(&apart, "all of the range", LENGTH, 0, 0));
	elements_put(apart.type, (const double[]){1e300, 1e-300}, 2,
				 batch_elements(&apart, 0));
	for (i = 0; i < 6; i++)
	{
		GaDeviceFailure failure = {.call = ""};
		GaScanRequest request = {
			.type = GA_float8,
			.in = batch_copy_in(&rig, &apart) + apart.arrays[0].at,
			.out = rig_memory(&rig, RIG_OUT, LENGTH * sizeof(double)),
			.n = LENGTH};
		GaStatus status;

		if (i % 2 > 0)
			request.hint.n_levels = GA_SCAN_NO_SCALE;
		status = rig.kind->scan(rig.queue, &request, &failure);
		if (status == GA_OK)
			status = rig_finish(&rig, &failure);
		tap_check(status == (rig_is_emulated() ? GA_OK : GA_NO_MEMORY),
				  "status %d", status);
		tap_check(status == GA_OK || failure.message[0] != 0, "no reason");
		check_plain();
		check_second_try();
	}
	batch_free(&apart);
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
