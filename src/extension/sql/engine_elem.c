/*
 * engine_elem.c
 *		Arrays that aggregates by position have noted, by the engine that the
 *		settings choose.
 *
 * A transition function notes large stored arrays, some thousands at most.
 * Before the state is read they are reduced: by the device, with the arrays
 * resident, which has them loaded if they are not; or by the CPU.  What the
 * device refuses, or does not have, the CPU reads.  If nothing but a result is
 * wanted, the device makes that, too, and the arrays stay noted.
 *
 * Called by the states of these aggregates; keeps nothing but what is noted.
 */
#include "postgres.h"
#include "utils/array.h"

#include "engine_elem.h"
#include "engine_resident.h"
#include "extension/engine/choice.h"
#include "extension/engine/session_counters.h"
#include "extension/input/array.h"
#include "extension/offload/client.h"
#include "extension/offload/offload.h"
#include "extension/offload/stored_key.h"
#include "values_result.h"
#include "wire/route.h"

/* Smaller arrays the CPU adds in the time that it takes to note them. */
#define MIN_ARRAY_BYTES (32 * 1024)

/* Fewer bytes the CPU adds in the time of a round trip to gpuaggd. */
#define MIN_BYTES (512 * 1024)

/* Begin with nothing noted. */
void
ga_elem_noted_init(GaElemNoted *noted, const GaElemNotedKind *kind, void *owner,
				   GaElementType type, MemoryContext context)
{
	*noted = (GaElemNoted){
		.kind = kind, .owner = owner, .type = type, .context = context};
}

/*
 * Choose the engine for an array that is not added alone.  Returns
 * GA_NO_REASON and the key of the array if it is to be noted, or why the CPU
 * adds it.  Errors: as ga_offload_choose().
 */
static GaReason
choose(Datum array, GaStoredKey *key)
{
	const GaReason reason = ga_resident_choose(array, false, UINT64_MAX, key);

	if (reason != GA_NO_REASON)
		return reason;
	return ga_engine_is_gpu() || key->raw_bytes >= MIN_ARRAY_BYTES ?
			   GA_NO_REASON :
			   GA_REASON_LITTLE;
}

/* Is a stored array of the size that it has if it is of a shape? */
static bool
is_alike(GaElementType type, const GaArrayShape *shape, const GaStoredKey *key)
{
	return shape->n_dims == 1 && shape->lower_bounds[0] == 1 &&
		   key->raw_bytes ==
			   ARR_OVERHEAD_NONULLS(1) + shape->n_items * ga_element_size(type);
}

/* Note an array of so many elements, as many as the others. */
void
ga_elem_note_key(GaElemNoted *noted, const GaStoredKey *key, uint32 n_items)
{
	if (noted->n == GA_SLOT_ARRAYS)
		ga_elem_finish(noted);
	if (noted->n == noted->capacity)
	{
		const uint32 n = Max(2 * noted->capacity, 8);

		noted->keys =
			noted->keys == NULL ?
				MemoryContextAlloc(noted->context, n * sizeof(GaStoredKey)) :
				repalloc(noted->keys, n * sizeof(GaStoredKey));
		noted->capacity = n;
	}
	noted->keys[noted->n++] = *key;
	noted->n_items = n_items;
	noted->was_asked = noted->is_refused = false;
	noted->failure = GA_NO_REASON;
}

/*
 * Note an array, of the shape of the state if that has one.  Returns
 * GA_NO_REASON, or why the CPU is to take it now.  To look at its head takes
 * longer than all else about it.  Errors: 2202E; those of ga_array_open.
 */
