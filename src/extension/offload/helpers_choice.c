/*
 * helpers_choice.c
 *		Which arrays a query's helpers read, and how many helpers these need.
 *
 * Left to the query's own process is whatever a parallel worker may not read,
 * what it has begun with, and what is too little to start processes for.  The
 * arrays that are chosen stay in the session's list, as shared ones, by their
 * place in the queue.  Called by helpers.c.
 */
#include "postgres.h"
#include "access/parallel.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "utils/lsyscache.h"

#include "extension/pg_compat.h"
#include "helpers.h"
#include "helpers_queue.h"
#include "stored_key.h"
#include "stored_list.h"

/*
 * What is worth a first helper: to start and end one takes about as long as to
 * read 20 MB.
 */
#define MIN_BYTES (UINT64_C(64) << 20)

/* What is worth a further helper. */
#define BYTES_PER_HELPER (UINT64_C(32) << 20)

/* How much longer a compressed array takes than one that is not. */
#define COMPRESSED_FACTOR 4

/*
 * Smaller arrays, or parts, are read at once by the CPU, so that the states of
 * many groups of small arrays stay small: one that waits for its arrays has
 * full capacity.
 */
#define MIN_NOTED_BYTES (8 * 1024)

/*
 * May a query of this process have helpers at all?  Cheap, for transition
 * functions.
 */
bool
ga_helpers_are_allowed(void)
{
	return max_parallel_workers_per_gather > 0 && max_parallel_workers > 0 &&
		   !IsParallelWorker() && IsUnderPostmaster && !ga_is_autovacuum();
}

/*
 * May what is wanted of a stored array, so many bytes, be read later for the
 * CPU, so that helpers can take part?
 */
bool
ga_helpers_may_read(uint64 n_bytes, bool is_partial)
{
	return !is_partial && n_bytes >= MIN_NOTED_BYTES &&
		   ga_helpers_are_allowed();
}

/* Return how many times as long a stored array takes as one not compressed. */
static uint64
cost_factor(const GaStoredKey *key)
{
	const struct varatt_external pointer = ga_stored_pointer(key);

	return VARATT_EXTERNAL_IS_COMPRESSED(pointer) ? COMPRESSED_FACTOR : 1;
}

/*
 * Return what it takes to read what is wanted of an array, or all of it if it
 * is to be loaded, or a pair, in bytes of arrays not compressed.
 */
uint64
ga_helpers_cost(const GaStored *array)
{
	const GaStoredStep step =
		array->step == STEP_SHARED ? array->next : array->step;
	const GaStoredKey *keys = array->keys;

	if (ga_reduction_has_pairs(array->reduction))
		return keys[0].raw_bytes * cost_factor(&keys[0]) +
			   keys[1].raw_bytes * cost_factor(&keys[1]);
	return (step == STEP_LOAD || step == STEP_RETRY ?
				keys[0].raw_bytes :
				ga_stored_wanted_bytes(array)) *
		   cost_factor(&keys[0]);
}

/* The relation that was looked at last. */
typedef struct LastRelation
{
	Oid id;
	bool is_temporary;
} LastRelation;

static bool
is_temporary(Oid relation, LastRelation *last)
{
	if (relation != last->id)
		last->is_temporary =
			get_rel_persistence(relation) == RELPERSISTENCE_TEMP;
	last->id = relation;
	return last->is_temporary;
}

/*
 * Can a helper read an array, or a pair for the CPU?  Parallel workers may not
 * read temporary relations.
 */
static bool
is_readable(const GaStored *array, LastRelation *last)
{
	const bool is_pair = ga_reduction_has_pairs(array->reduction);

	if (array->state == NULL || array->n_done > 0 ||
		!ga_stored_may_read(array) ||
		(array->step != STEP_LOAD && array->step != STEP_RETRY &&
		 array->step != STEP_STREAM && array->step != STEP_COMPUTE))
		return false;
	return !is_temporary(array->keys[0].relation, last) &&
		   !(is_pair && is_temporary(array->keys[1].relation, last));
}

/*
 * Return how many helpers the deferred arrays are worth, and the server's
 * settings allow.
 */
int
ga_helpers_n_worth(void)
{
	uint64 n_bytes = 0;
	uint64 n_arrays = 0;
	LastRelation last = {InvalidOid};
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		const GaStored *array = &ga_stored_list.arrays[i];

		if (!is_readable(array, &last))
			continue;
		n_arrays++;
		n_bytes += ga_helpers_cost(array);
	}
	if (n_bytes < MIN_BYTES || n_arrays < 2)
		return 0;
	return (int) Min(Min(n_bytes / BYTES_PER_HELPER, n_arrays - 1),
					 (uint64) max_parallel_workers_per_gather);
}

/* Where an array's chunks are: the order of what helpers read. */
typedef struct ChunksPlace
{
	Oid relation;
	Oid value;
	uint32 number; /* of the array in the session's list */
} ChunksPlace;

static int
compare_places(const void *x, const void *y)
{
	const ChunksPlace *a = x;
	const ChunksPlace *b = y;

	if (a->relation != b->relation)
		return a->relation < b->relation ? -1 : 1;
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

/*
 * Make the arrays shared that helpers can read, with their places.  New OIDs
 * are greater than older ones, and new chunks mostly behind older ones.
 */
void
ga_helpers_share(GaHelpers *helpers)
{
	ChunksPlace *places = palloc(ga_stored_list.n * sizeof(*places));
	LastRelation last = {InvalidOid};
	uint32 n = 0;
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		const GaStored *array = &ga_stored_list.arrays[i];

		if (is_readable(array, &last))
			places[n++] = (ChunksPlace){array->keys[0].relation,
										array->keys[0].value_id, i};
	}
	qsort(places, n, sizeof(*places), compare_places);
	helpers->by_place = palloc(n * sizeof(*helpers->by_place));
	helpers->n_arrays = n;
	ga_stored_list.n_ready = 0;
	for (i = 0; i < n; i++)
	{
		GaStored *array = &ga_stored_list.arrays[places[i].number];

		helpers->by_place[i] = places[i].number;
		array->next = array->step;
		array->step = STEP_SHARED;
		array->place = i;
	}
	pfree(places);
	helpers->in_order = palloc(n * sizeof(*helpers->in_order));
	for (i = n = 0; i < ga_stored_list.n; i++)
	{
		if (ga_stored_list.arrays[i].step == STEP_SHARED)
			helpers->in_order[n++] = ga_stored_list.arrays[i].place;
	}
}

/*
 * Take the shared arrays from one place on out of the queue, up to another:
 * they are this process's to read.  Never throws.
 */
void
ga_helpers_take_back(uint32 from, uint32 to)
{
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		GaStored *array = &ga_stored_list.arrays[i];

		if (array->step != STEP_SHARED || array->place < from ||
			array->place >= to)
			continue;
		array->step = array->next;
		ga_stored_list.n_ready++;
	}
}
