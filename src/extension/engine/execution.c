/*
 * execution.c
 *		The execution of a query that is running, by a number.
 *
 * Resident arrays are evicted for those of another execution only.  A client's
 * statement may have many executions, one after the other or within each other:
 * a DO block, a procedure with COMMITs, a function with queries.  Each gets a
 * number of its own that no other session has, and a cursor keeps its number
 * from one FETCH to the next.  Parallel workers have their leader's number: a
 * hidden setting brings it to them with the others.
 *
 * Owns the hook of ExecutorRun, which calls the one that was there before, and
 * the numbers of the executions that asked for one, each in the memory of its
 * execution.
 */
#include "postgres.h"
#include "access/parallel.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "execution.h"
#include "extension/pg_compat.h"
#include "extension/settings.h"

/* The number of an execution; it ends with the execution's memory. */
typedef struct Execution
{
	const EState *state;
	uint64 id;
	struct Execution *next;
	MemoryContextCallback callback;
} Execution;

static Execution *executions = NULL;
static QueryDesc *running = NULL; /* the innermost one */
static uint64 joined = 0;		  /* of a helper's query */
static ExecutorRun_hook_type next_hook = NULL;

/* Return a number that no other execution of the server has. */
static uint64
next_id(void)
{
	static uint32 n = 0;

	/* another process may have had this process id before */
	if (n == 0)
		n = (uint32) MyStartTimestamp;
	n++;
	return ((uint64) MyProcPid << GA_EXECUTION_COUNT_BITS |
			(n & ((1U << GA_EXECUTION_COUNT_BITS) - 1)));
}

static void
end_execution(void *argument)
{
	Execution **link = &executions;

	while (*link != argument)
		link = &(*link)->next;
	*link = (*link)->next;
}

static Execution *
find(const EState *state)
{
	Execution *execution = executions;

	while (execution != NULL && execution->state != state)
		execution = execution->next;
	return execution;
}

/* Keep an execution's number as long as its memory, and return it. */
static uint64
keep(EState *state, uint64 id)
{
	Execution *execution =
		MemoryContextAlloc(state->es_query_cxt, sizeof(*execution));

	execution->state = state;
	execution->id = id;
	execution->next = executions;
	execution->callback.func = end_execution;
	execution->callback.arg = execution;
	MemoryContextRegisterResetCallback(state->es_query_cxt,
									   &execution->callback);
	executions = execution;
	return id;
}

/* Return the number of an execution, a new one at the first call. */
static uint64
id_of(EState *state)
{
	const Execution *execution = find(state);

	return execution != NULL ? execution->id : keep(state, next_id());
}

/* Return the number of a client's statement that is no query. */
static uint64
statement_id(void)
{
	static TimestampTz last_start = 0;
	static uint64 last_id;

	if (GetCurrentStatementStartTimestamp() != last_start)
		last_id = next_id();
	last_start = GetCurrentStatementStartTimestamp();
	return last_id;
}

/* Have what this process does without an execution be part of another's. */
void
ga_execution_join(uint64 id)
{
	joined = id;
}

/*
 * Return the number of the innermost execution; without one, that of the
 * client's statement, or the one that this process has joined.
 */
uint64
ga_execution_id(void)
{
	if (joined != 0)
		return joined;
	return running != NULL ? id_of(running->estate) : statement_id();
}

/* Return the plan of the innermost execution; NULL without one. */
PlanState *
ga_execution_plan(void)
{
	return running != NULL ? running->planstate : NULL;
}

/* Have a worker's first execution share the number of the leader's. */
static void
join_leader(EState *state)
{
	static bool has_joined = false;

	if (!has_joined && ga_execution != 0)
		(void) keep(state, (uint64) ga_execution);
	has_joined = true;
}

/* Run a query; if it may have parallel workers, they get to know its number. */
static void
run(QueryDesc *query, GA_EXECUTOR_RUN_ARGS)
{
	QueryDesc *const outer = running;
	const double of_outer = ga_execution;

	running = query;
	PG_TRY();
	{
		if (IsParallelWorker())
			join_leader(query->estate);
		else if (query->plannedstmt->parallelModeNeeded)
			ga_settings_share_execution(id_of(query->estate));
		if (next_hook != NULL)
			next_hook(query, GA_EXECUTOR_RUN_PASSED);
		else
			standard_ExecutorRun(query, GA_EXECUTOR_RUN_PASSED);
	}
	PG_FINALLY();
	{
		running = outer;
		ga_execution = of_outer;
	}
	PG_END_TRY();
}

/* Begin to number executions, when the module is loaded. */
void
ga_execution_init(void)
{
	next_hook = ExecutorRun_hook;
	ExecutorRun_hook = run;
}