GaReason
ga_elem_note(GaElemNoted *noted, const GaArrayShape *shape, Datum value)
{
	GaStoredKey key;
	GaArray array;
	GaReason reason = choose(value, &key);

	if (reason != GA_NO_REASON)
		return reason;
	if (shape != NULL && is_alike(noted->type, shape, &key))
	{
		ga_elem_note_key(noted, &key, shape->n_items);
		noted->has_unseen = true;
		return GA_NO_REASON;
	}
	ga_array_open_items(&array, value, noted->type, GA_WHOLE);
	noted->kind->take_shape(noted->owner, &array);
	if (array.n_items == 0)
		reason = GA_REASON_LITTLE;
	else if (ga_array_may_have_nulls(&array))
		reason = GA_REASON_NULLS;
	else
		ga_elem_note_key(noted, &key, array.n_items);
	ga_array_close(&array);
	return reason;
}

/* Begin a run of arrays that one device may have; there is a connection. */
GaElemRun
ga_elem_begin_run(const GaElemNoted *noted, const GaStoredKey *keys, uint32 n)
{
	return (GaElemRun){.type = noted->type,
					   .keys = keys,
					   .n_arrays = n,
					   .n = noted->n_items,
					   .n_wanted = noted->n_items,
					   .device = ga_route(&keys[0], ga_client_devices),
					   .lines = noted->has_unseen};
}

/*
 * Order the arrays of a run, and what was found of them: first those that the
 * device has, then those that are to be loaded, then those that are not as the
 * others.  Return how many of the first there are, and set how many of the
 * second.
 */
static uint32
order(GaElemRun *run, GaStoredKey *keys, uint32 *n_missing)
{
	static const int places[] = {[GA_ELEM_HERE] = 0,
								 [GA_ELEM_MISSING] = 1,
								 [GA_ELEM_DOUBT] = 1,
								 [GA_ELEM_UNLIKE] = 2};
	GaStoredKey *old = palloc(run->n_arrays * sizeof(GaStoredKey));
	uint8 *old_found = palloc(run->n_arrays);
	uint32 n_at[lengthof(places)] = {0};
	uint32 n = 0;
	uint32 i;
	int place;

	memcpy(old, keys, run->n_arrays * sizeof(GaStoredKey));
	memcpy(old_found, run->found, run->n_arrays);
	for (place = 0; place < 3; place++)
	{
		for (i = 0; i < run->n_arrays; i++)
		{
			if (places[old_found[i]] != place)
				continue;
			run->found[n] = old_found[i];
			keys[n++] = old[i];
			n_at[place]++;
		}
	}
	pfree(old_found);
	pfree(old);
	*n_missing = n_at[1];
	return n_at[0];
}

