/*
 * node_counters.h
 *		The counters of aggregate nodes, for EXPLAIN (GPUAGG).
 */
#ifndef GA_NODE_COUNTERS_H
#define GA_NODE_COUNTERS_H

#include "fmgr.h"
#include "nodes/execnodes.h"

#include "extension/pg_compat.h"
#include "session_counters.h"

#if GA_HAS_EXPLAIN_OPTIONS

extern void ga_nodes_init(void);
extern void ga_nodes_want(void);
extern bool ga_nodes_read(const PlanState *plan, GaCounters *counters);
extern GaCounters *ga_nodes_find(PlanState *plan);

/*
 * Have what follows counted for the node that calls a function, if it is an
 * aggregate that EXPLAIN measures; or for none.
 */
static inline void
ga_node_enter(FunctionCallInfo fcinfo)
{
	Node *node = fcinfo->context;

	ga_node_counters = NULL;
	if (node != NULL && (IsA(node, AggState) || IsA(node, WindowAggState)) &&
		unlikely(((PlanState *) node)->instrument != NULL))
		ga_node_counters = ga_nodes_find((PlanState *) node);
}

#else

/* There is no EXPLAIN (GPUAGG), and no node has counters. */
static inline void
ga_node_enter(FunctionCallInfo fcinfo)
{
}

#endif

#endif /* GA_NODE_COUNTERS_H */
