/*
 * test_totals.c
 *		Running totals by the device: what a session does about a segment that
 *		fails, or is in doubt, while others are under way.
 */
#include "postgres.h"

#include "extension/offload/stored.h"
#include "extension/sql/engine_totals.h"
#include "session_case.h"

/* The elements, in several segments. */
#define N_TOTALS 500000

static int64 elements[N_TOTALS];
static GaTotalsState totals;
static int n_scans; /* segments that were asked for */

/* Compute totals, of a stored array or of elements that are sent. */
static GaTotalsRun
compute(bool is_stored)
{
	GaArray array = {.type = GA_int8, .n_not_null = N_TOTALS};
	GaTotalsRun run = {.totals = &totals,
					   .in = is_stored ? NULL : (const char *) elements,
					   .n = N_TOTALS};

	memset(&totals, 0, sizeof(totals));
	totals.type = GA_int8;
	totals.array = is_stored ? &array : NULL;
	totals.is_resident = is_stored;
	totals.key = (GaStoredKey){7, 100, N_TOTALS * sizeof(int64), 0};
	run.out = palloc(N_TOTALS * sizeof(GaInt128));
	n_scans = 0;
	ga_totals_by_device(&run);
	return run;
}

/* The first segment is refused, and the next ones are answered all the same. */
static void
refuse_first(const GaRequest *request, GaReply *reply)
{
	if (request->opcode == GA_SCAN && n_scans++ == 0)
		reply->status = GA_NO_MEMORY;
}

static void
test_refused(void)
{
	GaTotalsRun run;

	session_begin("nothing is sent behind a segment that was refused",
				  refuse_first);
	run = compute(false);
	tap_check(run.n_out == 0 && run.reason == GA_REASON_MEMORY, "reason");
	tap_check(hostile_n_requests[GA_SCAN] == 1, "%d segments",
			  hostile_n_requests[GA_SCAN]);
	tap_check(!ga_client_is_open, "the connection stays");
	session_end();

	session_begin("nor are segments taken that were sent before", refuse_first);
	hostile_late = 3;
	run = compute(false);
	tap_check(run.n_out == 0 && run.reason == GA_REASON_MEMORY, "reason");
	tap_check(totals.ints.n == 0, "%lld inputs", (long long) totals.ints.n);
	tap_check(hostile_n_requests[GA_SCAN] == 3, "%d segments",
			  hostile_n_requests[GA_SCAN]);
	session_end();
}

/*
 * The second segment is in doubt until it comes with what settles that; those
 * behind it are refused.
 */
static void
doubt_second(const GaRequest *request, GaReply *reply)
{
	const bool checks = request->u.scan.stored.xmin != 0;

	if (request->opcode != GA_SCAN)
		return;
	tap_check(request->u.scan.from == 0 || n_scans > 0, "too early");
	n_scans++;
	reply->u.scan.state = n_scans == 2 ? GA_STORED_DOUBT : GA_STORED_RESIDENT;
	if (n_scans > 2 && !checks)
		reply->status = GA_BAD_STATE;
	if (n_scans == 2)
		hostile_late = 0;
	if (checks)
		tap_check(request->u.scan.lookup.sample.taken_ms < stubs_looked_at,
				  "the sample is newer than the look at the chunk");
	/* those behind it are under way when it is answered */
	if (n_scans == 1)
		hostile_late = 2;
}

static void
test_doubt(void)
{
	GaTotalsRun run;

	session_begin("segments behind one that is in doubt", doubt_second);
	run = compute(true);
	tap_check(run.n_out == N_TOTALS && run.reason == GA_NO_REASON, "reason %d",
			  run.reason);
	tap_check(totals.ints.n == N_TOTALS, "%lld inputs",
			  (long long) totals.ints.n);
	tap_check(run.checks && !run.is_missing, "no check");
	session_end();
}

/* --- the CPU, or elements that are sent */

/* Compute the next totals of a stored array, as gpu_cumsum() does. */
static size_t
compute_next(size_t n, GaInt128 *out)
{
	tap_check(ga_totals_next_run(&totals, totals.array, &(const void *){0}) ==
				  (int) (N_TOTALS - totals.n_done),
			  "the next run");
	return ga_totals_compute(&totals, NULL, n, out);
}

/* Begin with a stored array, whose elements are 1. */
static void
begin_stored(GaArray *array)
{
	*array = (GaArray){.type = GA_int8, .n_not_null = N_TOTALS};
	ga_totals_begin(&totals, GA_int8, GA_NO_REASON);
	totals.array = array;
	totals.is_resident = true;
	totals.key = (GaStoredKey){7, 100, N_TOTALS * sizeof(int64), 0};
	n_scans = 0;
}

static void
test_cpu(void)
{
	GaInt128 *out;
	GaArray array;

	session_begin("the CPU goes on where it was, from call to call",
				  refuse_first);
	out = palloc(1000 * sizeof(GaInt128));
	begin_stored(&array);
	tap_check(compute_next(1000, out) == 1000 && out[999] == 1000, "first");
	tap_check(totals.reason == GA_REASON_MEMORY, "the device goes on");
	tap_check(totals.n_done == 1000, "%zu are done", totals.n_done);
	tap_check(compute_next(1000, out) == 1000 && out[999] == 2000, "next");
	tap_check(totals.n_done == 2000, "%zu are done", totals.n_done);
	session_end();
}

/* There is no memory for the array, and for its elements in a slot there is. */
static void
have_no_memory(const GaRequest *request, GaReply *reply)
{
	GaLookupSlot slot;

	if (request->opcode == GA_REDUCE_STORED &&
		hostile_lookup(request->slot - GA_LEASE_SLOTS, &slot))
		slot.refs->state = GA_STORED_STREAM;
	if (request->opcode == GA_SCAN && request->u.scan.is_stored)
		reply->u.scan.state = GA_STORED_STREAM;
	if (request->opcode == GA_SCAN && ++n_scans > 10)
		reply->status = GA_DEVICE_FAILED;
}

static void
test_sent(void)
{
	GaInt128 *out;
	GaArray array;

	session_begin("an array without memory on the device is sent",
				  have_no_memory);
	out = palloc(1000 * sizeof(GaInt128));
	begin_stored(&array);
	tap_check(compute_next(1000, out) == 1000, "first");
	tap_check(n_scans == 3 && hostile_n_requests[GA_REDUCE_STORED] == 1,
			  "%d requests", n_scans);
	tap_check(totals.reason == GA_NO_REASON && !totals.is_resident, "reason");
	tap_check(compute_next(1000, out) == 1000, "next");
	tap_check(n_scans == 4, "it is looked for again");
	session_end();
}

int
main(void)
{
	test_refused();
	test_doubt();
	test_cpu();
	test_sent();
	return tap_done();
}