/* Have the arrays of a run loaded that are not resident.  May throw. */
static void
load_missing(GaElemRun *run, GaStoredKey *keys)
{
	uint32 n_missing;
	const uint32 n_here = order(run, keys, &n_missing);

	if (n_missing == 0)
		return;
	ga_offload_load(ga_node_counters, run->type, keys + n_here, n_missing);
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
ask_and_load(const GaElemNoted *noted, GaElemRun *run, GaStoredKey *keys)
{
	run->has_loaded = noted->was_asked;
	ga_elem_by_device(run);
	if (run->reason != GA_NO_REASON || run->has_loaded)
		return;
	count_hits(run);
	run->has_loaded = true;
	if (run->is_missing)
		load_missing(run, keys);
}

/*
 * Have the device compute a run of noted arrays.  Those that the cache does not
 * keep come to lie behind the others, and are left to the CPU, unless results
 * with them are under way.
 */
void
ga_elem_ask(const GaElemNoted *noted, GaElemRun *run, GaStoredKey *keys)
{
	uint32 n_missing;

	ask_and_load(noted, run, keys);
	if (run->reason != GA_NO_REASON || !run->is_missing || run->n_done > 0)
		return;
	run->n_arrays = order(run, keys, &n_missing);
	if (run->n_arrays > 0)
		ga_elem_by_device(run);
}

/*
 * Have the CPU take arrays, for a reason; those with NULLs are for it anyway.
 * Errors: 2202E.
 */
void
ga_elem_by_cpu(const GaElemNoted *noted, const GaStoredKey *keys, uint32 n,
			   GaReason reason)
{
	GaToastRelation relation = GA_TOAST_CLOSED;
	uint32 i;

	for (i = 0; i < n; i++)
	{
		const int64 n_elements =
			noted->kind->add_stored(noted->owner, &keys[i], &relation);

		ga_session_count(ga_node_counters,
						 n_elements < (int64) noted->n_items ? GA_REASON_NULLS :
															   reason,
						 noted->type, 1, n_elements);
	}
	ga_toast_close(&relation);
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

/* Return why the CPU takes the arrays that are noted, or GA_NO_REASON. */
static GaReason
open_device(const GaElemNoted *noted)
{
	if (!ga_engine_is_gpu() &&
		noted->n * (uint64) noted->keys[0].raw_bytes < MIN_BYTES)
		return GA_REASON_LITTLE;
	/* what is under way uses the same slots */
	ga_offload_finish_all();
	return ga_client_open(false);
}

/*
 * Have the state take the arrays that were noted, before it is read.  Throws if
 * the query is cancelled, or an array cannot be read.
 */
void
ga_elem_finish(GaElemNoted *noted)
{
	const uint32 n = noted->n;
	uint32 first, n_group;

	if (n == 0)
		return;
	for (first = 0; first < n; first += n_group)
	{
		GaStoredKey *keys = noted->keys + first;
		/* what has just failed is not waited for again */
		const GaReason reason = noted->failure != GA_NO_REASON ?
									noted->failure :
									open_device(noted);

		n_group = n - first;
		if (reason == GA_NO_REASON)
		{
			n_group = group_by_device(keys, n_group);
			noted->kind->add_group(noted->owner, keys, n_group);
		}
		else
			ga_elem_by_cpu(noted, keys, n_group, reason);
	}
	noted->n = 0;
	noted->has_unseen = noted->was_asked = noted->is_refused = false;
	noted->failure = GA_NO_REASON;
}

/*
 * Have the device make the values of the first n positions, of a form that is
 * no record, 8 bytes each, of what is noted alone.  Returns false if that does
 * not go.  The arrays stay noted.  Throws if the query is cancelled.
 */
bool
ga_elem_values(GaElemNoted *noted, GaElemForm form, uint32 n, char *values)
{
	GaElemRun run;

	if (noted->n == 0 || noted->is_refused ||
		open_device(noted) != GA_NO_REASON ||
		group_by_device(noted->keys, noted->n) < noted->n)
		return false;
	run = ga_elem_begin_run(noted, noted->keys, noted->n);
	run.form = form;
	run.n_wanted = n;
	run.values = values;
	ask_and_load(noted, &run, noted->keys);
	noted->was_asked = run.has_loaded;
	ga_session_report_failure(run.reason, ga_client_trouble());
	if (run.n_done < n)
	{
		noted->is_refused = true;
		if (ga_reason_is_failure(run.reason))
			noted->failure = run.reason;
		return false;
	}
	/* the device has looked */
	noted->has_unseen = false;
	ga_session_count(ga_node_counters, GA_NO_REASON, run.type, run.n_arrays,
					 run.n_arrays * (int64) run.n);
	return true;
}

/*
 * Have the device make an array of a shape, of elements of a type, of a form
 * that is no record, of what is noted alone; return false if it does not.  The
 * arrays stay noted.  Throws if the query is cancelled.  Errors: 54000.
 */
bool
ga_elem_make_values(GaElemNoted *noted, GaElemForm form,
					const GaArrayShape *shape, Oid type, Datum *datum)
{
	GaValuesResult result;

	ga_values_begin(&result, shape, type, GA_ELEM_HINT);
	if (!ga_elem_values(noted, form, noted->n_items, result.values))
	{
		ga_values_discard(&result);
		return false;
	}
	*datum = ga_values_end(&result);
	return true;
}

/*
 * Have the device see that all arrays that are noted are alike, which it does
 * for any result; return false if it does not.  No maximum is refused.
 */
bool
ga_elem_look(GaElemNoted *noted)
{
	uint64 maximum;

	return ga_elem_values(noted, GA_FORM_MAX, 1, (char *) &maximum);
}
