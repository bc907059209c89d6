/*
 * node_counters.c
 *		The counters of aggregate nodes, for EXPLAIN (GPUAGG).
 *
 * Owns the counters that nodes of this process have, each in the memory of its
 * query, and in a session whose query has parallel workers a segment of shared
 * memory with the counters of all its aggregate nodes.  The session leaves the
 * segment's handle for its workers (server_counters.c); a worker adds there
 * what its nodes counted when its query ends, which is before the session
 * prints the plan.  The segment ends with the query, well or not.
 *
 * Nothing is counted until a session, or auto_explain, asks for it; then until
 * the end of its transaction, by all nodes that EXPLAIN measures.
 */
#include "postgres.h"

#include "extension/pg_compat.h"

#if GA_HAS_EXPLAIN_OPTIONS

#include "access/parallel.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "storage/dsm.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "node_counters.h"
#include "server_counters.h"

/* The counters of a node in this process. */
typedef struct CountedNode
{
	GaCounters counters;
	const PlanState *plan;
	int id; /* the same in workers */
	struct CountedNode *next;
	MemoryContextCallback callback;
} CountedNode;

/* The counters of a query's nodes in its workers. */
typedef struct SharedNode
{
	int id;
	GaCounters counters;
} SharedNode;

typedef struct SharedNodes
{
	int n;
	SharedNode nodes[FLEXIBLE_ARRAY_MEMBER];
} SharedNodes;

static CountedNode *counted = NULL; /* the last one used is the first */
static bool is_wanted = false;

/* Of the query that is measured, in the session and in its workers. */
static dsm_segment *segment = NULL;
static const QueryDesc *segment_query;

static ExecutorStart_hook_type next_start;
static ExecutorEnd_hook_type next_end;

/* Return the counters of a node in workers; NULL if there are none. */
static GaCounters *
find_shared(int id)
{
	SharedNodes *shared = segment == NULL ? NULL : dsm_segment_address(segment);
	int i;

	for (i = 0; shared != NULL && i < shared->n; i++)
	{
		if (shared->nodes[i].id == id)
			return &shared->nodes[i].counters;
	}
	return NULL;
}

/* A node ends with its query; a worker's counters come to its session. */
static void
end_node(void *argument)
{
	CountedNode *node = argument;
	CountedNode **link = &counted;
	GaCounters *in_workers = IsParallelWorker() ? find_shared(node->id) : NULL;

	while (*link != node)
		link = &(*link)->next;
	*link = node->next;
	if (ga_node_counters == &node->counters)
		ga_node_counters = NULL;
	if (in_workers != NULL)
		ga_counters_add(in_workers, &node->counters);
}

/* Move a node to the head of the list, where the link to it is known. */
static CountedNode *
move_to_head(CountedNode **link)
{
	CountedNode *node = *link;

	*link = node->next;
	node->next = counted;
	counted = node;
	return node;
}

static CountedNode *
create(PlanState *plan)
{
	MemoryContext context = plan->state->es_query_cxt;
	CountedNode *node = MemoryContextAllocZero(context, sizeof(CountedNode));

	node->plan = plan;
	node->id = plan->plan->plan_node_id;
	node->callback.func = end_node;
	node->callback.arg = node;
	MemoryContextRegisterResetCallback(context, &node->callback);
	node->next = counted;
	counted = node;
	return node;
}

/* Attach the segment that the session of this worker made, if it did. */
static void
attach(void)
{
	static bool has_tried = false;
	const dsm_handle handle = has_tried ? 0 : ga_server_left();

	has_tried = true;
	if (handle == 0)
		return;
	segment = dsm_attach(handle);
	if (segment != NULL)
		dsm_pin_mapping(segment);
}

/* Return the counters of a node that EXPLAIN measures; NULL: nobody asked. */
GaCounters *
ga_nodes_find(PlanState *plan)
{
	CountedNode **link;

	if (IsParallelWorker() && segment == NULL)
		attach();
	if (IsParallelWorker() ? segment == NULL : !is_wanted)
		return NULL;
	for (link = &counted; *link != NULL; link = &(*link)->next)
	{
		if ((*link)->plan == plan)
			return &move_to_head(link)->counters;
	}
	return &create(plan)->counters;
}

