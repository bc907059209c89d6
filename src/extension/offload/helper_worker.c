/*
 * helper_worker.c
 *		A helper of a query: a parallel worker that reads stored arrays.
 *
 * The server starts it for helpers.c, with the snapshot, the transaction and
 * the settings of the query's process.  It takes portions of arrays from the
 * queue until none is left.  What it does with an array is what any session
 * does: it asks gpuaggd, loads, sends, or has the CPU add.  Its states are its
 * own, one for each target; at the end they are sent to the query's process.
 *
 * An error ends it and is thrown in the query's process.  What fails of the
 * device is no error; the query's process gets to know, and warns.
 */
#include "postgres.h"

#include <sys/resource.h>

#include "access/parallel.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"

#include "extension/engine/execution.h"
#include "helpers_queue.h"
#include "offload.h"
#include "stored_list.h"

PGDLLEXPORT void ga_helper_main(dsm_segment *segment, shm_toc *toc);

/*
 * What is added to a helper's nice value.  A session that waits for a moment
 * then gets the processor back from it, where there are too few for all.
 */
#define HELPER_NICE 5

typedef struct Helper
{
	GaHelpersQueue *queue;
	const GaHelpersArray *arrays;
	const uint32 *portions;
	GaReason reason;   /* why not to use the device */
	GaOwner *owners;   /* of each node's arrays; at last of those without */
	GaCounters *nodes; /* of this helper */
	GaState *states;   /* of each target; nowhere without its arrays */
	uint64 n_arrays;   /* that it has read */
} Helper;

/* Find the queue, and make what this helper counts and adds to. */
static void
init(Helper *helper, shm_toc *toc)
{
	GaHelpersQueue *queue = shm_toc_lookup(toc, GA_HELPERS_QUEUE, false);
	uint32 i;

	helper->queue = queue;
	helper->arrays = shm_toc_lookup(toc, GA_HELPERS_ARRAYS, false);
	helper->portions = shm_toc_lookup(toc, GA_HELPERS_PORTIONS, false);
	helper->n_arrays = 0;
	helper->states = palloc0(queue->n_targets * sizeof(GaState));
	helper->nodes = palloc0((queue->n_nodes + 1) * sizeof(GaCounters));
	helper->owners = palloc0((queue->n_nodes + 1) * sizeof(GaOwner));
	for (i = 0; i < queue->n_nodes; i++)
		helper->owners[i].counters = &helper->nodes[i];
	if (queue->waiting_node >= 0)
		ga_node_counters = &helper->nodes[queue->waiting_node];
	ga_execution_join(queue->execution_id);
	helper->reason = queue->needs_device ? ga_offload_open() : GA_NO_REASON;
}

/* Return the state of a target, created if this is its first array here. */
static void *
find_state(Helper *helper, const GaHelpersArray *array)
{
	GaState *state = &helper->states[array->target];

	if (state->at == NULL)
		*state = ga_helpers_create_state(array->type, array->reduction);
	return state->at;
}

/* Defer an array of the queue: it is asked for, or the CPU reads it. */
static void
defer(Helper *helper, const GaHelpersArray *array)
{
	const uint32 node =
		array->node < 0 ? helper->queue->n_nodes : (uint32) array->node;
	const bool is_for_cpu =
		array->step == STEP_COMPUTE || helper->reason != GA_NO_REASON;
	const GaStored deferred = {
		.keys = {array->keys[0], array->keys[1]},
		.wanted = array->wanted,
		.type = array->type,
		.reduction = array->reduction,
		.owner = &helper->owners[node],
		.state = find_state(helper, array),
		.step = is_for_cpu ? STEP_COMPUTE : array->step,
		.reason = array->step == STEP_COMPUTE ? array->reason : helper->reason,
		.is_missed = array->is_missed,
		.only_loads = array->only_loads,
		.level = GetCurrentTransactionNestLevel(),
	};

	if (!array->only_loads || !is_for_cpu)
		ga_stored_defer(&deferred);
	helper->n_arrays++;
}

/* Read portions until there are none. */
static void
work(Helper *helper)
{
	uint32 portion;
	uint32 i;

	while (ga_helpers_take(helper->queue, ParallelWorkerNumber + 1, &portion))
	{
		for (i = helper->portions[portion]; i < helper->portions[portion + 1];
			 i++)
			defer(helper, &helper->arrays[i]);
		ga_stored_advance();
		CHECK_FOR_INTERRUPTS();
	}
	ga_offload_finish_all();
}

/* Send an answer.  The query's process may be gone, which ends this one. */
static void
send_answer(shm_mq_handle *answers, uint64 target, const void *data, Size n)
{
	GaHelperAnswer answer = {.target = target};
	shm_mq_iovec parts[2] = {{(const char *) &answer, sizeof(answer)},
							 {(const char *) data, n}};

	(void) shm_mq_sendv(answers, parts, 2, false, false);
}

/* Send the states, and the end. */
static void
send_answers(const Helper *helper, dsm_segment *segment, shm_toc *toc,
			 const GaFailure *failure)
{
	char *queues = shm_toc_lookup(toc, GA_HELPERS_ANSWERS, false);
	shm_mq *queue =
		(shm_mq *) (queues + ParallelWorkerNumber * GA_HELPERS_ANSWER_BYTES);
	const GaHelperEnd end = {.n_arrays = helper->n_arrays, .failure = *failure};
	shm_mq_handle *answers;
	uint32 i;

	shm_mq_set_sender(queue, MyProc);
	answers = shm_mq_attach(queue, segment, NULL);
	for (i = 0; i < helper->queue->n_targets; i++)
	{
		const GaState *state = &helper->states[i];

		if (state->at != NULL)
			send_answer(answers, i, state->at,
						ga_state_bytes(state->type, state->reduction));
	}
	send_answer(answers, GA_HELPER_ENDS, &end, sizeof(end));
	shm_mq_detach(answers);
}

/* Add what this helper counted to the nodes of the query. */
static void
count(const Helper *helper, shm_toc *toc)
{
	GaCounters *nodes = shm_toc_lookup(toc, GA_HELPERS_NODES, false);
	uint32 i;

	for (i = 0; i < helper->queue->n_nodes; i++)
		ga_counters_add(&nodes[i], &helper->nodes[i]);
	ga_node_counters = NULL;
}

/* The helper's start.  Throws whatever the reading throws. */
void
ga_helper_main(dsm_segment *segment, shm_toc *toc)
{
	BufferUsage *buffers = shm_toc_lookup(toc, GA_HELPERS_BUFFERS, false);
	WalUsage *wal = shm_toc_lookup(toc, GA_HELPERS_WAL, false);
	GaFailure failure = {.reason = GA_NO_REASON};
	Helper helper;

	(void) setpriority(PRIO_PROCESS, 0,
					   getpriority(PRIO_PROCESS, 0) + HELPER_NICE);
	debug_query_string = shm_toc_lookup(toc, GA_HELPERS_QUERY, false);
	pgstat_report_activity(STATE_RUNNING, debug_query_string);
	InstrStartParallelQuery();
	ga_session_hold_failure(&failure);
	init(&helper, toc);
	work(&helper);
	count(&helper, toc);
	InstrEndParallelQuery(&buffers[ParallelWorkerNumber],
						  &wal[ParallelWorkerNumber]);
	send_answers(&helper, segment, toc, &failure);
}
