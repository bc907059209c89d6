/*
 * ahead.c
 *		Values of buckets that the device made before they were asked for.
 *
 * A function of one array in each row asks gpuaggd for one array at a time, and
 * waits.  From the second time on gpuaggd may make the values of more arrays,
 * those that it expects to be asked for next (daemon/window_ahead.c).  They are
 * kept here until the query comes to them.  As long as most of them are used,
 * more and more are wanted.
 *
 * Owns the memory of an expression that calls a function, in fn_extra.  Values
 * are of use in the execution of a query that got them, and only while the
 * array's id cannot have been given to another one.  Called by windows.c and by
 * bucket.c; calls nothing that looks at a device.
 */
#include "postgres.h"

#include "ahead.h"
#include "extension/engine/execution.h"
#include "extension/supervisor/oid_sample.h"

/* Arrays that are wanted at first. */
#define FIRST_ARRAYS 8

/* Batches that are kept: those of several devices, or of what was left out. */
#define MOST_BATCHES 8

/* What one reply brought. */
typedef struct Batch
{
	struct Batch *next; /* an older one */
	GaOidSample sample;
	uint32 n_arrays;
	uint32 at; /* the array that is expected next */
	GaStoredKey *keys;
	uint32 *n;	  /* elements of each */
	uint32 *from; /* its first value */
	char *values; /* 8 bytes each */
} Batch;

struct GaAhead
{
	MemoryContext memory;
	GaElementType type;
	GaElemForm form;
	uint32 width;
	uint64 execution;

	Batch *batches; /* the newest one first */
	uint32 n_asked; /* times that gpuaggd was or has to be asked */
	uint32 n_wanted;
	uint32 n_made; /* arrays, the older ones counting less, */
	uint32 n_used; /* and those that the query came to */
};

static void
free_batch(Batch *batch)
{
	pfree(batch->keys);
	pfree(batch->n);
	pfree(batch->from);
	pfree(batch->values);
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

/*
 * Return what an expression has of buckets of a width, in the present execution
 * of a query.
 */
GaAhead *
ga_ahead_of(FmgrInfo *function, GaElementType type, GaElemForm form,
			uint32 width)
{
	const uint64 execution = ga_execution_id();
	GaAhead *ahead = function->fn_extra;

	if (ahead == NULL)
	{
		ahead = MemoryContextAllocZero(function->fn_mcxt, sizeof(*ahead));
		ahead->memory = function->fn_mcxt;
		function->fn_extra = ahead;
	}
	if (ahead->type != type || ahead->form != form || ahead->width != width ||
		ahead->execution != execution)
	{
		restart(ahead);
		ahead->type = type;
		ahead->form = form;
		ahead->width = width;
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

/* Find an array in a batch, from the one that is expected on; or n_arrays. */
static uint32
find(const Batch *batch, const GaStoredKey *key)
{
	uint32 i;

	for (i = batch->at; i < batch->n_arrays; i++)
	{
		if (is_key(&batch->keys[i], key))
			return i;
	}
	for (i = 0; i < batch->at; i++)
	{
		if (is_key(&batch->keys[i], key))
			return i;
	}
	return batch->n_arrays;
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

/* gpuaggd has to be asked: how many arrays are wanted besides? */
static void
choose_wanted(GaAhead *ahead)
{
	ahead->n_asked++;
	if (ahead->n_asked == 2)
		ahead->n_wanted = FIRST_ARRAYS;
	else if (2 * ahead->n_used < ahead->n_made)
		ahead->n_wanted /= 2;
	else if (ahead->n_made > 0)
		ahead->n_wanted = Min(2 * ahead->n_wanted, GA_WINDOW_AHEAD);
	ahead->n_made /= 2;
	ahead->n_used /= 2;
}

/*
 * Return the values of an array's buckets, until the next call, and set how
 * many elements it has; NULL if gpuaggd has to be asked.  It has no NULLs.
 */
const char *
ga_ahead_take(GaAhead *ahead, const GaStoredKey *key, uint32 *n)
{
	Batch *batch;

	for (batch = ahead->batches; batch != NULL; batch = batch->next)
	{
		const uint32 i = find(batch, key);

		if (i == batch->n_arrays || may_be_new(batch, key))
			continue;
		batch->at = i + 1;
		ahead->n_used++;
		*n = batch->n[i];
		return batch->values + (Size) batch->from[i] * sizeof(uint64);
	}
	choose_wanted(ahead);
	return NULL;
}

/* Return how many arrays are wanted besides the one that is asked for. */
uint32
ga_ahead_wanted(const GaAhead *ahead)
{
	return ahead == NULL ? 0 : ahead->n_wanted;
}

/* Return how many buckets n elements have. */
static uint32
count_buckets(const GaAhead *ahead, uint32 n)
{
	return n / ahead->width + (n % ahead->width != 0);
}

/* Return a batch for n_arrays with n_values. */
static Batch *
make_batch(GaAhead *ahead, uint32 n_arrays, uint32 n_values)
{
	MemoryContext before = MemoryContextSwitchTo(ahead->memory);
	Batch *batch = palloc0(sizeof(*batch));

	batch->keys = palloc(n_arrays * sizeof(*batch->keys));
	batch->n = palloc(n_arrays * sizeof(*batch->n));
	batch->from = palloc(n_arrays * sizeof(*batch->from));
	batch->values = palloc((Size) n_values * sizeof(uint64));
	MemoryContextSwitchTo(before);
	return batch;
}

/*
 * Keep the values that gpuaggd made of the buckets of n_arrays, in their order;
 * the sample is that of the request.  refs and values are shared with gpuaggd.
 */
void
ga_ahead_keep(GaAhead *ahead, const GaOidSample *sample,
			  const GaStoredRef *refs, uint32 n_arrays, const char *values,
			  uint32 n_values)
{
	Batch *batch;
	uint32 from = 0;
	uint32 i;

	if (n_arrays == 0 || n_arrays > ahead->n_wanted)
		return;
	batch = make_batch(ahead, n_arrays, n_values);
	batch->sample = *sample;
	memcpy(batch->values, values, (Size) n_values * sizeof(uint64));
	for (i = 0; i < n_arrays; i++)
	{
		batch->keys[i] = refs[i].key;
		batch->n[i] = refs[i].n;
		batch->from[i] = from;
		if (count_buckets(ahead, batch->n[i]) > n_values - from)
			break;
		from += count_buckets(ahead, batch->n[i]);
	}
	batch->n_arrays = i;
	ahead->n_made += i;
	batch->next = ahead->batches;
	ahead->batches = batch;
	free_batches(ahead, MOST_BATCHES);
}

/* The device cannot make all values: want none in this execution any more. */
void
ga_ahead_stop(GaAhead *ahead)
{
	ahead->n_wanted = 0;
	ahead->n_asked = Max(ahead->n_asked, 2);
}
