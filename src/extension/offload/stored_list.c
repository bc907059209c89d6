/*
 * stored_list.c
 *		The stored arrays of a session that are deferred.
 *
 * Owns the list, in memory that is freed with the transaction, and the levels
 * of nested transactions that its arrays belong to.  stored.c puts arrays into
 * it that the device has not reduced, and stored_load.c takes their next steps.
 */
#include "postgres.h"
#include "utils/memutils.h"

#include "stored_list.h"

/* Arrays by which a long list grows: 1.6 MB. */
#define MOST_GROWTH 16384

GaStoredList ga_stored_list;

/* Its memory, of a transaction; or NULL. */
static MemoryContext list_context;

/* Is there a deferred array that a state waits for? */
bool
ga_stored_are_wanted(void)
{
	return ga_stored_list.n_wanted > 0;
}

/*
 * Has gpuaggd been promised that any array will be loaded?  is_outer: one that
 * may not be read now.
 */
bool
ga_stored_has_promised(bool is_outer)
{
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		const GaStored *array = &ga_stored_list.arrays[i];

		if (array->step == STEP_LOAD &&
			!(is_outer && ga_stored_may_read(array)))
			return true;
	}
	return false;
}

/*
 * Is any array deferred that may be read now, by this process?  without_waits:
 * but for those that other sessions load.
 */
bool
ga_stored_has_readable(bool without_waits)
{
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		const GaStored *array = &ga_stored_list.arrays[i];

		if (ga_stored_may_read(array) && array->step != STEP_SHARED &&
			!(without_waits && array->step == STEP_WAIT))
			return true;
	}
	return false;
}

/*
 * Return how many slots of a lease loading is to have: one for a small array
 * that is alone.
 */
int
ga_stored_load_slots(void)
{
	uint64 n_bytes = 0;
	uint32 i;

	for (i = 0; i < ga_stored_list.n && n_bytes <= GA_SEGMENTS_BYTES; i++)
		n_bytes += ga_stored_list.arrays[i].keys[0].raw_bytes;
	return n_bytes <= GA_SEGMENTS_BYTES ? 1 : GA_LEASE_SLOTS;
}

/* Have capacity for n more in the list.  May throw. */
void
ga_stored_reserve(uint32 n)
{
	const uint32 needed = ga_stored_list.n + n;
	uint32 capacity = Max(ga_stored_list.capacity, 256);

	while (capacity < needed)
		capacity += Min(capacity, MOST_GROWTH);
	if (capacity == ga_stored_list.capacity)
		return;
	if (list_context == NULL)
		list_context =
			AllocSetContextCreate(TopTransactionContext, "gpuagg stored arrays",
								  ALLOCSET_SMALL_SIZES);
	if (ga_stored_list.arrays == NULL)
		ga_stored_list.arrays =
			MemoryContextAlloc(list_context, capacity * sizeof(GaStored));
	else
		ga_stored_list.arrays =
			repalloc(ga_stored_list.arrays, capacity * sizeof(GaStored));
	ga_stored_list.capacity = capacity;
}

/* Add an array to the list.  Throws only without capacity reserved for it. */
void
ga_stored_defer(const GaStored *array)
{
	ga_stored_reserve(1);
	ga_stored_list.arrays[ga_stored_list.n++] = *array;
	ga_stored_list.n_wanted++;
	if (array->step != STEP_WAIT)
		ga_stored_list.n_ready++;
}

/* Mark an array of the list as done; ga_stored_tidy removes it. */
void
ga_stored_set_done(GaStored *array)
{
	if (array->state != NULL)
		ga_stored_list.n_wanted--;
	array->state = NULL;
	array->step = STEP_NONE;
}

/* Remove the arrays that are done from the list. */
void
ga_stored_tidy(void)
{
	uint32 n = 0;
	uint32 i;

	ga_stored_list.n_outer = 0;
	ga_stored_list.outer_level = 0;
	for (i = 0; i < ga_stored_list.n; i++)
	{
		const GaStored *array = &ga_stored_list.arrays[i];

		if (array->step == STEP_NONE)
			continue;
		if (!ga_stored_may_read(array))
		{
			ga_stored_list.n_outer++;
			ga_stored_list.outer_level =
				Max(ga_stored_list.outer_level, array->level);
		}
		ga_stored_list.arrays[n++] = *array;
	}
	ga_stored_list.n = n;
}

/* The connection is gone, and with it what we promised to load. */
void
ga_stored_connection_lost(void)
{
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		GaStored *array = &ga_stored_list.arrays[i];

		if (array->step != STEP_LOAD)
			continue;
		if (array->only_loads)
			ga_stored_set_done(array);
		else
		{
			array->step = STEP_COMPUTE;
			array->reason = GA_REASON_GONE;
		}
	}
}

/* A subtransaction ends: what it left is its parent's, of a level. */
void
ga_stored_end_level(int level)
{
	uint32 i;
	uint32 j;

	if (ga_stored_list.deepest <= level)
		return;
	ga_stored_list.deepest = level;
	for (i = 0; i < ga_stored_list.n; i++)
		ga_stored_list.arrays[i].level =
			Min(ga_stored_list.arrays[i].level, level);
	for (i = 0; i < GA_SLOTS; i++)
	{
		for (j = 0; j < ga_slots[i].n_entries; j++)
			ga_slots[i].entries[j].level =
				Min(ga_slots[i].entries[j].level, level);
	}
}

/* Free the list, at a transaction's end.  Was there anything in it? */
bool
ga_stored_reset(void)
{
	bool had_any = ga_stored_list.n > 0;

	memset(&ga_stored_list, 0, sizeof(ga_stored_list));
	if (list_context != NULL)
		MemoryContextDelete(list_context);
	list_context = NULL;
	return had_any;
}
