/*
 * helpers.c
 *		A query's helpers: parallel workers that read its stored arrays.
 *
 * One process reads some gigabytes a second.  So what a query has noted is read
 * by several: this one, and parallel workers that are started for it in the
 * middle of the query (access/parallel.h), each taking portions of the arrays
 * from a queue.  Each asks gpuaggd, loads and falls back to the CPU as any
 * session.  How many there may be is up to the server's settings for parallel
 * queries.  Where there are none, this process reads everything.
 *
 * Arrays that are in the queue stay in the session's list.  Only when all
 * helpers have ended well their sums are added, and the arrays are done; after
 * an error nothing was added, but what this process has read itself.
 *
 * Not here: whatever a parallel worker may not read, and what is too little to
 * start processes for.
 */
#include "postgres.h"

#include <dlfcn.h>

#include "access/parallel.h"
#include "catalog/pg_class.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "tcop/tcopprot.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "extension/engine/cpu_sums.h"
#include "extension/engine/execution.h"
#include "extension/pg_compat.h"
#include "helpers.h"
#include "helpers_queue.h"
#include "stored_key.h"
#include "stored_list.h"

/*
 * What is worth a first helper, and each further one: to start and end one
 * takes about as long as to read 20 MB.
 */
#define MIN_BYTES		 (UINT64_C(64) << 20)
#define BYTES_PER_HELPER (UINT64_C(32) << 20)

/* Bytes that a process takes from the queue at a time, at least one array. */
#define PORTION_BYTES (4 << 20)

/* How much longer a compressed array takes than one that is not. */
#define COMPRESSED_FACTOR 4

/* The sum of some arrays, by its address. */
typedef struct Target
{
	void *sum; /* the key */
	uint32 number;
	GaElementType type;
	void *total; /* of what helpers have read; or NULL */
} Target;

/* The arrays of a queue, before and while there is one. */
typedef struct Helpers
{
	uint32 n_arrays;
	uint64 n_bytes;
	uint32 n_portions;
	uint32 n_own;	   /* arrays that this process took */
	uint32 n_answered; /* arrays that helpers have read */
	HTAB *by_sum;	   /* Target */
	Target **targets;  /* by number */
	List *nodes;	   /* GaCounters of aggregate nodes */
	ParallelContext *context;
	GaHelpersQueue *queue;
	GaHelpersArray *arrays;
	uint32 *portions;
} Helpers;

static bool is_reading = false;

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

/* May parallel workers be started now? */
static bool
may_start(void)
{
	return !is_reading && ga_helpers_are_allowed() && ActiveSnapshotSet() &&
		   INTERRUPTS_CAN_BE_PROCESSED();
}

/* Is a deferred array one that a helper could read, but for its relation? */
static bool
is_readable(const GaStored *array)
{
	return array->sum != NULL && !array->only_loads && array->n_done == 0 &&
		   ga_stored_may_read(array) &&
		   (array->step == STEP_LOAD || array->step == STEP_RETRY ||
			array->step == STEP_STREAM || array->step == STEP_COMPUTE);
}

/* Return what it takes to read an array, in bytes of one not compressed. */
static uint64
cost(const GaStored *array)
{
	const struct varatt_external pointer = ga_stored_pointer(&array->key);

	return (uint64) array->key.raw_bytes *
		   (VARATT_EXTERNAL_IS_COMPRESSED(pointer) ? COMPRESSED_FACTOR : 1);
}

/* Is a TOAST relation temporary?  Parallel workers may not read it then. */
static bool
is_temporary(Oid relation)
{
	return get_rel_persistence(relation) == RELPERSISTENCE_TEMP;
}

/* Sum up what all readable arrays cost. */
static uint64
total_cost(void)
{
	uint64 total = 0;
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		if (is_readable(&ga_stored_list.arrays[i]))
			total += cost(&ga_stored_list.arrays[i]);
	}
	return total;
}

