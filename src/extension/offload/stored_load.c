/*
 * stored_load.c
 *		Stored arrays that the device does not have: the next steps with them.
 *
 * They are read, right into the slots, and asked for again.  gpuaggd keeps
 * memory for those that we are to load, and other sessions wait for them, so
 * they are loaded as soon as gpuaggd requires it, and before anything is waited
 * for: then two sessions never wait for each other.  Where helpers may load
 * them later (helpers.c), gpuaggd is told that they will not come now.
 *
 * The elements of an array can be read at any time while its query runs, for
 * its snapshot keeps them.  So whatever fails, the CPU can add them.  That goes
 * for errors, too, which another query within the same session may catch: an
 * array stays in the list, with its progress, until it is done.  An array is
 * read only in the subtransaction that asked for it, or one that contains it:
 * so its errors end no other.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "extension/engine/session_counters.h"
#include "extension/input/array.h"
#include "client.h"
#include "elements.h"
#include "stored_key.h"
#include "stored_list.h"
#include "wire/route.h"

/*
 * Pairs whose heads are looked at before what gpuaggd requires meanwhile is
 * loaded, which others may wait for.
 */
#define MOST_FETCHED 1024

/* An array was not loaded that gpuaggd expects. */
static bool has_broken_promise;

/* The TOAST relation read last; open during a pass over the list. */
static GaToastRelation *toast_relation;

/* Open what is wanted of a stored array for reading run by run. */
static void
open_runs(GaArray *reader, const GaStored *array)
{
	const struct varatt_external from = ga_stored_pointer(&array->keys[0]);

	ga_array_init(reader, array->type);
	ga_array_stored_open_part(reader, &from, array->wanted.part,
							  toast_relation);
}

/*
 * STEP_LOAD: load the array, and defer it to be asked for again.  Without a
 * lease gpuaggd waits in vain, until take_steps() says so.
 */
static void
load(GaStored *array)
{
	/* a lease is shared after so much, for which a turn pays */
	static uint64 n_loaded = 0;
	GaStored next = *array;

	next.step =
		ga_client_is_open && ga_stored_send_segments(array, toast_relation) ?
			STEP_ASK :
			STEP_COMPUTE;
	next.reason = ga_slots_lease_reason();
	has_broken_promise |= next.step == STEP_COMPUTE;
	n_loaded += array->keys[0].raw_bytes;
	/* before it is deferred: if this throws, the array is the CPU's */
	if (n_loaded >= GA_SEGMENTS_BYTES)
	{
		ga_slots_share_lease();
		n_loaded = 0;
	}
	if (!next.only_loads)
		ga_stored_defer(&next);
}

/*
 * STEP_COMPUTE: have the CPU add the elements that are not done.  They are
 * reduced first, so that an error leaves the state as it was.
 */
static void
compute(GaStored *array)
{
	Size size = ga_element_size(array->type);
	GaAnyState memory;
	const GaState state = {&memory, array->type, array->reduction};
	int at = 0;
	GaArray reader;
	const void *run;
	int n;

	if (ga_reduction_has_pairs(array->reduction))
	{
		ga_stored_compute_pair(array);
		return;
	}
	ga_state_init(state);
	open_runs(&reader, array);
	while ((n = ga_array_next_run(&reader, &run)) > 0)
	{
		int n_skip = Min(Max(array->n_done - at, 0), n);

		ga_state_add(state, (const char *) run + n_skip * size, n - n_skip);
		at += n;
		CHECK_FOR_INTERRUPTS();
	}
	ga_array_close(&reader);
	ga_state_merge(ga_stored_state(array), state.at);
	ga_session_count(array->owner->counters, array->reason, array->type,
					 array->n_done == 0, at - array->n_done);
}

/*
 * Send a run of an array's elements to be summed, counting them in n_done.
 * False if there is no lease, or if the connection is lost.
 */
static bool
send_run(GaStored *array, const char *run, int n)
{
	const Size size = ga_element_size(array->type);
	int done = 0;

	while (done < n)
	{
		int n_taken =
			ga_elements_add(array->owner, array->state, array->type,
							run + done * size, n - done, array->n_done == 0);

		if (n_taken == 0)
			return false;
		done += n_taken;
		array->n_done += n_taken;
	}
	return true;
}

/*
 * STEP_STREAM: have the device sum the elements, without keeping them.  It
 * computes nothing else of elements that are sent.
 */
static void
stream(GaStored *array)
{
	GaArray reader;
	const void *run;
	bool is_connected = true;
	int n;

	if (array->reduction != GA_REDUCE_SUM)
	{
		array->reason = GA_REASON_CACHE;
		compute(array);
		return;
	}
	open_runs(&reader, array);
	while (is_connected && (n = ga_array_next_run(&reader, &run)) > 0)
		is_connected = send_run(array, run, n);
	if (array->n_done == 0 && is_connected)
		ga_session_count(array->owner->counters, GA_NO_REASON, array->type, 1,
						 0);
	ga_array_close(&reader);
	if (!is_connected)
	{
		array->reason = ga_slots_lease_reason();
		compute(array);
	}
}

/* STEP_ASK, STEP_RETRY, STEP_WAIT */
static void
ask_again(GaStored *array)
{
	ga_stored_ask(array, array->step == STEP_ASK   ? &ga_stored_again_kind :
						 array->step == STEP_RETRY ? &ga_stored_kind :
													 &ga_stored_wait_kind);
}

