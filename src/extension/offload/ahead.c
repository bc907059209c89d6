/*
 * ahead.c
 *		Results of arrays that the device made before they were asked for.
 *
 * A function of one array in each row asks gpuaggd for one array at a time, and
 * waits.  With it gpuaggd may have the results of more arrays, those that it
 * expects to be asked for next (daemon/ahead.c).  They are kept here until the
 * query comes to them.  How many they are is up to ahead_pace.c.  Those behind
 * the first few are asked for while the query uses those before
 * (ahead_request.c).
 *
 * Owns the memory of an expression that calls a function, in fn_extra, and the
 * owner of its requests.  Results are of use in the execution of a query that
 * got them, and only while the array's id cannot have been given to another
 * one.  Called by the functions of one array, and by what asks gpuaggd for
 * them.
 */
#include "postgres.h"

#include "access/xlog.h"

#include "ahead_batch.h"
#include "ahead_pace.h"
#include "client.h"
#include "slots.h"
#include "wire/route.h"
#include "extension/engine/execution.h"

/*
 * Batches that are kept at least, some of what was left out; and for each
 * device: the one that the query is at, and the next one.
 */
#define LEAST_BATCHES	   16
#define BATCHES_PER_DEVICE 2

struct GaAhead
{
	MemoryContext memory;
	GaAheadUse use;
	uint64 execution;
	GaOwner owner; /* of requests that nobody waits for */

	GaAheadBatch *batches; /* the newest one first */
	GaAheadBatch *current; /* has the query's last array; or NULL */
	GaAheadPace pace;
	GaAheadWanted wanted; /* by the request that was planned */
	bool is_asked;		  /* the query's next array was, with others */

	/* the last array of each device that the query came to */
	GaStoredKey previous[GA_MAX_DEVICES];
};

/* Free all batches behind the first n. */
static void
free_batches(GaAhead *ahead, int n)
{
	GaAheadBatch **link = &ahead->batches;

	ahead->current = NULL;
	while (*link != NULL && n-- > 0)
		link = &(*link)->next;
	while (*link != NULL)
	{
		GaAheadBatch *batch = *link;

		*link = batch->next;
		ga_ahead_batch_free(batch);
	}
}

/*
 * An execution has ended: what is under way is no longer of use.  Never throws.
 */
static void
end_execution(GaAhead *ahead)
{
	ga_slots_cancel(&ahead->owner);
	free_batches(ahead, 0);
	ga_ahead_pace_end(&ahead->pace);
}

/* Begin with nothing. */
static void
restart(GaAhead *ahead)
{
	end_execution(ahead);
	memset(ahead->previous, 0, sizeof(ahead->previous));
	ahead->is_asked = false;
}

static bool
is_use(const GaAheadUse *a, const GaAheadUse *b)
{
	return a->type == b->type && a->result == b->result && a->width == b->width;
}

static void
memory_is_reset(void *argument)
{
	GaAhead *ahead = argument;

	end_execution(ahead);
}

/* Begin what an expression has in its memory. */
static GaAhead *
begin(MemoryContext memory)
{
	GaAhead *ahead = MemoryContextAllocZero(memory, sizeof(*ahead));

	ahead->memory = memory;
	ahead->owner.callback.func = memory_is_reset;
	ahead->owner.callback.arg = ahead;
	MemoryContextRegisterResetCallback(memory, &ahead->owner.callback);
	return ahead;
}

/*
 * Return what an expression that calls a function has for a use, in the present
 * execution of a query.
 */
GaAhead *
ga_ahead_of(FmgrInfo *function, GaAheadUse use)
{
	const uint64 execution = ga_execution_id();
	GaAhead *ahead = function->fn_extra;

	if (ahead == NULL)
		function->fn_extra = ahead = begin(function->fn_mcxt);
	if (!is_use(&ahead->use, &use) || ahead->execution != execution)
	{
		restart(ahead);
		ahead->use = use;
		ahead->execution = execution;
	}
	return ahead;
}

