/*
 * part_plan.c
 *		Functions of a slice of an array, planned as functions of a part.
 *
 * A slice is a new array: PostgreSQL reads the whole array and copies what is
 * wanted.  So f(a[i:j]) becomes f(a, i, j), which reads the part where it lies.
 * Both have the same result: a slice of one subscript has all items whose first
 * subscript is in it, in storage order, and f has one form with bounds behind
 * the array, for any lower bounds and number of dimensions.
 *
 * A slice evaluates no bound where the array is NULL.  So a bound that may fail
 * becomes a CASE expression.  A slice evaluates its upper bound first, the
 * arguments of a function are evaluated in order.  Only volatile expressions
 * can tell the difference, so slices with one stay as they are.  So do those of
 * a query with grouping sets, by which a slice can be NULL.
 *
 * Called by the planner.
 */
#include "postgres.h"
#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type_d.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "extension/pg_compat.h"

PG_FUNCTION_INFO_V1(gpu_array_part_support);

/* The arguments of bounds. */
#define N_BOUNDS 2

/* Return the slice that a node is, of one subscript; NULL if it is none. */
static const SubscriptingRef *
as_slice(const Node *node)
{
	const SubscriptingRef *slice = (const SubscriptingRef *) node;

	if (!IsA(node, SubscriptingRef) || slice->refassgnexpr != NULL ||
		list_length(slice->refupperindexpr) != 1 ||
		list_length(slice->reflowerindexpr) != 1 ||
		contain_volatile_functions((Node *) slice->refupperindexpr) ||
		contain_volatile_functions((Node *) slice->reflowerindexpr))
		return NULL;
	return slice;
}

/*
 * Return the form with bounds of a called function: of the same name, schema
 * and result, with two integers behind the array.  InvalidOid if it has none,
 * its array is not of the type, or the user may not execute both.
 */
static Oid
form_with_bounds(const FuncExpr *call, Oid array_type)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(call->funcid));
	Oid types[FUNC_MAX_ARGS + N_BOUNDS] = {0};
	Oid form = InvalidOid;
	Form_pg_proc function;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	function = (Form_pg_proc) GETSTRUCT(tuple);
	if (function->pronargs > 0 &&
		function->pronargs + N_BOUNDS <= FUNC_MAX_ARGS &&
		function->proargtypes.values[0] == array_type)
	{
		types[0] = array_type;
		types[1] = types[2] = INT4OID;
		memcpy(types + 1 + N_BOUNDS, function->proargtypes.values + 1,
			   (function->pronargs - 1) * sizeof(Oid));
		form = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
							   CStringGetDatum(NameStr(function->proname)),
							   PointerGetDatum(buildoidvector(
								   types, function->pronargs + N_BOUNDS)),
							   ObjectIdGetDatum(function->pronamespace));
	}
	ReleaseSysCache(tuple);
	if (OidIsValid(form) &&
		(get_func_rettype(form) != call->funcresulttype ||
		 !ga_may_execute(call->funcid) || !ga_may_execute(form)))
		return InvalidOid;
	return form;
}

/* Return the array that a slice is of, as the slice's type. */
static Node *
sliced_array(const SubscriptingRef *slice)
{
	Node *array = (Node *) slice->refexpr;

	if (exprType(array) == slice->refcontainertype)
		return array;
	/* of a domain */
	return (Node *) makeRelabelType((Expr *) array, slice->refcontainertype,
									exprTypmod(array), exprCollation(array),
									COERCE_IMPLICIT_CAST);
}

/* Is that a value that is there already, so that its evaluation cannot fail? */
static bool
is_value(const Node *node)
{
	return IsA(node, Var) || IsA(node, Param) || IsA(node, Const);
}

static Node *
make_bound(int32 value, bool is_null)
{
	return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
							  Int32GetDatum(value), is_null, true);
}

/* Return a bound that is NULL, and not evaluated, where the array is NULL. */
static Node *
guarded(Node *bound, const Expr *array)
{
	NullTest *test = makeNode(NullTest);
	CaseWhen *when = makeNode(CaseWhen);
	CaseExpr *result = makeNode(CaseExpr);

	/* copyObject() is a macro that needs C23 in 19 */
	test->arg = copyObjectImpl(array);
	test->nulltesttype = IS_NULL;
	test->location = -1;
	when->expr = (Expr *) test;
	when->result = (Expr *) make_bound(0, true);
	when->location = -1;
	result->casetype = INT4OID;
	result->args = list_make1(when);
	result->defresult = (Expr *) bound;
	result->location = -1;
	return (Node *) result;
}

/*
 * Return the bound in the list, or the value of one that was left out.  NULL if
 * it may fail, and whether the array is NULL would be computed a second time.
 */
static Node *
bound_of(const List *bounds, const Expr *array, int32 without)
{
	Node *bound = linitial(bounds);

	if (bound == NULL)
		return make_bound(without, false);
	if (is_value(bound))
		return bound;
	return is_value((const Node *) array) ? guarded(bound, array) : NULL;
}

/* Return the call with bounds of a function of a slice; NULL for others. */
static Node *
call_with_bounds(const FuncExpr *call)
{
	const SubscriptingRef *slice = as_slice(linitial(call->args));
	FuncExpr *result;
	List *args;
	Node *first, *last;
	Oid form;

	if (slice == NULL)
		return NULL;
	form = form_with_bounds(call, slice->refcontainertype);
	first = bound_of(slice->reflowerindexpr, slice->refexpr, PG_INT32_MIN);
	last = bound_of(slice->refupperindexpr, slice->refexpr, PG_INT32_MAX);
	if (!OidIsValid(form) || first == NULL || last == NULL)
		return NULL;
	args = list_make3(sliced_array(slice), first, last);
	args = list_concat(args, list_copy_tail(call->args, 1));
	result = makeFuncExpr(form, call->funcresulttype, args, call->funccollid,
						  call->inputcollid, call->funcformat);
	result->location = call->location;
	return (Node *) result;
}

/*
 * Has the query of a call grouping sets?  There the slice may be a grouping
 * expression, which is NULL in the rows of other sets, while its array is not.
 * One of a query around cannot be: PostgreSQL refuses it.
 */
static bool
has_grouping_sets(const PlannerInfo *root)
{
	return root != NULL && root->parse->groupingSets != NIL;
}

/* Answer the planner; NULL where there is nothing to change. */
Datum
gpu_array_part_support(PG_FUNCTION_ARGS)
{
	SupportRequestSimplify *request =
		(SupportRequestSimplify *) PG_GETARG_POINTER(0);

	if (!IsA(request, SupportRequestSimplify) ||
		has_grouping_sets(request->root))
		PG_RETURN_POINTER(NULL);
	PG_RETURN_POINTER(call_with_bounds(request->fcall));
}