/* Ask with what settles a doubt, whose sample is the slot's. */
static void
ask_and_settle(GaStored *array, const GaSlotKind *kind)
{
	const int i = ga_slots_open(kind, array->type, array->reduction,
								ga_route(&array->keys[0], ga_client_devices));
	const uint32 n_arrays = ga_reduction_arrays(array->reduction);
	bool is_known = true;
	uint32 k;

	for (k = 0; k < n_arrays && i >= 0; k++)
	{
		GaStoredRef ref = {.key = array->keys[k]};

		ga_stored_check(&ref, toast_relation, &ga_slots[i].sample,
						ga_slots[i].n_entries == 0 && k == 0);
		array->xmin[k] = ref.xmin;
		array->is_settled[k] = ref.is_settled;
		is_known = is_known && TransactionIdIsValid(ref.xmin);
	}
	if (is_known)
		ga_stored_ask(array, kind);
	else if (!array->only_loads)
		stream(array);
}

/* STEP_CHECK */
static void
check(GaStored *array)
{
	ask_and_settle(array, &ga_stored_check_kind);
}

/*
 * STEP_LOOK: ask for arrays that are no lines, or not of one length, as they
 * are, if they are a pair for the device.  They may be in doubt as well.
 */
static void
look(GaStored *pair)
{
	if (ga_stored_look_at_pair(pair))
		ask_and_settle(pair, &ga_stored_seen_kind);
}

/*
 * Take a step with deferred arrays whose next step it is, and that may be read
 * now: so many at most.  If it throws, what it did not do is left to the CPU.
 */
static void
take_some(GaStoredStep step, void (*act)(GaStored *array), uint32 most)
{
	volatile uint32 n = 0;
	volatile uint32 i;

	for (i = 0; i < ga_stored_list.n && n < most; i++)
	{
		GaStored array;

		if (ga_stored_list.arrays[i].step != step ||
			!ga_stored_may_read(&ga_stored_list.arrays[i]))
			continue;
		array = ga_stored_list.arrays[i];
		ga_stored_list.arrays[i].step = STEP_COMPUTE;
		ga_stored_list.arrays[i].reason =
			step == STEP_COMPUTE ? array.reason : GA_REASON_ERROR;
		PG_TRY();
		{
			act(&array);
		}
		PG_CATCH();
		{
			ga_stored_list.arrays[i].n_done = array.n_done;
			ga_stored_cancel_loads();
			PG_RE_THROW();
		}
		PG_END_TRY();
		ga_stored_set_done(&ga_stored_list.arrays[i]);
		n++;
	}
}

/* The same with all of them. */
static void
take_step(GaStoredStep step, void (*act)(GaStored *array))
{
	take_some(step, act, PG_UINT32_MAX);
}

/*
 * Take all steps that need not wait for other sessions.  Loads come first,
 * since other sessions wait for them.
 */
void
ga_stored_take_steps(void)
{
	GaToastRelation relation = GA_TOAST_CLOSED;

	toast_relation = &relation;
	ga_stored_list.n_ready = 0;
	has_broken_promise = false;
	take_step(STEP_LOAD, load);
	ga_slots_send_open(&ga_segments_kind);
	/* others may wait for what may not be loaded now */
	if (has_broken_promise || ga_stored_has_promised(true))
		ga_stored_cancel_loads();
	take_step(STEP_ASK, ask_again);
	take_step(STEP_RETRY, ask_again);
	take_some(STEP_FETCH, ga_stored_fetch_pair, MOST_FETCHED);
	take_step(STEP_LOOK, look);
	take_step(STEP_CHECK, check);
	ga_slots_send_open(&ga_stored_seen_kind);
	ga_slots_send_open(&ga_stored_check_kind);
	take_step(STEP_STREAM, stream);
	take_step(STEP_COMPUTE, compute);
	ga_toast_close(toast_relation);
	ga_stored_tidy();
}

/* Is anything under way or deferred, but what other sessions load? */
static bool
has_more(void)
{
	return ga_stored_has_readable(true) || ga_stored_n_lookups() > 0 ||
		   ga_slots_has(&ga_segments_kind);
}

/*
 * Take all steps once, and have their requests sent.  If then there is nothing
 * to read, wait for the answers to all requests but the last, so that the next
 * arrays are asked for while these are read.  May throw.
 */
void
ga_stored_advance(void)
{
	ga_stored_take_steps();
	ga_stored_send_lookups();
	ga_slots_poll();
	while (ga_stored_list.n_ready == 0 && ga_slots_n_of(&ga_stored_kind) > 1)
		ga_slots_receive();
}

/*
 * Take all steps until none is left that this process can take without waiting
 * for other sessions.  `share`, if there is one, has other processes read what
 * is deferred, and returns false if that does not pay.  May throw.
 */
void
ga_stored_finish_own(bool (*share)(void))
{
	do
	{
		ga_stored_send_lookups();
		ga_slots_send_open(&ga_segments_kind);
		ga_slots_drain();
		if ((ga_stored_has_readable(false) || ga_stored_has_promised(true)) &&
			(share == NULL || !share()))
			ga_stored_take_steps();
	} while (has_more());
}

/*
 * Ask for what other sessions load, and wait until they have.  With nothing
 * under way.  May throw.
 */
void
ga_stored_wait_for_others(void)
{
	take_step(STEP_WAIT, ask_again);
	ga_slots_send_open(&ga_stored_wait_kind);
	ga_slots_drain();
	ga_stored_tidy();
}