/*
 * Get the counters of a node, with those of its workers.  False if it has none.
 */
bool
ga_nodes_read(const PlanState *plan, GaCounters *counters)
{
	const GaCounters *in_workers = find_shared(plan->plan->plan_node_id);
	const CountedNode *node = counted;

	memset(counters, 0, sizeof(*counters));
	while (node != NULL && node->plan != plan)
		node = node->next;
	if (node != NULL)
		ga_counters_add(counters, &node->counters);
	if (in_workers != NULL)
		ga_counters_add(counters, in_workers);
	return node != NULL || in_workers != NULL;
}

/* Add a plan's aggregate nodes to a list. */
static bool
list_nodes(PlanState *plan, void *list)
{
	if (IsA(plan, AggState) || IsA(plan, WindowAggState))
		*(List **) list =
			lappend_int(*(List **) list, plan->plan->plan_node_id);
	return planstate_tree_walker(plan, list_nodes, list);
}

/* The segment ends: with its query, or earlier by an error. */
static void
end_segment(dsm_segment *ended, Datum argument)
{
	segment = NULL;
	segment_query = NULL;
	(void) ga_server_leave(0);
}

/*
 * Make the segment of a query.  Without memory for it, or without the file that
 * brings it to workers, only the session counts.
 */
static void
begin_segment(const QueryDesc *query)
{
	List *ids = NIL;
	dsm_segment *created;
	SharedNodes *shared;
	ListCell *cell;

	(void) list_nodes(query->planstate, &ids);
	created = dsm_create(offsetof(SharedNodes, nodes) +
							 list_length(ids) * sizeof(SharedNode),
						 DSM_CREATE_NULL_IF_MAXSEGMENTS);
	if (created == NULL)
		return;
	shared = dsm_segment_address(created);
	shared->n = 0;
	foreach (cell, ids)
	{
		SharedNode *node = &shared->nodes[shared->n++];

		memset(node, 0, sizeof(*node));
		node->id = lfirst_int(cell);
	}
	if (!ga_server_leave(dsm_segment_handle(created)))
	{
		dsm_detach(created);
		return;
	}
	on_dsm_detach(created, end_segment, (Datum) 0);
	segment = created;
	segment_query = query;
}

/*
 * Will auto_explain print figures?  It says so only when the query has ended,
 * so look at its setting, which it has from 19 on.
 */
static bool
is_logged(const QueryDesc *query)
{
	const char *options;

	if (query->instrument_options == 0)
		return false;
	options =
		GetConfigOption("auto_explain.log_extension_options", true, false);
	return options != NULL && strcasestr(options, "gpuagg") != NULL;
}

static void
start(QueryDesc *query, int flags)
{
	if (next_start != NULL)
		next_start(query, flags);
	else
		standard_ExecutorStart(query, flags);
	if (is_logged(query))
		ga_nodes_want();
	if (is_wanted && segment == NULL && query->instrument_options != 0 &&
		query->plannedstmt->parallelModeNeeded && !IsParallelWorker())
		begin_segment(query);
}

static void
end(QueryDesc *query)
{
	const bool has_segment = segment != NULL && segment_query == query;

	/* there may be auto_explain, which reads figures */
	if (next_end != NULL)
		next_end(query);
	else
		standard_ExecutorEnd(query);
	if (has_segment)
		dsm_detach(segment);
}

/* At the end of a transaction nobody wants figures any more. */
static void
end_transaction(XactEvent event, void *argument)
{
	switch (event)
	{
		case XACT_EVENT_ABORT:
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_PREPARE:
			is_wanted = false;
			break;
		default:
			break;
	}
}

/* Count by nodes, for EXPLAIN, until the end of the transaction. */
void
ga_nodes_want(void)
{
	static bool is_registered = false;

	if (!is_registered)
		RegisterXactCallback(end_transaction, NULL);
	is_registered = true;
	is_wanted = true;
}

/* Have the start and end of queries seen, which makes and ends segments. */
void
ga_nodes_init(void)
{
	next_start = ExecutorStart_hook;
	ExecutorStart_hook = start;
	next_end = ExecutorEnd_hook;
	ExecutorEnd_hook = end;
}

#endif /* GA_HAS_EXPLAIN_OPTIONS */
