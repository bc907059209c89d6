/*
 * stored_add.c
 *		Stored arrays that a query comes to, for the device or for the CPU.
 *
 * A transition function only notes an array: in a slot that asks the device, or
 * in the list, for the CPU.  What has to be read is read later: together, by
 * all helpers that the query can have (helpers.c), or by this process alone.
 * The list stays short, however many arrays there are.
 */
#include "postgres.h"
#include "access/parallel.h"

#include "helpers.h"
#include "stored_list.h"

/*
 * The most arrays that are deferred before this session waits for those that
 * others load, too.  There may be as many more in the slots; with those that
 * are done but not removed, and a load for each array of a pair, the list has
 * eight times as many at most.
 */
#define MAX_DEFERRED (GA_LEASE_SLOTS * GA_SLOT_ARRAYS)

/*
 * The most arrays in the list when one is noted for the CPU.  The more there
 * are, the fewer times helpers are started.
 */
#define MAX_NOTED 60000

/*
 * Arrays that are asked for at a time where several processes share the rows of
 * a plan, until one answer has hits only: if one process named all rows before
 * the others have begun, it would have to read them all.
 */
#define LITTLE_BYTES (8 << 20)

/* Lookups under way meanwhile: as many as keep the process at work. */
#define FEW_LOOKUPS 2

/* Are other processes at work on the rows of the same plan? */
static bool
shares_rows(const GaOwner *owner)
{
	return owner->is_partial || IsParallelWorker();
}

/*
 * Are arrays to be read when the query has named all, since helpers can read
 * them, too, then?  Who waits for one array names no others.
 */
static bool
reads_later(const GaOwner *owner)
{
	return owner->context != NULL && !owner->is_partial &&
		   ga_helpers_are_allowed();
}

/*
 * Cancel the loads that were promised to gpuaggd, which other sessions may wait
 * for: the helpers will ask again.  After an inner query, arrays of this level
 * are no longer counted as outer ones.
 */
static void
leave_to_helpers(int level)
{
	if (ga_stored_has_promised(false))
		ga_stored_cancel_loads();
	if (ga_stored_list.outer_level >= level)
		ga_stored_tidy();
	ga_stored_list.n_ready = 0;
}

/*
 * Send what was asked for, if the rows are shared, and it is enough.  Takes no
 * further row before most of it is answered.
 */
static void
send_little(const GaOwner *owner, uint64 n_bytes)
{
	static uint64 n_asked = 0;

	n_asked += n_bytes;
	if (n_asked < LITTLE_BYTES || ga_stored_list.is_warm || !shares_rows(owner))
		return;
	n_asked = 0;
	ga_stored_send_lookups();
	while (ga_slots_n_sent > 0 && ga_stored_n_lookups() > FEW_LOOKUPS)
		ga_slots_receive();
}

/* Return what is wanted of an array, to be added to a state. */
static GaStored
wanted_array(GaOwner *owner, GaState state, const GaStoredKey *key,
			 const GaStoredWanted *wanted)
{
	return (GaStored){.keys[0] = *key,
					  .wanted = *wanted,
					  .type = state.type,
					  .reduction = state.reduction,
					  .owner = owner,
					  .state = state.at,
					  .level = GetCurrentTransactionNestLevel()};
}

/* The same of a pair. */
static GaStored
wanted_pair(GaOwner *owner, GaState state, const GaStoredKey keys[2])
{
	GaStored pair = wanted_array(owner, state, &keys[0], &GA_WANTED_ALL);

	pair.keys[1] = keys[1];
	return pair;
}

/*
 * Ask for an array, or a pair, in a slot of a kind.  Replies are taken that are
 * there.  Loads are done, unless helpers may do them later, since other
 * sessions may wait for them.  May throw.
 */
static void
ask_first(const GaStored *array, const GaSlotKind *kind)
{
	ga_stored_ask(array, kind);
	send_little(array->owner, ga_stored_wanted_bytes(array));
	if (likely(ga_stored_list.n == 0 && ga_slots_n_sent == 0))
		return;
	ga_slots_poll();
	if (ga_stored_list.n >= ga_stored_list.n_outer + MAX_DEFERRED)
		ga_stored_finish();
	else if (ga_stored_list.outer_level < array->level &&
			 ga_stored_list.n_ready == 0)
		return;
	else if (reads_later(array->owner))
		leave_to_helpers(array->level);
	else
		ga_stored_take_steps();
}

/*
 * Have what is wanted of a stored array added to a state of full capacity.  If
 * the connection is lost, now or later, it is read for the CPU.  May throw.
 */
void
ga_stored_add(GaOwner *owner, GaState state, const GaStoredKey *key,
			  const GaStoredWanted *wanted)
{
	const GaStored array = wanted_array(owner, state, key, wanted);

	ask_first(&array, wanted->is_small	 ? &ga_stored_part_kind :
					  reads_later(owner) ? &ga_stored_later_kind :
										   &ga_stored_kind);
}

/*
 * Have the pairs of two stored arrays added to a state of full capacity, as
 * ga_stored_add().  One device can have both.
 */
void
ga_stored_add_pair(GaOwner *owner, GaState state, const GaStoredKey keys[2])
{
	const GaStored pair = wanted_pair(owner, state, keys);

	ask_first(&pair, &ga_stored_pair_kind);
}

/* Note an array, or a pair, for the CPU, for a reason.  May throw. */
static void
note(GaStored *array, GaReason reason)
{
	array->step = STEP_COMPUTE;
	array->reason = reason;
	ga_stored_defer(array);
	ga_stored_list.deepest = Max(ga_stored_list.deepest, array->level);
	if (ga_stored_list.outer_level >= array->level)
		ga_stored_tidy();
	if (ga_stored_list.n >= ga_stored_list.n_outer + MAX_NOTED)
		ga_stored_finish();
}

/*
 * Note what is wanted of a stored array, for the CPU to add to a state of full
 * capacity, for a reason.  May throw.
 */
void
ga_stored_note(GaOwner *owner, GaState state, const GaStoredKey *key,
			   const GaStoredWanted *wanted, GaReason reason)
{
	GaStored array = wanted_array(owner, state, key, wanted);

	note(&array, reason);
}

/* The same of a pair. */
void
ga_stored_note_pair(GaOwner *owner, GaState state, const GaStoredKey keys[2],
					GaReason reason)
{
	GaStored pair = wanted_pair(owner, state, keys);

	note(&pair, reason);
}

/*
 * Have arrays of one type resident, as far as they fit in the cache.  Helpers
 * take part, if that pays.  May throw; then the owner is to be cancelled.
 */
void
ga_stored_load(GaOwner *owner, GaElementType type, const GaStoredKey *keys,
			   uint32 n)
{
	GaAnyState nothing;
	GaStored array = {.wanted = GA_WANTED_ALL,
					  .type = type,
					  .owner = owner,
					  .state = &nothing,
					  .only_loads = true,
					  .level = GetCurrentTransactionNestLevel()};
	uint32 i;

	ga_state_init(ga_stored_state(&array));
	for (i = 0; i < n; i++)
	{
		array.keys[0] = keys[i];
		ga_stored_ask(&array, &ga_stored_kind);
	}
	ga_stored_finish();
}
