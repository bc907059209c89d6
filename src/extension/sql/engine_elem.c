/*
 * engine_elem.c
 *		Sums position by position, by the engine that the settings choose.
 *
 * A transition function notes large stored arrays, some thousands at most.
 * Before the state is read they are added: by the device, with the arrays
 * resident, which has them loaded if they are not; or by the CPU.  What the
 * device refuses, or does not have, the CPU adds, if need be position by
 * position.  If nothing but a result is wanted, the device makes that, too, and
 * the arrays stay noted.
 *
 * Called by elem_state.c and elem.c; keeps nothing but what the state has.
 */
#include "postgres.h"

#include "elem_batch.h"
#include "engine_elem.h"
#include "extension/engine/choice.h"
#include "extension/engine/session_counters.h"
#include "extension/offload/client.h"
#include "extension/offload/elem_sums.h"
#include "extension/offload/offload.h"
#include "extension/offload/stored.h"
#include "extension/offload/stored_key.h"
#include "wire/route.h"

/* Smaller arrays the CPU adds in the time that it takes to note them. */
#define MIN_ARRAY_BYTES (32 * 1024)

/* Fewer bytes the CPU adds in the time of a round trip to gpuaggd. */
#define MIN_BYTES (512 * 1024)

/*
 * Choose the engine for an array that is not added alone.  Returns
 * GA_NO_REASON and the key of the array if it is to be noted, or why the CPU
 * adds it.  Errors: as ga_offload_choose().
 */
GaReason
ga_elem_choose(Datum array, GaStoredKey *key)
{
	GaReason reason;

	if (ga_engine_is_gpu() && !ga_stored_key(array, key))
		return GA_REASON_FUNCTION;
	reason = ga_offload_choose(array, false);
	if (reason != GA_NO_REASON)
		return reason;
	if (!ga_stored_key(array, key))
		return GA_REASON_FUNCTION;
	return ga_engine_is_gpu() || key->raw_bytes >= MIN_ARRAY_BYTES ?
			   GA_NO_REASON :
			   GA_REASON_LITTLE;
}

/* Note an array, of which the state says what is known. */
void
ga_elem_note(GaElemState *state, const GaStoredKey *key)
{
	if (state->n_noted == GA_SLOT_ARRAYS)
		ga_elem_finish(state);
	if (state->n_noted == state->noted_capacity)
	{
		const uint32 n = Max(2 * state->noted_capacity, 8);

		state->noted =
			state->noted == NULL ?
				MemoryContextAlloc(state->context, n * sizeof(GaStoredKey)) :
				repalloc(state->noted, n * sizeof(GaStoredKey));
		state->noted_capacity = n;
	}
	state->noted[state->n_noted++] = *key;
	state->was_asked = state->is_refused = false;
	state->failure = GA_NO_REASON;
}

/* Begin a run of arrays that one device may have; there is a connection. */
static GaElemRun
begin_run(const GaElemState *state, const GaStoredKey *keys, uint32 n)
{
	return (GaElemRun){.type = state->type,
					   .keys = keys,
					   .n_arrays = n,
					   .n = (uint32) state->sum.n,
					   .device = ga_route(&keys[0], ga_client_devices),
					   .lines = state->has_unseen};
}

/*
 * Order the arrays of a run: first those that the device has, then those that
 * are to be loaded, then those that are not as the others.  Return how many of
 * the first there are, and set how many of the second.
 */
static uint32
order(const GaElemRun *run, GaStoredKey *keys, uint32 *n_missing)
{
	static const int places[] = {[GA_ELEM_HERE] = 0,
								 [GA_ELEM_MISSING] = 1,
								 [GA_ELEM_DOUBT] = 1,
								 [GA_ELEM_UNLIKE] = 2};
	GaStoredKey *old = palloc(run->n_arrays * sizeof(GaStoredKey));
	uint32 n_at[lengthof(places)] = {0};
	uint32 n = 0;
	uint32 i;
	int place;

	memcpy(old, keys, run->n_arrays * sizeof(GaStoredKey));
	for (place = 0; place < 3; place++)
	{
		for (i = 0; i < run->n_arrays; i++)
		{
			if (places[run->found[i]] != place)
				continue;
			keys[n++] = old[i];
			n_at[place]++;
		}
	}
	pfree(old);
	*n_missing = n_at[1];
	return n_at[0];
}

/* Have the arrays of a run loaded that are not resident.  May throw. */
static void
load_missing(GaElemRun *run, GaStoredKey *keys)
{
	GaOwner owner = {.counters = ga_node_counters};
	uint32 n_missing;
	const uint32 n_here = order(run, keys, &n_missing);

	if (n_missing == 0)
		return;
	PG_TRY();
	{
		ga_stored_load(&owner, run->type, keys + n_here, n_missing);
	}
	PG_CATCH();
	{
		ga_offload_cancel(&owner);
		PG_RE_THROW();
	}
	PG_END_TRY();
	run->reason = ga_client_open(false);
	if (run->reason == GA_NO_REASON)
		ga_elem_by_device(run);
}

