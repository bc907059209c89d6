/*
 * ahead.c
 *		Results of arrays that the device made before they were asked for.
 *
 * A function of one array in each row asks gpuaggd for one array at a time, and
 * waits.  From the second time on gpuaggd may have the results of more arrays,
 * those that it expects to be asked for next (daemon/ahead.c).  They are kept
 * here until the query comes to them.  As long as most of them are used, more
 * and more are wanted.
 *
 * Owns the memory of an expression that calls a function, in fn_extra.  Results
 * are of use in the execution of a query that got them, and only while the
 * array's id cannot have been given to another one.  Called by the functions of
 * one array, and by what asks gpuaggd for them.
 */
#include "postgres.h"

#include "access/xlog.h"

#include "ahead.h"
#include "extension/engine/execution.h"
#include "extension/supervisor/oid_sample.h"

/* Arrays that are wanted at first; small lookup slots have their results. */
#define FIRST_ARRAYS 7

/* When none is wanted, one is tried again at each so many-th request. */
#define PAUSE 32

/* Batches that are kept: those of several devices, or of what was left out. */
#define MOST_BATCHES 16

/* An array, and where its result is in its batch. */
typedef struct Kept
{
	GaStoredKey key;
	uint32 n; /* elements */
	uint32 at;
} Kept;

/* What one reply brought. */
typedef struct Batch
{
	struct Batch *next; /* an older one */
	GaOidSample sample;
	uint32 n_arrays;
	uint32 expected; /* the array that comes next, perhaps */
	Kept *arrays;
	Size n_bytes;
	char *results;
} Batch;

struct GaAhead
{
	MemoryContext memory;
	GaAheadUse use;
	uint64 execution;

	GaOidSample sample; /* of the last request */
	Batch *batches;		/* the newest one first */
	uint32 n_asked;		/* arrays that gpuaggd was asked for */
	uint32 n_wanted;
	uint32 n_made; /* arrays, the older ones counting less, */
	uint32 n_used; /* and those that the query came to */
};

static void
free_batch(Batch *batch)
{
	if (batch->arrays != NULL)
		pfree(batch->arrays);
	if (batch->results != NULL)
		pfree(batch->results);
	pfree(batch);
}

/* Free all batches behind the first n. */
static void
free_batches(GaAhead *ahead, int n)
{
	Batch **link = &ahead->batches;

	while (*link != NULL && n-- > 0)
		link = &(*link)->next;
	while (*link != NULL)
	{
		Batch *batch = *link;

		*link = batch->next;
		free_batch(batch);
	}
}

/* Begin with nothing. */
static void
restart(GaAhead *ahead)
{
	free_batches(ahead, 0);
	ahead->n_asked = ahead->n_wanted = ahead->n_made = ahead->n_used = 0;
}

static bool
is_use(const GaAheadUse *a, const GaAheadUse *b)
{
	return a->type == b->type && a->result == b->result && a->width == b->width;
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
	{
		ahead = MemoryContextAllocZero(function->fn_mcxt, sizeof(*ahead));
		ahead->memory = function->fn_mcxt;
		function->fn_extra = ahead;
	}
	if (!is_use(&ahead->use, &use) || ahead->execution != execution)
	{
		restart(ahead);
		ahead->use = use;
		ahead->execution = execution;
	}
	return ahead;
}

static bool
is_key(const GaStoredKey *a, const GaStoredKey *b)
{
	return a->value_id == b->value_id && a->relation == b->relation &&
		   a->raw_bytes == b->raw_bytes && a->ext_info == b->ext_info;
}

/* Find an array in a batch, at first where it is expected; NULL: not there. */
static const Kept *
find(const Batch *batch, const GaStoredKey *key)
{
	uint32 i;

	for (i = 0; i < batch->n_arrays; i++)
	{
		const Kept *kept =
			&batch->arrays[(batch->expected + i) % batch->n_arrays];

		if (is_key(&kept->key, key))
			return kept;
	}
	return NULL;
}