/* Return the use; it is as long as what is under way. */
GaAheadUse
ga_ahead_use_of(const GaAhead *ahead)
{
	return ahead->use;
}

/* Return the owner of requests that are under way between two calls. */
GaOwner *
ga_ahead_owner(GaAhead *ahead)
{
	return &ahead->owner;
}

/* The query came to an array; the next one of its device follows it. */
void
ga_ahead_came_to(GaAhead *ahead, const GaStoredKey *key)
{
	ahead->previous[ga_route(key, ga_client_devices)] = *key;
	ahead->is_asked = false;
}

/* Return the last array of a device that the query came to; or all zero. */
GaStoredKey
ga_ahead_previous(const GaAhead *ahead, uint32 device)
{
	return ahead->previous[device];
}

/*
 * Return the result of an array, until the next call, and set how many elements
 * it has; NULL if there is none.
 */
const void *
ga_ahead_take(GaAhead *ahead, const GaStoredKey *key, uint32 *n)
{
	GaAheadBatch *batch;

	for (batch = ahead->batches; batch != NULL; batch = batch->next)
	{
		const GaAheadKept *kept = ga_ahead_batch_find(batch, key);

		if (kept == NULL || ga_ahead_batch_may_be_new(batch, key))
			continue;
		batch->expected = (uint32) (kept - batch->arrays) + 1;
		ahead->current = batch;
		ahead->pace.n_used++;
		ahead->pace.n_used_in_all++;
		ga_ahead_came_to(ahead, key);
		*n = kept->array.n;
		return batch->results + kept->at;
	}
	return NULL;
}

/* Free the batches of which all was used, or nothing is. */
static void
free_used(GaAhead *ahead)
{
	GaAheadBatch **link = &ahead->batches;

	ahead->current = NULL;
	while (*link != NULL)
	{
		GaAheadBatch *batch = *link;

		if (batch->expected < batch->n_arrays)
		{
			link = &batch->next;
			continue;
		}
		*link = batch->next;
		ga_ahead_batch_free(batch);
	}
}

/*
 * The query came to an array that is in none of the batches of its device: so
 * what it has not come to of these is past, and may be of no use.
 */
static void
pass_batches(GaAhead *ahead, const GaStoredKey *key)
{
	const uint32 device = ga_route(key, ga_client_devices);
	GaAheadBatch *batch;

	for (batch = ahead->batches; batch != NULL; batch = batch->next)
		batch->is_past |=
			ga_route(&batch->arrays[0].array.key, ga_client_devices) == device;
}

/*
 * Return how many of the arrays that were made the query has not come to; with
 * those of batches that are past, or without.
 */
static uint32
n_left(const GaAhead *ahead, bool with_past)
{
	const GaAheadBatch *batch;
	uint32 n = 0;

	for (batch = ahead->batches; batch != NULL; batch = batch->next)
	{
		if (with_past || !batch->is_past)
			n += batch->n_arrays - batch->expected;
	}
	return Min(n, ahead->pace.n_made);
}

/*
 * gpuaggd is going to be asked for an array.  Return how many others are wanted
 * besides: more or fewer than before, and none at all for a while in the end.
 * Those that other devices made are still to come.  If others were asked for
 * with the array, and its own result did not come, it is asked for alone.  On a
 * standby nothing that is kept is of use.
 */
uint32
ga_ahead_plan(GaAhead *ahead, const GaStoredKey *key)
{
	ahead->wanted = (GaAheadWanted){0, 0};
	if (ahead->is_asked)
		return 0;
	free_used(ahead);
	pass_batches(ahead, key);
	ga_ahead_pace_ask(&ahead->pace, key->relation, n_left(ahead, false));
	if (RecoveryInProgress())
		ahead->pace.n_wanted = 0;
	ahead->wanted = (GaAheadWanted){ahead->pace.n_wanted, 0};
	return ahead->wanted.n;
}

