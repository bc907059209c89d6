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
 * helpers have ended well their states are added, and the arrays are done;
 * after an error nothing was added, but what this process has read itself.
 *
 * helpers_choice.c says which arrays are read so, and helpers_queue.c lays out
 * what is shared.
 */
#include "postgres.h"

#include <dlfcn.h>

#include "access/parallel.h"
#include "access/xlog.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "client.h"
#include "helpers.h"
#include "helpers_queue.h"
#include "stored_list.h"

/* May parallel workers be started now? */
static bool
may_start(void)
{
	return ga_helpers_are_allowed() && ActiveSnapshotSet() &&
		   INTERRUPTS_CAN_BE_PROCESSED();
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
start(GaHelpers *helpers, int n)
{
	helpers->context =
		CreateParallelContext(module_path(), "ga_helper_main", n);
	ga_helpers_estimate(helpers, n);
	InitializeParallelDSM(helpers->context);
	ga_helpers_put(helpers, n);
	LaunchParallelWorkers(helpers->context);
}

/* Read portions of the queue, too, until there are none, and finish them. */
static void
work(GaHelpers *helpers)
{
	uint32 portion;

	while (ga_helpers_take(helpers->queue, 0, &portion))
	{
		const uint32 from = helpers->portions[portion];
		const uint32 to = helpers->portions[portion + 1];

		ga_helpers_take_back(from, to);
		helpers->n_own += to - from;
		ga_stored_advance();
		CHECK_FOR_INTERRUPTS();
	}
	ga_stored_finish_own(NULL);
}

/* Add an answer of a helper to the total of its target.  True if it ends. */
static bool
take_answer(GaHelpers *helpers, const char *data)
{
	const GaHelperAnswer *answer = (const GaHelperAnswer *) data;
	const void *body = data + sizeof(GaHelperAnswer);
	GaTarget *target;

	if (answer->target == GA_HELPER_ENDS)
	{
		const GaHelperEnd *end = body;

		helpers->n_answered += end->n_arrays;
		ga_session_report_failure(end->failure.reason, end->failure.detail);
		return true;
	}
	target = helpers->targets[answer->target];
	if (target->total.at == NULL)
		target->total = ga_helpers_create_state(target->state.type,
												target->state.reduction);
	ga_state_merge(target->total, body);
	return false;
}

/* Receive the answers of helper i, until it ends. */
static void
receive(GaHelpers *helpers, int i)
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
wait_for_all(GaHelpers *helpers)
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

/* Can gpuaggd learn the order of n arrays by few requests, and is it of use? */
static bool
may_name_in_order(uint32 n)
{
	/* on a standby nothing is made ahead */
	if (!ga_client_is_open || RecoveryInProgress())
		return false;
	ga_slots_reserve_lookups(n);
	return ga_client_is_open &&
		   (n <= ga_client_memory.shape.n_arrays ||
			ga_client_memory.shape.n_arrays == GA_SLOT_ARRAYS);
}

/*
 * Name the arrays that were loaded in the order of the query; each process has
 * loaded some, in the order in which they are stored.  So gpuaggd knows which
 * one a function of one array in each row comes to next.  An element of each is
 * asked for, before the query goes on.  May throw.
 */
static void
name_in_order(const GaHelpers *helpers)
{
	uint32 i;

	if (!may_name_in_order(helpers->n_arrays))
		return;
	for (i = 0; i < helpers->n_arrays && ga_client_is_open; i++)
	{
		const GaHelpersArray *array = &helpers->arrays[helpers->in_order[i]];
		const GaStored named = {
			.keys = {array->keys[0]},
			.wanted.elements = {0, 1},
			.type = array->type,
			.reduction = array->reduction,
			.only_loads = true,
			.is_missed = true,
			.level = GetCurrentTransactionNestLevel(),
		};

		/* a streamed array is not resident */
		if (array->step != STEP_COMPUTE && array->step != STEP_STREAM &&
			!ga_reduction_has_pairs((GaReduction) array->reduction))
			ga_stored_ask(&named, &ga_stored_again_kind);
	}
	ga_stored_send_lookups();
}

/*
 * Add what helpers have read to the states; the arrays are done.  Never throws.
 */
static void
merge(GaHelpers *helpers)
{
	const uint32 n = hash_get_num_entries(helpers->by_state);
	uint32 i;

	for (i = 0; i < n; i++)
	{
		const GaTarget *target = helpers->targets[i];

		if (target->total.at != NULL)
			ga_state_merge(target->state, target->total.at);
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
read_shared(GaHelpers *helpers, int n)
{
	EnterParallelMode();
	start(helpers, n);
	ga_session_count_helpers(helpers->context->nworkers_launched);
	ereport(DEBUG1, (errmsg_internal("gpuagg: %d of %d helpers started to read "
									 "%u arrays",
									 helpers->context->nworkers_launched, n,
									 helpers->n_arrays)));
	work(helpers);
	wait_for_all(helpers);
	name_in_order(helpers);
	merge(helpers);
	DestroyParallelContext(helpers->context);
	ExitParallelMode();
}

/*
 * Read with up to n helpers, in memory that is freed at the end.  Not inlined:
 * its variables would be taken for those of PG_TRY.
 */
static pg_noinline void
read_in_context(int n)
{
	MemoryContext own = AllocSetContextCreate(
		CurrentMemoryContext, "gpuagg helpers", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(own);
	GaHelpers helpers = {0};

	/* nobody is to wait for loads that others will do */
	ga_stored_cancel_loads();
	ga_helpers_share(&helpers);
	ga_helpers_describe(&helpers);
	read_shared(&helpers, n);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(own);
}

/*
 * Have the deferred arrays read by this process and helpers, if they are enough
 * for that.  Returns false if not, and everything is left to the caller.  May
 * throw; then what was not read is still deferred.
 */
bool
ga_helpers_read(void)
{
	const int n = may_start() ? ga_helpers_n_worth() : 0;

	if (n == 0)
		return false;
	PG_TRY();
	{
		read_in_context(n);
	}
	PG_CATCH();
	{
		ga_helpers_take_back(0, PG_UINT32_MAX);
		ga_stored_cancel_loads();
		PG_RE_THROW();
	}
	PG_END_TRY();
	return true;
}