/* May the id of an array that a batch has be that of another one by now? */
static bool
may_be_new(const Batch *batch, const GaStoredKey *key)
{
	GaOidSample now;

	ga_oid_sample_take(&now);
	return ga_oid_may_be_new(&ga_oid_space, &batch->sample, &now,
							 key->value_id);
}

/*
 * Return the result of an array, until the next call, and set how many elements
 * it has; NULL if there is none.
 */
const void *
ga_ahead_take(GaAhead *ahead, const GaStoredKey *key, uint32 *n)
{
	Batch *batch;

	for (batch = ahead->batches; batch != NULL; batch = batch->next)
	{
		const Kept *kept = find(batch, key);

		if (kept == NULL || may_be_new(batch, key))
			continue;
		batch->expected = (uint32) (kept - batch->arrays) + 1;
		ahead->n_used++;
		*n = kept->n;
		return batch->results + kept->at;
	}
	return NULL;
}

/* Free the batches of which all was used, or nothing is. */
static void
free_used(GaAhead *ahead)
{
	Batch **link = &ahead->batches;

	while (*link != NULL)
	{
		Batch *batch = *link;

		if (batch->expected < batch->n_arrays)
		{
			link = &batch->next;
			continue;
		}
		*link = batch->next;
		free_batch(batch);
	}
}

/*
 * gpuaggd is going to be asked for an array.  Return how many others are wanted
 * besides: twice as many as before if most of those before were used, else half
 * as many, and none at all for a while in the end.  On a standby nothing that
 * is kept is of use.
 */
uint32
ga_ahead_plan(GaAhead *ahead)
{
	free_used(ahead);
	ahead->n_asked++;
	if (RecoveryInProgress())
		ahead->n_wanted = 0;
	else if (ahead->n_asked == 2)
		ahead->n_wanted = FIRST_ARRAYS;
	else if (ahead->n_wanted == 0)
		ahead->n_wanted = ahead->n_asked % PAUSE == 0;
	else if ((uint64) ahead->n_used * 2 < ahead->n_made)
		ahead->n_wanted /= 2;
	else if (ahead->n_made > 0)
		ahead->n_wanted = Min(2 * ahead->n_wanted, GA_AHEAD_MOST);
	ahead->n_made /= 2;
	ahead->n_used /= 2;
	return ahead->n_wanted;
}

/* Return how many are wanted, by a request with a sample. */
uint32
ga_ahead_ask(GaAhead *ahead, const GaOidSample *sample)
{
	ahead->sample = *sample;
	return ahead->n_wanted;
}

/* Allocate memory of an expression; NULL: there is none. */
static void *
allocate(const GaAhead *ahead, Size n_bytes)
{
	return MemoryContextAllocExtended(ahead->memory, n_bytes,
									  MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

/*
 * Begin a batch, what the reply to the last request brought: of n_arrays, with
 * results of so many bytes.  False if there is no memory; never throws.
 */
bool
ga_ahead_begin(GaAhead *ahead, uint32 n_arrays, Size n_bytes)
{
	Batch *batch = allocate(ahead, sizeof(*batch));

	if (batch == NULL)
		return false;
	*batch = (Batch){.next = ahead->batches, .sample = ahead->sample};
	batch->arrays = allocate(ahead, n_arrays * sizeof(*batch->arrays));
	batch->results = allocate(ahead, n_bytes);
	if (batch->arrays == NULL || batch->results == NULL)
	{
		free_batch(batch);
		return false;
	}
	ahead->batches = batch;
	free_batches(ahead, MOST_BATCHES);
	return true;
}

/* Add the result of an array of n elements to the batch that was begun. */
void
ga_ahead_add(GaAhead *ahead, const GaStoredKey *key, uint32 n,
			 const void *result, Size n_bytes)
{
	Batch *batch = ahead->batches;

	batch->arrays[batch->n_arrays++] =
		(Kept){.key = *key, .n = n, .at = (uint32) batch->n_bytes};
	memcpy(batch->results + batch->n_bytes, result, n_bytes);
	batch->n_bytes += n_bytes;
	ahead->n_made++;
}

/* A request failed, perhaps because of the others that were wanted. */
void
ga_ahead_failed(GaAhead *ahead)
{
	ahead->n_wanted /= 2;
}
