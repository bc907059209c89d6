/*
 * numeric_product.c
 *		gpu_dot, gpu_weighted_avg and gpu_norm of numeric, and of its arrays.
 *
 * The digits are those of sum(x * y), of that divided by sum(y), and of sqrt of
 * sum(x * x).  The state of a sum of products is PostgreSQL's of sum(); that of
 * a mean with weights is two sums, of the products and of the weights.
 *
 * Called by the executor; keeps nothing between two calls but the states.
 */
#include "postgres.h"
#include "utils/fmgrprotos.h"

#include "aggregate.h"
#include "extension/engine/session_counters.h"
#include "numeric_sums.h"
#include "part.h"

/* The positions of the sums for a mean with weights. */
enum
{
	PRODUCTS,
	WEIGHTS,
	N_SUMS
};

/* Take a pair; false if it cannot be removed from a state. */
typedef bool (*TakePair)(void *state, Datum x, Datum y);

/* A sum of products: calls of a transition, which adds or removes. */
typedef struct Products
{
	PGFunction transition;
	FunctionCallInfo call;
} Products;

static bool
take_product(void *state, Datum x, Datum y)
{
	const Products *products = state;
	FunctionCallInfo call = products->call;

	call->args[1].value = DirectFunctionCall2(numeric_mul, x, y);
	call->args[0].value = products->transition(call);
	return !call->isnull;
}

/* Sums of products and weights, added to or removed from (by = -1). */
typedef struct Weighted
{
	GaNumericSums *sums;
	Node *aggregate;
	int by;
} Weighted;

static bool
take_weighted(void *state, Datum x, Datum weight)
{
	const Weighted *weighted = state;
	const GaArrayShape shape = ga_shape_line(N_SUMS);

	ga_numeric_sums_begin_array(weighted->sums, &shape);
	ga_numeric_sums_end_array(weighted->sums, weighted->by);
	return ga_numeric_sums_apply(weighted->sums, weighted->aggregate, PRODUCTS,
								 DirectFunctionCall2(numeric_mul, x, weight),
								 weighted->by) &&
		   ga_numeric_sums_apply(weighted->sums, weighted->aggregate, WEIGHTS,
								 weight, weighted->by);
}

/*
 * Take the pairs of two arrays, without those with a NULL.  False if one could
 * not be removed.  Errors: 2202E if their dimensions differ; as ga_array_open.
 */
static bool
take_arrays(TakePair take, void *state, Datum x, Datum y)
{
	GaNumericArray others;
	GaNumericElements elements;
	bool is_done = true;
	int64 n = 0;
	int64 bytes = 0;
	Datum element, other;
	bool is_null, is_other_null;

	ga_numeric_array_open(&others, y, NULL);
	ga_numeric_elements_begin(&elements, x, NULL);
	ga_array_check_pair(&elements.array.array, &others.array);
	while (is_done && ga_numeric_elements_item(&elements, &element, &is_null))
	{
		(void) ga_numeric_items_next(&others.items, &other, &is_other_null);
		if (!is_other_null)
		{
			n++;
			bytes += VARSIZE(DatumGetPointer(other));
		}
		if (!is_null && !is_other_null)
			is_done = take(state, element, other);
	}
	ga_numeric_elements_end(&elements);
	ga_numeric_array_close(&others);
	ga_session_count_bytes(ga_node_counters, GA_REASON_NUMERIC, 1, n, bytes);
	return is_done;
}

/* Take the squares of the elements of an array, or of a part of it. */
static bool
take_squares(TakePair take, void *state, Datum x, GaPart part)
{
	GaNumericElements elements;
	bool is_done = true;
	Datum element;

	ga_numeric_elements_begin(&elements, x, &part);
	while (is_done && ga_numeric_elements_next(&elements, &element))
		is_done = take(state, element, element);
	ga_numeric_elements_end(&elements);
	return is_done;
}

/* What the arguments of a function are. */
typedef enum Input
{
	PAIR,
	ONE,
	ARRAYS,
	ARRAY
} Input;

/* Take the arguments from one on, of which none is NULL. */
static bool
take_input(FunctionCallInfo fcinfo, int first, Input input, TakePair take,
		   void *state)
{
	const Datum x = PG_GETARG_DATUM(first);

	ga_node_enter(fcinfo);
	switch (input)
	{
		case PAIR:
			return take(state, x, PG_GETARG_DATUM(first + 1));
		case ONE:
			return take(state, x, x);
		case ARRAYS:
			return take_arrays(take, state, x, PG_GETARG_DATUM(first + 1));
		default:
			return take_squares(take, state, x, ga_part_arg(fcinfo, first + 1));
	}
}

/* Is an argument of a transition NULL, but the state? */
static bool
is_null_input(FunctionCallInfo fcinfo, Input input)
{
	if (input == ARRAY)
		return ga_part_is_null(fcinfo);
	return PG_ARGISNULL(1) || (input != ONE && PG_ARGISNULL(2));
}