/*
 * The query came to an array that is not known ahead.  If it is the first one
 * of its device, are others to be asked for with it?
 */
bool
ga_ahead_expects_many(const GaAhead *ahead, const GaStoredKey *key)
{
	const uint32 device = ga_route(key, ga_client_devices);

	if (ahead->previous[device].relation != 0 || RecoveryInProgress())
		return false;
	return ahead->pace.n_asked == 0 ? ga_ahead_pace_expects(key->relation) :
									  ahead->pace.n_wanted > GA_AHEAD_FIRST;
}

/*
 * They are going to be asked for: a few by the array's own request, and behind
 * that one, as in GaAheadWanted, more.
 */
void
ga_ahead_plan_many(GaAhead *ahead, const GaStoredKey *key, uint32 behind)
{
	if (ahead->pace.n_asked == 0)
		ga_ahead_pace_begin(&ahead->pace, key->relation);
	ahead->is_asked = true;
	ahead->wanted = (GaAheadWanted){
		behind == 0 ? GA_AHEAD_FIRST : ahead->pace.n_wanted, behind};
}

/* Return which are wanted by the request that was planned. */
GaAheadWanted
ga_ahead_wanted(const GaAhead *ahead)
{
	return ahead->wanted;
}

/*
 * Find the array behind which others are to be asked for now, before the query
 * comes to it: the last one of the batch that has the query's last array.
 * is_under_way: others were asked for, and those behind them are to be, once
 * half of that batch is used.  False if it is too early, or there are no
 * others, or they were asked for.
 */
bool
ga_ahead_last(const GaAhead *ahead, bool is_under_way, GaAheadArray *last)
{
	const GaAheadBatch *batch = ahead->current;

	if (batch == NULL || !batch->has_more ||
		ahead->pace.n_wanted <= GA_AHEAD_FIRST)
		return false;
	if (is_under_way ? batch->expected * 2 < batch->n_arrays :
					   batch->is_followed)
		return false;
	*last = batch->arrays[batch->n_arrays - 1].array;
	return true;
}

/*
 * They are going to be asked for, behind those of a request, as in
 * GaAheadWanted.  What was taken is of no use any more.
 */
void
ga_ahead_plan_behind(GaAhead *ahead, uint32 behind)
{
	ahead->current->is_followed = true;
	ga_ahead_pace_adapt(&ahead->pace, n_left(ahead, true));
	ahead->wanted = (GaAheadWanted){ahead->pace.n_wanted, behind};
	free_used(ahead);
}

/* Return how many batches are kept. */
static int
most_batches(void)
{
	return Max(LEAST_BATCHES,
			   BATCHES_PER_DEVICE * __builtin_popcountll(ga_client_devices));
}

/*
 * Begin a batch, what a reply brings: of n_arrays, with results of so many
 * bytes.  The sample is that of the request.  NULL if there is no memory; never
 * throws.
 */
GaAheadBatch *
ga_ahead_begin(GaAhead *ahead, const GaOidSample *sample, uint32 n_arrays,
			   Size n_bytes)
{
	GaAheadBatch *batch =
		ga_ahead_batch_new(ahead->memory, sample, n_arrays, n_bytes);

	if (batch == NULL)
		return NULL;
	batch->next = ahead->batches;
	ahead->batches = batch;
	free_batches(ahead, most_batches());
	return batch;
}

/*
 * Add an array to a batch that was begun.  Return where its result goes, which
 * has so many bytes, behind the one before.
 */
void *
ga_ahead_add(GaAhead *ahead, GaAheadBatch *batch, GaAheadArray array,
			 Size n_bytes)
{
	ahead->pace.n_made++;
	return ga_ahead_batch_add(batch, array, n_bytes);
}

/* A request failed, perhaps because of the others that were wanted. */
void
ga_ahead_failed(GaAhead *ahead)
{
	ahead->pace.n_wanted /= 2;
}
