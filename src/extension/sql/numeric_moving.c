/*
 * numeric_moving.c
 *		gpu_array_moving_sum, _avg, _min and _max, gpu_array_cummin and
 *		_cummax, and gpu_array_delta of numeric.
 *
 * The values of a moving window are those of PostgreSQL's aggregate OVER (ROWS
 * n PRECEDING), digit for digit.  What leaves a window of sums is subtracted,
 * as far as PostgreSQL can; else the window is added up again.  Results have
 * the shape of the argument, or of the part.
 *
 * Called by the executor; keeps nothing between two calls.
 */
#include "postgres.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "extension/engine/node_counters.h"
#include "moving.h"
#include "numeric_result.h"
#include "numeric_state.h"
#include "part.h"

/* Values of the items of an array, one after another. */
typedef struct Values
{
	GaNumericElements elements;
	GaNumericResult result;
} Values;

/*
 * Begin to read the array of a call, with a part from argument i on, in the
 * memory of a batch.
 */
static void
begin_values(Values *values, FunctionCallInfo fcinfo, int i, bool has_nulls)
{
	GaNumericElements *elements = &values->elements;
	GaPart part;

	ga_node_enter(fcinfo);
	ga_numeric_elements_begin(elements, PG_GETARG_DATUM(0),
							  ga_part_if_any(fcinfo, i, &part));
	ga_numeric_result_begin(
		&values->result, elements->caller, &elements->array.shape,
		has_nulls || ga_array_may_have_nulls(&elements->array.array));
}

/* Return the array of values. */
static Datum
end_values(Values *values)
{
	ga_numeric_elements_end(&values->elements);
	return ga_numeric_result_datum(&values->result);
}

/* A window of sums. */
typedef struct Window
{
	int n;					/* items in it, at most */
	GaNumericItems leaving; /* from the window's first item on */
	GaNumericState state;
} Window;

/* Begin with an empty window, whose state has a context of its own. */
static void
begin_window(Window *window, const GaNumericElements *elements, int preceding)
{
	MemoryContext context = AllocSetContextCreate(
		elements->caller, "gpu_array_moving", ALLOCSET_SMALL_SIZES);

	window->n = ga_moving_window(preceding, elements->items.n);
	window->leaving = elements->array.items;
	ga_numeric_state_begin(&window->state, numeric_avg_accum, context);
}

/* Add the items of the window again, up to the last one that was read. */
static void
add_again(Window *window, int end)
{
	GaNumericItems items = window->leaving;
	Datum element;
	bool is_null;

	ga_numeric_state_reset(&window->state);
	while (items.next < end)
	{
		if (ga_numeric_batch_ends(&items))
			CHECK_FOR_INTERRUPTS();
		(void) ga_numeric_items_next(&items, &element, &is_null);
		if (!is_null)
			ga_numeric_state_add(&window->state, element);
	}
}

/* Move the window to the item that was read last. */
static void
move_window(Window *window, int end, Datum element, bool is_null)
{
	Datum leaving;
	bool none_leaves = true;

	if (end > window->n)
		(void) ga_numeric_items_next(&window->leaving, &leaving, &none_leaves);
	if (!none_leaves && !ga_numeric_state_remove(&window->state, leaving))
		add_again(window, end);
	else if (!is_null)
		ga_numeric_state_add(&window->state, element);
}

/* gpu_array_moving_sum(array, preceding [, first, last]), and _avg. */
static Datum
moving(FunctionCallInfo fcinfo, PGFunction final)
{
	Values values;
	Window window;
	Datum value;
	bool is_null;

	begin_values(&values, fcinfo, 2, false);
	begin_window(&window, &values.elements, PG_GETARG_INT32(1));
	while (ga_numeric_elements_item(&values.elements, &value, &is_null))
	{
		move_window(&window, values.elements.items.next, value, is_null);
		value = ga_numeric_state_result(&window.state, final, &is_null);
		ga_numeric_result_add(&values.result, value, is_null);
	}
	MemoryContextDelete(window.state.aggregate.curaggcontext);
	PG_RETURN_DATUM(end_values(&values));
}

/* An element that may become a window's extreme. */
typedef struct Candidate
{
	int item;
	Datum element;
} Candidate;

/*
 * The candidates of a window, in the order of their items: each one comes
 * before all behind it.  They are in a ring.
 */
typedef struct Candidates
{
	PGFunction choose;
	Candidate *ring;
	int capacity;
	int first;
	int n;
} Candidates;