/* The transitions of gpu_dot and gpu_norm, which add or remove. */
static Datum
product_transition(FunctionCallInfo fcinfo, Input input, PGFunction transition)
{
	GaNumericCall memory;
	Products products = {.transition = transition};

	(void) ga_aggregate_context(fcinfo);
	products.call =
		ga_numeric_call(&memory, transition, fcinfo->context, fcinfo->args[0]);
	if (!is_null_input(fcinfo, input) &&
		!take_input(fcinfo, 1, input, take_product, &products))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(products.call->args[0].value);
}

/* The transitions of gpu_weighted_avg, which add or remove (by = -1). */
static Datum
weighted_transition(FunctionCallInfo fcinfo, Input input, int by)
{
	Weighted weighted = {.sums = ga_numeric_sums_arg(fcinfo),
						 .aggregate = fcinfo->context,
						 .by = by};

	if (!is_null_input(fcinfo, input) &&
		!take_input(fcinfo, 1, input, take_weighted, &weighted))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(weighted.sums);
}

/* Return a mean with weights: NULL without pairs.  Errors: 22012. */
static Datum
weighted_result(FunctionCallInfo fcinfo, const GaNumericSums *sums,
				Node *aggregate)
{
	Datum products, weights;

	if (sums->n_arrays == 0)
		PG_RETURN_NULL();
	products = ga_numeric_sums_result(sums, aggregate, PRODUCTS, numeric_sum,
									  &fcinfo->isnull);
	weights = ga_numeric_sums_result(sums, aggregate, WEIGHTS, numeric_sum,
									 &fcinfo->isnull);
	return DirectFunctionCall2(numeric_div, products, weights);
}

/* Return the sum of products of arrays, or NULL. */
static Datum
array_products(FunctionCallInfo fcinfo, Input input)
{
	GaNumericState state;
	Products products = {.transition = numeric_avg_accum};

	ga_numeric_state_begin(&state, numeric_avg_accum, CurrentMemoryContext);
	products.call = &state.call.info;
	(void) take_input(fcinfo, 0, input, take_product, &products);
	return ga_numeric_state_result(&state, numeric_sum, &fcinfo->isnull);
}

/* Return the square root of a sum of squares, or NULL. */
static Datum
root(FunctionCallInfo fcinfo, Datum squares)
{
	if (fcinfo->isnull)
		return (Datum) 0;
	return DirectFunctionCall1(numeric_sqrt, squares);
}

#define TRANSITIONS(name, symbol, input)                              \
	GA_FUNCTION(gpu_##name##_accum_##symbol,                          \
				product_transition(fcinfo, input, numeric_avg_accum)) \
	GA_FUNCTION(gpu_##name##_remove_##symbol,                         \
				product_transition(fcinfo, input, numeric_accum_inv))
TRANSITIONS(dot, numeric, PAIR)
TRANSITIONS(dot, numeric_array, ARRAYS)
TRANSITIONS(norm, numeric, ONE)
TRANSITIONS(norm, numeric_array, ARRAY)
GA_FUNCTION(gpu_weighted_avg_accum_numeric,
			weighted_transition(fcinfo, PAIR, 1))
GA_FUNCTION(gpu_weighted_avg_remove_numeric,
			weighted_transition(fcinfo, PAIR, -1))
GA_FUNCTION(gpu_weighted_avg_accum_numeric_array,
			weighted_transition(fcinfo, ARRAYS, 1))
GA_FUNCTION(gpu_weighted_avg_remove_numeric_array,
			weighted_transition(fcinfo, ARRAYS, -1))

GA_FUNCTION(gpu_array_dot_numeric, array_products(fcinfo, ARRAYS))
GA_FUNCTION(gpu_array_norm_numeric, root(fcinfo, array_products(fcinfo, ARRAY)))

/* Return the root of the state in argument 0, as sum() returns the sum. */
PG_FUNCTION_INFO_V1(gpu_norm_numeric_final);
Datum
gpu_norm_numeric_final(PG_FUNCTION_ARGS)
{
	const Datum squares = numeric_sum(fcinfo);

	return root(fcinfo, squares);
}

/* Return the mean of the state in argument 0. */
PG_FUNCTION_INFO_V1(gpu_weighted_avg_numeric_final);
Datum
gpu_weighted_avg_numeric_final(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return weighted_result(fcinfo, (const GaNumericSums *) PG_GETARG_POINTER(0),
						   fcinfo->context);
}

/* Return the mean of an array with the weights of another. */
PG_FUNCTION_INFO_V1(gpu_array_weighted_avg_numeric);
Datum
gpu_array_weighted_avg_numeric(PG_FUNCTION_ARGS)
{
	WindowAggState aggregate = ga_numeric_aggregate(CurrentMemoryContext);
	Weighted weighted = {.sums = ga_numeric_sums_create(CurrentMemoryContext),
						 .aggregate = (Node *) &aggregate,
						 .by = 1};

	(void) take_input(fcinfo, 0, ARRAYS, take_weighted, &weighted);
	return weighted_result(fcinfo, weighted.sums, weighted.aggregate);
}