/* Count the arrays of a run that were resident when it was asked first. */
static void
count_hits(const GaElemRun *run)
{
	uint32 i;

	for (i = 0; i < run->n_arrays; i++)
	{
		if (run->found[i] == GA_ELEM_HERE || run->found[i] == GA_ELEM_UNLIKE)
			ga_session_count_lookup(ga_node_counters, true);
	}
}

/*
 * Ask the device about noted arrays, and the first time count which of them it
 * has, have what is missing loaded, and ask again.  May throw.
 */
static void
ask_and_load(GaElemState *state, GaElemRun *run, GaStoredKey *keys)
{
	run->has_loaded = state->was_asked;
	ga_elem_by_device(run);
	if (run->reason != GA_NO_REASON || run->has_loaded)
		return;
	count_hits(run);
	run->has_loaded = true;
	if (run->is_missing)
		load_missing(run, keys);
}

/*
 * Add arrays that one device may have.  Those that the cache does not keep are
 * left to the CPU, unless sums with them are under way.
 */
static void
add_group(GaElemState *state, GaStoredKey *keys, uint32 n)
{
	GaElemBatch batch = {.state = state, .keys = keys, .n = n};
	GaElemRun run = begin_run(state, keys, n);
	uint32 n_missing;

	run.take = ga_elem_batch_take;
	run.target = &batch;
	ask_and_load(state, &run, keys);
	if (run.reason == GA_NO_REASON && run.is_missing && run.n_done == 0)
	{
		run.n_arrays = batch.n = order(&run, keys, &n_missing);
		if (batch.n > 0)
			ga_elem_by_device(&run);
	}
	batch.reason = run.reason != GA_NO_REASON ? run.reason :
				   run.n_done < run.n		  ? GA_REASON_CACHE :
												GA_REASON_REFUSED;
	if (run.n_done > 0)
	{
		ga_elem_batch_leave(&batch, run.n_done, run.n);
		ga_elem_batch_end(&batch);
	}
	else
		batch.n = 0;
	ga_session_report_failure(run.reason, ga_client_trouble());
	ga_elem_add_by_cpu(state, keys + batch.n, n - batch.n,
					   run.reason != GA_NO_REASON ? run.reason :
													GA_REASON_CACHE);
}

/*
 * Move the arrays that the first one's device may have before the others;
 * return how many there are.
 */
static uint32
group_by_device(GaStoredKey *keys, uint32 n)
{
	const uint32 device = ga_route(&keys[0], ga_client_devices);
	uint32 n_group = 0;
	uint32 i;

	for (i = 0; i < n; i++)
	{
		const GaStoredKey key = keys[i];

		if (ga_route(&key, ga_client_devices) != device)
			continue;
		keys[i] = keys[n_group];
		keys[n_group++] = key;
	}
	return n_group;
}

/* Return why the CPU adds the arrays that are noted, or GA_NO_REASON. */
static GaReason
open_device(const GaElemState *state)
{
	if (!ga_engine_is_gpu() &&
		state->n_noted * (uint64) state->noted[0].raw_bytes < MIN_BYTES)
		return GA_REASON_LITTLE;
	/* what is under way uses the same slots */
	ga_offload_finish_all();
	return ga_client_open(false);
}

/*
 * Add the arrays that were noted, before a state is read.  Throws if the query
 * is cancelled, or an array cannot be read.
 */
void
ga_elem_finish(GaElemState *state)
{
	const uint32 n = state->n_noted;
	uint32 first, n_group;

	if (n == 0)
		return;
	for (first = 0; first < n; first += n_group)
	{
		GaStoredKey *keys = state->noted + first;
		/* what has just failed is not waited for again */
		const GaReason reason = state->failure != GA_NO_REASON ?
									state->failure :
									open_device(state);

		n_group = n - first;
		if (reason == GA_NO_REASON)
		{
			n_group = group_by_device(keys, n_group);
			add_group(state, keys, n_group);
		}
		else
			ga_elem_add_by_cpu(state, keys, n_group, reason);
	}
	state->n_noted = 0;
	state->has_unseen = state->was_asked = state->is_refused = false;
	state->failure = GA_NO_REASON;
}

/*
 * Have the device make the values of all positions, of a form that is no
 * record, 8 bytes each.  Returns false if that does not go.  The state stays as
 * it is.  Throws if the query is cancelled.
 */
bool
ga_elem_values(GaElemState *state, GaElemForm form, char *values)
{
	GaElemRun run;

	if (state->is_refused || state->sum.n_arrays > 0 ||
		open_device(state) != GA_NO_REASON ||
		group_by_device(state->noted, state->n_noted) < state->n_noted)
		return false;
	run = begin_run(state, state->noted, state->n_noted);
	run.form = form;
	run.values = values;
	ask_and_load(state, &run, state->noted);
	state->was_asked = run.has_loaded;
	ga_session_report_failure(run.reason, ga_client_trouble());
	if (run.n_done < run.n)
	{
		state->is_refused = true;
		if (ga_reason_is_failure(run.reason))
			state->failure = run.reason;
		return false;
	}
	/* the device has looked */
	state->has_unseen = false;
	ga_session_count(ga_node_counters, GA_NO_REASON, run.type, run.n_arrays,
					 run.n_arrays * (int64) run.n);
	return true;
}
