/*
 * helpers_queue.c
 *		The queue of a query's helpers: described, laid out to be shared, and
 *		taken from.
 *
 * Owns the form of the queue, and the numbers that stand in it for addresses of
 * the query's process: of states, and of the counters of aggregate nodes.
 * Called by helpers.c, in the order of helpers_queue.h; ga_helpers_take() by
 * helpers, too.
 */
#include "postgres.h"
#include "executor/instrument.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"

#include "extension/engine/execution.h"
#include "helpers_queue.h"
#include "stored_list.h"

/* Bytes that a process takes from the queue at a time, at least one array. */
#define PORTION_BYTES (4 << 20)

/* Return the number of an array's target, which is known from now on. */
static uint32
number_target(GaHelpers *helpers, const GaStored *array)
{
	bool is_found;
	GaTarget *target =
		hash_search(helpers->by_state, &array->state, HASH_ENTER, &is_found);

	if (!is_found)
	{
		target->number = hash_get_num_entries(helpers->by_state) - 1;
		target->state = ga_stored_state(array);
		target->total.at = NULL;
		helpers->targets[target->number] = target;
	}
	return target->number;
}

/* Return the number of a node's counters, or -1 if nobody counts. */
static int
number_node(GaHelpers *helpers, GaCounters *counters)
{
	int n = 0;
	ListCell *cell;

	if (counters == NULL)
		return -1;
	foreach (cell, helpers->nodes)
	{
		if (lfirst(cell) == counters)
			return n;
		n++;
	}
	if (n == PG_INT16_MAX)
		return -1;
	helpers->nodes = lappend(helpers->nodes, counters);
	return n;
}