static inline Candidate *
candidate(const Candidates *candidates, int i)
{
	const int64 at = (int64) candidates->first + i;

	return &candidates->ring[at % candidates->capacity];
}

/* Does a new element come before another, as for an aggregate? */
static bool
replaces(const Candidates *candidates, Datum old, Datum element)
{
	return DirectFunctionCall2(candidates->choose, old, element) == element;
}

/* Take the element of an item, the last of the window. */
static void
take(Candidates *candidates, int item, Datum element)
{
	while (candidates->n > 0 &&
		   replaces(candidates,
					candidate(candidates, candidates->n - 1)->element, element))
		candidates->n--;
	*candidate(candidates, candidates->n++) = (Candidate){item, element};
}

/* Forget what is before an item. */
static void
forget(Candidates *candidates, int item)
{
	if (candidates->n > 0 && candidate(candidates, 0)->item < item)
	{
		candidates->first = (candidates->first + 1) % candidates->capacity;
		candidates->n--;
	}
}

/* Compute the extremes of windows of n items. */
static Datum
moving_extremes(Values *values, PGFunction choose, int n)
{
	GaNumericElements *elements = &values->elements;
	Candidates candidates = {.choose = choose, .capacity = n};
	Datum element;
	bool is_null;

	candidates.ring =
		MemoryContextAllocHuge(elements->caller, (Size) n * sizeof(Candidate));
	while (ga_numeric_elements_item(elements, &element, &is_null))
	{
		const int item = elements->items.next - 1;

		forget(&candidates, item - n + 1);
		if (!is_null)
			take(&candidates, item, element);
		is_null = candidates.n == 0;
		ga_numeric_result_add(
			&values->result,
			is_null ? (Datum) 0 : candidate(&candidates, 0)->element, is_null);
	}
	pfree(candidates.ring);
	return end_values(values);
}

/* gpu_array_moving_min(array, preceding [, first, last]), and _max. */
static Datum
moving_extreme(FunctionCallInfo fcinfo, PGFunction choose)
{
	Values values;

	begin_values(&values, fcinfo, 2, false);
	PG_RETURN_DATUM(moving_extremes(
		&values, choose,
		ga_moving_window(PG_GETARG_INT32(1), values.elements.items.n)));
}

/* gpu_array_cummin(array [, first, last]), and gpu_array_cummax. */
static Datum
running_extreme(FunctionCallInfo fcinfo, PGFunction choose)
{
	Datum extreme = (Datum) 0;
	Values values;
	Datum element;
	bool is_null;

	begin_values(&values, fcinfo, 1, false);
	while (ga_numeric_elements_item(&values.elements, &element, &is_null))
	{
		if (!is_null)
			extreme = extreme == (Datum) 0 ?
						  element :
						  DirectFunctionCall2(choose, extreme, element);
		ga_numeric_result_add(&values.result, extreme, extreme == (Datum) 0);
	}
	PG_RETURN_DATUM(end_values(&values));
}

/* gpu_array_delta(array [, first, last]) */
static Datum
delta(FunctionCallInfo fcinfo)
{
	Datum before = (Datum) 0;
	Values values;
	Datum element;
	bool is_null;

	begin_values(&values, fcinfo, 1, true);
	while (ga_numeric_elements_item(&values.elements, &element, &is_null))
	{
		const bool has_value = !is_null && before != (Datum) 0;

		ga_numeric_result_add(
			&values.result,
			has_value ? DirectFunctionCall2(numeric_sub, element, before) :
						(Datum) 0,
			!has_value);
		before = is_null ? (Datum) 0 : element;
	}
	PG_RETURN_DATUM(end_values(&values));
}

#define FUNCTION(name, call)                           \
	PG_FUNCTION_INFO_V1(gpu_array_##name##_numeric);   \
	Datum gpu_array_##name##_numeric(PG_FUNCTION_ARGS) \
	{                                                  \
		return call;                                   \
	}
FUNCTION(moving_sum, moving(fcinfo, numeric_sum))
FUNCTION(moving_avg, moving(fcinfo, numeric_avg))
FUNCTION(moving_min, moving_extreme(fcinfo, numeric_smaller))
FUNCTION(moving_max, moving_extreme(fcinfo, numeric_larger))
FUNCTION(cummin, running_extreme(fcinfo, numeric_smaller))
FUNCTION(cummax, running_extreme(fcinfo, numeric_larger))
FUNCTION(delta, delta(fcinfo))