/* Mark the arrays that helpers can read as shared, numbering them. */
static void
choose(Helpers *helpers)
{
	Oid relation = InvalidOid;
	bool is_good = false;
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		GaStored *array = &ga_stored_list.arrays[i];

		if (!is_readable(array))
			continue;
		if (array->key.relation != relation)
			is_good = !is_temporary(array->key.relation);
		relation = array->key.relation;
		if (!is_good)
			continue;
		if (array->step != STEP_COMPUTE)
			array->reason = GA_NO_REASON;
		array->step = STEP_SHARED;
		array->place = helpers->n_arrays++;
		helpers->n_bytes += cost(array);
	}
}

/*
 * Take the shared arrays from one place on out of the queue, up to another:
 * they are this process's to read, by a step that is not taken yet.
 */
static void
take_back(uint32 from, uint32 to)
{
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		GaStored *array = &ga_stored_list.arrays[i];

		if (array->step != STEP_SHARED || array->place < from ||
			array->place >= to)
			continue;
		array->step = array->reason == GA_NO_REASON ? STEP_RETRY : STEP_COMPUTE;
		ga_stored_list.n_ready++;
	}
}

/* Return how many helpers the chosen arrays are worth. */
static int
n_wanted(const Helpers *helpers)
{
	const uint64 allowed = max_parallel_workers_per_gather;
	const uint64 worth = helpers->n_bytes / BYTES_PER_HELPER;

	if (helpers->n_bytes < MIN_BYTES || helpers->n_arrays < 2)
		return 0;
	return (int) Min(Min(worth, allowed), helpers->n_arrays - 1);
}

/* Return the number of an array's target, which is known from now on. */
static uint32
number_target(Helpers *helpers, const GaStored *array)
{
	bool is_found;
	Target *target =
		hash_search(helpers->by_sum, &array->sum, HASH_ENTER, &is_found);

	if (!is_found)
	{
		target->number = hash_get_num_entries(helpers->by_sum) - 1;
		target->type = array->type;
		target->total = NULL;
		helpers->targets[target->number] = target;
	}
	return target->number;
}

