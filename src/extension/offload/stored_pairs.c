/*
 * stored_pairs.c
 *		Pairs of stored arrays, of which the device adds up products.
 *
 * A pair is in the list of stored arrays (stored_list.h), and in the slots, as
 * one array is, but it is asked for without a load: what is missing is loaded
 * by itself, as other arrays are, and then the pair is asked for again.  Nobody
 * looked at the arrays when they were noted, so gpuaggd is asked for lines
 * (GaLoadSegment) of one length.  What else may be a pair, this process finds
 * out by the heads of the arrays.
 *
 * These are the steps with a pair; its answers stored.c takes.  Called by
 * stored_load.c.
 */
#include "postgres.h"

#include "extension/engine/cpu_pairs.h"
#include "extension/engine/cpu_products.h"
#include "extension/engine/session_counters.h"
#include "stored_key.h"
#include "stored_list.h"

/* TOAST pointers of a pair, as datums. */
typedef struct Pointers
{
	char x[TOAST_POINTER_SIZE];
	char y[TOAST_POINTER_SIZE];
} Pointers;

/* Return the datum of an array, in memory of the caller. */
static Datum
datum_of(const GaStoredKey *key, char memory[TOAST_POINTER_SIZE])
{
	const struct varatt_external pointer = ga_stored_pointer(key);

	return PointerGetDatum(ga_toast_datum(&pointer, memory));
}

/*
 * Look at the heads of the arrays.  If they are no pair for the device, have
 * the CPU add it, and return false.  Errors: as ga_pairs_reason.
 */
bool
ga_stored_look_at_pair(GaStored *pair)
{
	Pointers memory;

	pair->reason =
		ga_pairs_reason(datum_of(&pair->keys[0], memory.x),
						datum_of(&pair->keys[1], memory.y), pair->type);
	if (pair->reason != GA_NO_REASON)
		ga_stored_compute_pair(pair);
	return pair->reason == GA_NO_REASON;
}

/*
 * STEP_FETCH: have loaded what is missing, if the arrays are a pair for the
 * device; it waits until nothing else is left to be done.  Errors: as
 * ga_pairs_reason.
 */
void
ga_stored_fetch_pair(GaStored *pair)
{
	static GaAnyState nothing[GA_N_ELEMENT_TYPES];
	const bool is_one =
		memcmp(&pair->keys[0], &pair->keys[1], sizeof(pair->keys[0])) == 0;
	GaStored load = {.wanted = GA_WANTED_ALL,
					 .type = pair->type,
					 .owner = pair->owner,
					 .state = &nothing[pair->type],
					 .only_loads = true,
					 .level = pair->level};
	GaStored next = *pair;
	const bool loads = ga_stored_look_at_pair(pair);
	int k;

	ga_state_init(ga_stored_state(&load));
	for (k = 0; k < (is_one ? 1 : 2); k++)
	{
		load.keys[0] = pair->keys[k];
		if ((pair->missing >> k & 1) == 0)
			continue;
		load.is_missed = (pair->counted >> k & 1) != 0;
		if (loads)
			ga_stored_ask(&load, &ga_stored_kind);
		else if (!load.is_missed)
			ga_session_count_lookup(pair->owner->counters, false);
	}
	if (!loads)
		return;
	next.step = STEP_WAIT;
	next.has_loaded = true;
	next.counted |= pair->missing;
	ga_stored_defer(&next);
}

/*
 * STEP_COMPUTE: have the CPU add a pair.  It is reduced first, so that an error
 * leaves the state as it was.
 */
void
ga_stored_compute_pair(GaStored *pair)
{
	GaAnyState memory;
	const GaState state = {&memory, pair->type, pair->reduction};
	Pointers pointers;

	ga_state_init(state);
	(void) ga_cpu_reduce_pairs(ga_cpu_pair_reduction(pair->reduction), state.at,
							   pair->type, datum_of(&pair->keys[0], pointers.x),
							   datum_of(&pair->keys[1], pointers.y),
							   pair->reason, pair->owner->counters);
	ga_state_merge(ga_stored_state(pair), state.at);
}
