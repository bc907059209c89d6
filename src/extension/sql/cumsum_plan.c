/*
 * cumsum_plan.c
 *		What the planner asks about gpu_cumsum(array), totals as rows.
 *
 * It estimates as many rows as the array has elements, as for unnest.  From 19
 * on a call in FROM is planned as one in a SELECT list: a scan of a function
 * stores all its rows before the first one is read, in a file if they are many;
 * a SELECT list returns them one by one.  test/bench/cumsum-from compares them.
 *
 * Called by the planner.
 */
#include "postgres.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "utils/selfuncs.h"

#include "extension/pg_compat.h"

PG_FUNCTION_INFO_V1(gpu_cumsum_support);

/* Return the column of *outer that a parameter of subqueries is, or NULL. */
static Var *
outer_column(const PlannerInfo *outer, int param_id)
{
	ListCell *cell;

	foreach (cell, outer->plan_params)
	{
		PlannerParamItem *item = lfirst(cell);

		if (item->paramId == param_id && IsA(item->item, Var))
			return (Var *) item->item;
	}
	return NULL;
}

/* Does the planner know the column's relation already? */
static bool
has_relation(const PlannerInfo *root, const Var *column)
{
	return column->varno > 0 && column->varno < root->simple_rel_array_size &&
		   root->simple_rel_array[column->varno] != NULL;
}

/*
 * Return the column of an outer query that the node is in a subquery, as after
 * LATERAL, and set *root to that query's information.  Otherwise the node.
 */
static Node *
find_column(PlannerInfo **root, Node *node)
{
	PlannerInfo *outer = *root;
	Var *column = NULL;

	if (outer == NULL || !IsA(node, Param) ||
		((Param *) node)->paramkind != PARAM_EXEC)
		return node;
	while (column == NULL && (outer = outer->parent_root) != NULL)
		column = outer_column(outer, ((Param *) node)->paramid);
	if (column == NULL || !has_relation(outer, column))
		return node;
	*root = outer;
	return (Node *) column;
}

/*
 * Estimate as many rows as the array has elements; returns false if this is not
 * about a call.
 */
static bool
estimate_rows(SupportRequestRows *request)
{
	PlannerInfo *root = request->root;
	Node *array;

	if (request->node == NULL || !IsA(request->node, FuncExpr))
		return false;
	array = find_column(&root, linitial(((FuncExpr *) request->node)->args));
	request->rows = ga_estimate_array_length(root, array);
	return true;
}

#if GA_HAS_INLINE_IN_FROM
/* Return the parameter with a number that stands for an argument. */
static Param *
make_param(int number, const Node *argument)
{
	Param *param = makeNode(Param);

	param->paramkind = PARAM_EXTERN;
	param->paramid = number;
	param->paramtype = exprType(argument);
	param->paramtypmod = exprTypmod(argument);
	param->paramcollid = exprCollation(argument);
	param->location = -1;
	return param;
}

/*
 * Return "SELECT gpu_cumsum($1, $2)", for whose parameters the planner takes
 * the arguments of the call.  It does not ask for calls WITH ORDINALITY, nor if
 * arguments are volatile or have subqueries.
 */
static Query *
call_in_select_list(const SupportRequestInlineInFrom *request)
{
	const FuncExpr *given = castNode(FuncExpr, request->rtfunc->funcexpr);
	FuncExpr *call;
	Query *query = makeNode(Query);
	List *params = NIL;
	ListCell *cell;

	foreach (cell, given->args)
		params =
			lappend(params, make_param(list_length(params) + 1, lfirst(cell)));
	call = makeFuncExpr(given->funcid, given->funcresulttype, params,
						given->funccollid, given->inputcollid,
						COERCE_EXPLICIT_CALL);
	call->funcretset = true;
	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	query->jointree = makeFromExpr(NIL, NULL);
	query->targetList = list_make1(
		makeTargetEntry((Expr *) call, 1, pstrdup("gpu_cumsum"), false));
	query->hasTargetSRFs = true;
	return query;
}
#endif

/* Answer the planner; NULL where it asks for something else. */
Datum
gpu_cumsum_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestRows) &&
		estimate_rows((SupportRequestRows *) request))
		PG_RETURN_POINTER(request);
#if GA_HAS_INLINE_IN_FROM
	if (IsA(request, SupportRequestInlineInFrom))
		PG_RETURN_POINTER(
			call_in_select_list((SupportRequestInlineInFrom *) request));
#endif
	PG_RETURN_POINTER(NULL);
}
