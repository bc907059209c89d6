/*
 * resident.c
 *		Results of resident arrays that the caller waits for.
 *
 * Functions of one array have many results, one for each part of it.  What a
 * request names is resident, or the run ends, and its caller knows what to do:
 * the whole array is loaded, or the CPU reads it.  Nothing here waits for a
 * load of another session, which may wait for one of this session.
 *
 * stored.c does that for each array by itself, and later.  What it asked for
 * stays under way meanwhile, or is answered, too.
 *
 * Called by engine_resident.c, which cancels a run that throws.
 */
#include "postgres.h"

#include "client.h"
#include "resident.h"
#include "stored_key.h"
#include "wire/route.h"

static void make_request(int i, GaRequest *request);
static void receive(int i, const GaReply *reply);
static void fall_back(int i, GaReason reason);

static const GaSlotKind resident_kind = {
	.opcode = GA_REDUCE_STORED,
	.is_lookup = true,
	.max_bytes = GA_STORED_ASK_BYTES,
	.min_bytes = GA_STORED_ASK_LEAST_BYTES,
	.make_request = make_request,
	.receive = receive,
	.fall_back = fall_back,
};

static void
make_request(int i, GaRequest *request)
{
	const GaResidentRun *run = ga_slots[i].entries[0].target;
	GaStoredLookup *lookup = &request->u.stored.lookup;

	request->u.stored.type = run->type;
	request->u.stored.reduction = run->reduction;
	request->u.stored.n_arrays = ga_slots[i].n_entries;
	ga_stored_how(lookup, run->checks ? &run->sample : NULL);
}

/* Has the run ended before all its results were taken? */
static bool
has_stopped(const GaResidentRun *run)
{
	return run->reason != GA_NO_REASON || run->is_missing || run->is_full;
}

/*
 * Is the array of a part resident, with as many elements as are wanted of it?
 * What gpuaggd wrote is read once.
 */
static bool
is_resident(GaResidentRun *run, const volatile GaStoredRef *ref)
{
	const uint32 state = ref->state;
	const uint32 n = ref->n;

	run->is_found = state == GA_STORED_RESIDENT;
	run->is_missing = !run->is_found;
	run->is_doubt |= state == GA_STORED_DOUBT;
	if (run->is_found && n != run->parts[run->n_done].n)
		run->reason = GA_REASON_FAILED;
	return !has_stopped(run);
}

/* Take note of why a result is of no use. */
static void
stop_at_records(GaResidentRun *run, const volatile GaPartialSum *records)
{
	switch (records->kind)
	{
		case GA_PARTIAL_NO_CAPACITY:
			run->is_full = true;
			break;
		case GA_PARTIAL_REFUSED:
			run->reason = GA_REASON_REFUSED;
			break;
		default:
			run->reason = GA_REASON_FAILED;
			break;
	}
}

/* Add the results of a slot to the states, up to the first that is missing. */
static void
receive(int i, const GaReply *reply)
{
	const GaSlotFill *slot = &ga_slots[i];
	GaResidentRun *run = slot->entries[0].target;
	const GaLookupSlot lookup = ga_client_lookup(i);
	const GaPartialSum *records = lookup.sums;
	uint32 j;

	if (run == NULL)
		return; /* it is cancelled */
	for (j = 0; j < slot->n_entries && !has_stopped(run); j++)
	{
		if (!is_resident(run, &lookup.refs[j]))
			break;
		if (ga_state_merge_records(ga_resident_state(run, run->n_done),
								   run->parts[run->n_done].n, records,
								   lookup.full, lookup.shape.n_full))
			run->n_done++;
		else
			stop_at_records(run, records);
		records += ga_reduction_records(run->reduction);
	}
}

static void
fall_back(int i, GaReason reason)
{
	GaResidentRun *run = ga_slots[i].entries[0].target;

	if (run != NULL && run->reason == GA_NO_REASON)
		run->reason = reason;
}

/*
 * Begin to name the array, with what settles a doubt.  The sample is older than
 * the look at the chunk.
 */
static void
begin_ref(GaResidentRun *run)
{
	GaToastRelation relation = GA_TOAST_CLOSED;

	run->ref = (GaStoredRef){.key = run->key, .state = GA_STORED_NO_ANSWER};
	if (run->checks)
		ga_stored_check(&run->ref, &relation, &run->sample, true);
	ga_toast_close(&relation);
}

/* Name a part in an open slot.  Never throws. */
static void
name_part(GaResidentRun *run, int i, int part)
{
	/* further parts are not counted as hits */
	run->ref.is_missed = run->is_counted || part > 0;
	run->ref.part = run->parts[part];
	ga_client_lookup(i).refs[ga_slots[i].n_entries] = run->ref;
	(void) ga_slots_add(i, run, &run->owner,
						run->parts[part].n * ga_element_size(run->type));
}

/* Ask for all parts that are not done, and take the results. */
static void
ask_for_rest(GaResidentRun *run)
{
	const uint32 device = ga_route(&run->key, ga_client_devices);
	int part;

	run->is_full = false;
	begin_ref(run);
	for (part = run->n_begun; part < run->n && !has_stopped(run); part++)
	{
		const int i =
			ga_slots_open(&resident_kind, run->type, run->reduction, device);

		if (i < 0)
			run->reason = GA_REASON_GONE;
		else if (!has_stopped(run))
			name_part(run, i, part);
	}
	if (has_stopped(run))
		ga_slots_release_open(&resident_kind);
	ga_slots_send_open(&resident_kind);
	ga_slots_drain();
}

/*
 * Have the device reduce the parts behind the first n_done of a run; the run
 * tells how many are done then, and why not all.  There is a connection.  What
 * is in doubt is asked for again, with what settles the doubt, and so is what a
 * request had no capacity for.  Throws if the query is cancelled; the owner is
 * to be cancelled then.
 */
pg_noinline void
ga_resident_ask(GaResidentRun *run)
{
	run->checks = false;
	for (;;)
	{
		run->is_missing = run->is_doubt = false;
		run->n_begun = run->n_done;
		ask_for_rest(run);
		if (run->is_full && run->n_done == run->n_begun)
			run->reason = GA_REASON_RECORDS;
		if (run->reason != GA_NO_REASON)
			return;
		if (run->is_full)
			continue;
		if (!run->is_missing || !run->is_doubt || run->checks)
			return;
		run->checks = true;
	}
}