/* Describe the shared arrays, in memory of this process. */
void
ga_helpers_describe(GaHelpers *helpers)
{
	const HASHCTL sizes = {.keysize = sizeof(void *),
						   .entrysize = sizeof(GaTarget),
						   .hcxt = CurrentMemoryContext};
	uint64 n_bytes = PORTION_BYTES;
	uint32 place;

	helpers->by_state = hash_create("gpuagg targets", 256, &sizes,
									HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	helpers->targets = palloc(helpers->n_arrays * sizeof(GaTarget *));
	helpers->arrays = palloc0(helpers->n_arrays * sizeof(GaHelpersArray));
	helpers->portions = palloc((helpers->n_arrays + 1) * sizeof(uint32));
	for (place = 0; place < helpers->n_arrays; place++)
	{
		const GaStored *array =
			&ga_stored_list.arrays[helpers->by_place[place]];
		GaHelpersArray *to = &helpers->arrays[place];

		memcpy(to->keys, array->keys, sizeof(to->keys));
		to->wanted = array->wanted;
		to->target = number_target(helpers, array);
		to->node = number_node(helpers, array->owner->counters);
		to->type = array->type;
		to->reduction = array->reduction;
		to->step = array->next;
		to->reason = array->reason;
		to->is_missed = array->is_missed;
		to->only_loads = array->only_loads;
		if (n_bytes >= PORTION_BYTES)
		{
			helpers->portions[helpers->n_portions++] = place;
			n_bytes = 0;
		}
		n_bytes += ga_helpers_cost(array);
	}
	helpers->portions[helpers->n_portions] = helpers->n_arrays;
	(void) number_node(helpers, ga_node_counters);
}

/* Return the bytes of the queue for n helpers, without what it refers to. */
static Size
queue_bytes(int n)
{
	return offsetof(GaHelpersQueue, ranges) +
		   (n + 1) * sizeof(pg_atomic_uint64);
}

static const char *
query_text(void)
{
	return debug_query_string == NULL ? "" : debug_query_string;
}

/* Estimate what is put into shared memory for n helpers. */
void
ga_helpers_estimate(const GaHelpers *helpers, int n)
{
	shm_toc_estimator *estimator = &helpers->context->estimator;

	shm_toc_estimate_chunk(estimator, queue_bytes(n));
	shm_toc_estimate_chunk(estimator,
						   helpers->n_arrays * sizeof(GaHelpersArray));
	shm_toc_estimate_chunk(estimator,
						   (helpers->n_portions + 1) * sizeof(uint32));
	shm_toc_estimate_chunk(estimator,
						   list_length(helpers->nodes) * sizeof(GaCounters));
	shm_toc_estimate_chunk(estimator, n * GA_HELPERS_ANSWER_BYTES);
	shm_toc_estimate_chunk(estimator, n * sizeof(BufferUsage));
	shm_toc_estimate_chunk(estimator, n * sizeof(WalUsage));
	shm_toc_estimate_chunk(estimator, strlen(query_text()) + 1);
	shm_toc_estimate_keys(estimator, 8);
}

/* Put n bytes into shared memory: a copy, or zeros. */
static void *
put(const GaHelpers *helpers, uint64 key, const void *from, Size n)
{
	shm_toc *toc = helpers->context->toc;
	void *chunk = shm_toc_allocate(toc, n);

	if (from != NULL)
		memcpy(chunk, from, n);
	else
		memset(chunk, 0, n);
	shm_toc_insert(toc, key, chunk);
	return chunk;
}

/* A range as one word, so that it changes as a whole. */
typedef union RangeWord
{
	GaHelpersRange range;
	uint64 word;
} RangeWord;

/* Give each process a range of the portions. */
static void
init_ranges(GaHelpersQueue *queue, uint32 n_ranges)
{
	uint32 i;

	queue->n_ranges = n_ranges;
	for (i = 0; i < n_ranges; i++)
	{
		const RangeWord own = {
			.range.next = (uint64) queue->n_portions * i / n_ranges,
			.range.end = (uint64) queue->n_portions * (i + 1) / n_ranges};

		pg_atomic_init_u64(&queue->ranges[i], own.word);
	}
}

/* Take a range's first portion; false if it has none. */
static bool
take_first(GaHelpersQueue *queue, uint32 i, uint32 *portion)
{
	RangeWord now = {.word = pg_atomic_read_u64(&queue->ranges[i])};
	RangeWord rest;

	do
	{
		rest = now;
		if (now.range.next >= now.range.end)
			return false;
		*portion = rest.range.next++;
	} while (!pg_atomic_compare_exchange_u64(&queue->ranges[i], &now.word,
											 rest.word));
	return true;
}

/* Return the range with the most portions; n_ranges if none has any. */
static uint32
longest_range(GaHelpersQueue *queue)
{
	uint32 longest = queue->n_ranges;
	uint32 most = 0;
	uint32 i;

	for (i = 0; i < queue->n_ranges; i++)
	{
		const RangeWord now = {.word = pg_atomic_read_u64(&queue->ranges[i])};
		const uint32 n = now.range.end - now.range.next;

		if (n > most)
		{
			longest = i;
			most = n;
		}
	}
	return longest;
}

/*
 * Make the second half of the longest range a process's own, which is empty.
 * False if there is none.  Meanwhile others do not see these portions, and may
 * find nothing to take.
 *
 * A range that was seen here, and has portions, never comes back after it has
 * changed: portions are taken once, the first one of a range before it is
 * empty.
 */
static bool
take_half(GaHelpersQueue *queue, uint32 own)
{
	uint32 i;

	while ((i = longest_range(queue)) < queue->n_ranges)
	{
		RangeWord now = {.word = pg_atomic_read_u64(&queue->ranges[i])};
		RangeWord first = now;
		RangeWord second = now;

		if (now.range.next >= now.range.end)
			continue;
		first.range.end -= (now.range.end - now.range.next + 1) / 2;
		second.range.next = first.range.end;
		if (!pg_atomic_compare_exchange_u64(&queue->ranges[i], &now.word,
											first.word))
			continue;
		pg_atomic_write_u64(&queue->ranges[own], second.word);
		return true;
	}
	return false;
}

/*
 * Take the next portion of a process's own range, which gets half of another
 * one if it has none left.  False if there is none at all.
 */
bool
ga_helpers_take(GaHelpersQueue *queue, uint32 own, uint32 *portion)
{
	do
	{
		if (take_first(queue, own, portion))
			return true;
	} while (take_half(queue, own));
	return false;
}

/* Make the queues of n helpers' answers. */
static void
put_answers(const GaHelpers *helpers, int n)
{
	char *queues =
		put(helpers, GA_HELPERS_ANSWERS, NULL, n * GA_HELPERS_ANSWER_BYTES);
	int i;

	for (i = 0; i < n; i++)
		shm_mq_set_receiver(shm_mq_create(queues + i * GA_HELPERS_ANSWER_BYTES,
										  GA_HELPERS_ANSWER_BYTES),
							MyProc);
}

/* Is there an array that is not for the CPU? */
static bool
needs_device(const GaHelpers *helpers)
{
	uint32 i;

	for (i = 0; i < helpers->n_arrays; i++)
	{
		if (helpers->arrays[i].step != STEP_COMPUTE)
			return true;
	}
	return false;
}

/* Fill in what the helpers share. */
void
ga_helpers_put(GaHelpers *helpers, int n)
{
	const char *text = query_text();
	GaHelpersQueue *queue =
		put(helpers, GA_HELPERS_QUEUE, NULL, queue_bytes(n));

	queue->n_portions = helpers->n_portions;
	init_ranges(queue, n + 1);
	queue->n_targets = hash_get_num_entries(helpers->by_state);
	queue->n_nodes = list_length(helpers->nodes);
	queue->waiting_node = number_node(helpers, ga_node_counters);
	queue->needs_device = needs_device(helpers);
	queue->execution_id = ga_execution_id();
	helpers->queue = queue;
	(void) put(helpers, GA_HELPERS_ARRAYS, helpers->arrays,
			   helpers->n_arrays * sizeof(GaHelpersArray));
	(void) put(helpers, GA_HELPERS_PORTIONS, helpers->portions,
			   (helpers->n_portions + 1) * sizeof(uint32));
	(void) put(helpers, GA_HELPERS_NODES, NULL,
			   queue->n_nodes * sizeof(GaCounters));
	put_answers(helpers, n);
	(void) put(helpers, GA_HELPERS_BUFFERS, NULL, n * sizeof(BufferUsage));
	(void) put(helpers, GA_HELPERS_WAL, NULL, n * sizeof(WalUsage));
	(void) put(helpers, GA_HELPERS_QUERY, text, strlen(text) + 1);
}