/* Return the number of a node's counters, or -1 if nobody counts. */
static int
number_node(Helpers *helpers, GaCounters *counters)
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
static void
describe(Helpers *helpers)
{
	const HASHCTL sizes = {.keysize = sizeof(void *),
						   .entrysize = sizeof(Target),
						   .hcxt = CurrentMemoryContext};
	uint64 n_bytes = PORTION_BYTES;
	uint32 i;

	helpers->by_sum = hash_create("gpuagg targets", 256, &sizes,
								  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	helpers->targets = palloc(helpers->n_arrays * sizeof(Target *));
	helpers->arrays = palloc0(helpers->n_arrays * sizeof(GaHelpersArray));
	helpers->portions = palloc((helpers->n_arrays + 1) * sizeof(uint32));
	for (i = 0; i < ga_stored_list.n; i++)
	{
		const GaStored *array = &ga_stored_list.arrays[i];
		GaHelpersArray *to = &helpers->arrays[array->place];

		if (array->step != STEP_SHARED)
			continue;
		to->key = array->key;
		to->target = number_target(helpers, array);
		to->node = number_node(helpers, array->owner->counters);
		to->type = array->type;
		to->reason = array->reason;
		to->is_missed = array->is_missed;
		if (n_bytes >= PORTION_BYTES)
		{
			helpers->portions[helpers->n_portions++] = array->place;
			n_bytes = 0;
		}
		n_bytes += cost(array);
	}
	helpers->portions[helpers->n_portions] = helpers->n_arrays;
	(void) number_node(helpers, ga_node_counters);
}

static const char *
query_text(void)
{
	return debug_query_string == NULL ? "" : debug_query_string;
}

/* Estimate what is put into shared memory for n helpers. */
static void
estimate(const Helpers *helpers, int n)
{
	shm_toc_estimator *estimator = &helpers->context->estimator;

	shm_toc_estimate_chunk(estimator, sizeof(GaHelpersQueue));
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
put(const Helpers *helpers, uint64 key, const void *from, Size n)
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

/* Make the queues of n helpers' answers. */
static void
put_answers(const Helpers *helpers, int n)
{
	char *queues =
		put(helpers, GA_HELPERS_ANSWERS, NULL, n * GA_HELPERS_ANSWER_BYTES);
	int i;

	for (i = 0; i < n; i++)
		shm_mq_set_receiver(shm_mq_create(queues + i * GA_HELPERS_ANSWER_BYTES,
										  GA_HELPERS_ANSWER_BYTES),
							MyProc);
}

/* Return whether any array is to be asked for. */
static bool
asks_device(const Helpers *helpers)
{
	uint32 i;

	for (i = 0; i < helpers->n_arrays; i++)
	{
		if (helpers->arrays[i].reason == GA_NO_REASON)
			return true;
	}
	return false;
}

/* Fill in what the helpers share. */
static void
put_all(Helpers *helpers, int n)
{
	const char *text = query_text();
	GaHelpersQueue *queue =
		put(helpers, GA_HELPERS_QUEUE, NULL, sizeof(GaHelpersQueue));

	pg_atomic_init_u32(&queue->next, 0);
	queue->n_portions = helpers->n_portions;
	queue->n_targets = hash_get_num_entries(helpers->by_sum);
	queue->n_nodes = list_length(helpers->nodes);
	queue->waiting_node = number_node(helpers, ga_node_counters);
	queue->asks_device = asks_device(helpers);
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

/* Return the path of this module, of which a helper is to have no other one. */
static const char *
module_path(void)
{
	Dl_info module;

	if (dladdr((void *) module_path, &module) != 0 &&
		module.dli_fname != NULL && is_absolute_path(module.dli_fname))
		return module.dli_fname;
	return "gpuagg";
}

/* Start up to n helpers. */
static void
start(Helpers *helpers, int n)
{
	helpers->context =
		CreateParallelContext(module_path(), "ga_helper_main", n);
	estimate(helpers, n);
	InitializeParallelDSM(helpers->context);
	put_all(helpers, n);
	LaunchParallelWorkers(helpers->context);
}

/* Read portions of the queue, too, until there are none, and finish them. */
static void
work(Helpers *helpers)
{
	uint32 portion;

	while (ga_helpers_take(helpers->queue, &portion))
	{
		const uint32 from = helpers->portions[portion];
		const uint32 to = helpers->portions[portion + 1];

		take_back(from, to);
		helpers->n_own += to - from;
		ga_stored_advance();
		CHECK_FOR_INTERRUPTS();
	}
	ga_stored_finish_own();
}

/* Add an answer of a helper to the total of its target.  True if it ends. */
static bool
take_answer(Helpers *helpers, const char *data)
{
	const GaHelperAnswer *answer = (const GaHelperAnswer *) data;
	const void *body = data + sizeof(GaHelperAnswer);
	Target *target;

	if (answer->target == GA_HELPER_ENDS)
	{
		const GaHelperEnd *end = body;

		helpers->n_answered += end->n_arrays;
		ga_session_report_failure(end->failure.reason, end->failure.detail);
		return true;
	}
	target = helpers->targets[answer->target];
	if (target->total == NULL)
		target->total = ga_helpers_sum_create(target->type);
	ga_cpu_merge(target->total, target->type, body);
	return false;
}

/* Receive the answers of helper i, until it ends. */
static void
receive(Helpers *helpers, int i)
{
	char *queues =
		shm_toc_lookup(helpers->context->toc, GA_HELPERS_ANSWERS, false);
	shm_mq_handle *answers = shm_mq_attach(
		(shm_mq *) (queues + i * GA_HELPERS_ANSWER_BYTES),
		helpers->context->seg, helpers->context->worker[i].bgwhandle);
	Size n;
	void *data;

	while (shm_mq_receive(answers, &n, &data, false) == SHM_MQ_SUCCESS &&
		   !take_answer(helpers, data))
		;
	shm_mq_detach(answers);
}

/*
 * Have the server not miss a helper that it could not start, which would be an
 * error: such a helper has taken nothing.
 */
static void
forgive_unstarted(ParallelContext *context, int i)
{
	ParallelWorkerInfo *worker = &context->worker[i];
	pid_t pid;

	if (worker->error_mqh == NULL || worker->bgwhandle == NULL ||
		GetBackgroundWorkerPid(worker->bgwhandle, &pid) != BGWH_STOPPED ||
		shm_mq_get_sender(shm_mq_get_queue(worker->error_mqh)) != NULL)
		return;
	shm_mq_detach(worker->error_mqh);
	worker->error_mqh = NULL;
}

/* Wait for all helpers, and take what they counted. */
static void
wait_for_all(Helpers *helpers)
{
	ParallelContext *context = helpers->context;
	BufferUsage *buffers =
		shm_toc_lookup(context->toc, GA_HELPERS_BUFFERS, false);
	WalUsage *wal = shm_toc_lookup(context->toc, GA_HELPERS_WAL, false);
	GaCounters *nodes = shm_toc_lookup(context->toc, GA_HELPERS_NODES, false);
	ListCell *cell;
	int i;

	for (i = 0; i < context->nworkers_launched; i++)
	{
		receive(helpers, i);
		forgive_unstarted(context, i);
	}
	WaitForParallelWorkersToFinish(context);
	for (i = 0; i < context->nworkers_launched; i++)
		InstrAccumParallelQuery(&buffers[i], &wal[i]);
	foreach (cell, helpers->nodes)
		ga_counters_add(lfirst(cell), nodes++);
	if (helpers->n_own + helpers->n_answered != helpers->n_arrays)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("a parallel worker ended without the sums of what it "
						"had read")));
}

/* Add what helpers have read to the sums; the arrays are done.  Never throws. */
static void
merge(Helpers *helpers)
{
	const uint32 n = hash_get_num_entries(helpers->by_sum);
	uint32 i;

	for (i = 0; i < n; i++)
	{
		const Target *target = helpers->targets[i];

		if (target->total != NULL)
			ga_cpu_merge(target->sum, target->type, target->total);
	}
	for (i = 0; i < ga_stored_list.n; i++)
	{
		if (ga_stored_list.arrays[i].step == STEP_SHARED)
			ga_stored_set_done(&ga_stored_list.arrays[i]);
	}
	ga_stored_tidy();
}

/* Have the shared arrays read by up to n helpers and this process. */
static void
read_shared(Helpers *helpers, int n)
{
	EnterParallelMode();
	start(helpers, n);
	ereport(DEBUG1, (errmsg_internal("gpuagg: %d of %d helpers started to read "
									 "%u arrays",
									 helpers->context->nworkers_launched, n,
									 helpers->n_arrays)));
	work(helpers);
	wait_for_all(helpers);
	merge(helpers);
	DestroyParallelContext(helpers->context);
	ExitParallelMode();
}

/* Read with helpers, in memory that is freed at the end. */
static bool
read_in_context(void)
{
	MemoryContext own = AllocSetContextCreate(
		CurrentMemoryContext, "gpuagg helpers", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(own);
	Helpers helpers = {0};
	int n;

	/* nobody is to wait for loads that others will do */
	ga_stored_cancel_loads();
	ga_stored_list.n_ready = 0;
	choose(&helpers);
	n = n_wanted(&helpers);
	if (n > 0)
	{
		describe(&helpers);
		read_shared(&helpers, n);
	}
	else
		take_back(0, helpers.n_arrays);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(own);
	return n > 0;
}

/*
 * Have the deferred arrays read by this process and helpers, if they are enough
 * for that.  Returns false if not, and everything is left to the caller.  May
 * throw; then what was not read is still deferred.
 */
bool
ga_helpers_read(void)
{
	volatile bool is_done = false;

	if (ga_stored_list.n < 2 || !may_start() || total_cost() < MIN_BYTES)
		return false;
	is_reading = true;
	PG_TRY();
	{
		is_done = read_in_context();
	}
	PG_CATCH();
	{
		is_reading = false;
		take_back(0, PG_UINT32_MAX);
		ga_stored_cancel_loads();
		PG_RE_THROW();
	}
	PG_END_TRY();
	is_reading = false;
	return is_done;
}
