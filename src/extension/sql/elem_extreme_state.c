/*
 * elem_extreme_state.c
 *		The aggregate state of least or greatest elements by position.
 *
 * The elements are kept as integer keys (cpu/cpu_elem.h), so that no order of
 * the rows changes a bit of the result.  A position with nothing but NULLs has
 * the key of the element that NULLs are filled with, which all others replace.
 * The state is in the aggregate's context.  Large stored arrays are noted, and
 * taken when the state is read (engine_elem.c).
 */
#include "postgres.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "aggregate.h"
#include "elem_extreme.h"
#include "extension/element_datum.h"
#include "extension/engine/choice.h"
#include "extension/engine/session_counters.h"
#include "extension/input/array_positions.h"
#include "extension/offload/client.h"
#include "extension/offload/stored_key.h"
#include "values_result.h"

PG_FUNCTION_INFO_V1(gpu_elem_extreme_combine);

/* Give a state a shape: of nothing but NULLs, or of no positions with such. */
void
ga_extreme_set_shape(GaExtremeState *state, const GaArrayShape *shape,
					 bool is_unseen)
{
	state->shape = *shape;
	state->has_shape = true;
	if (is_unseen)
	{
		state->unseen = MemoryContextAlloc(state->context, shape->n_items);
		memset(state->unseen, true, shape->n_items);
	}
}

/* Have keys of a state with a shape, which any element replaces at first. */
void
ga_extreme_need_keys(GaExtremeState *state)
{
	const Size size = ga_element_size(state->type);
	const GaElement key = ga_extreme_key(
		state->type, ga_extreme_fill(state->type, state->is_max));
	const int n = state->shape.n_items;
	int i;

	if (state->keys != NULL)
		return;
	state->keys = MemoryContextAlloc(state->context, n * size);
	for (i = 0; i < n; i++)
		memcpy(state->keys + i * size, &key, size);
}

/* No position has nothing but NULLs any more. */
static void
forget_unseen(GaExtremeState *state)
{
	if (state->unseen != NULL)
		pfree(state->unseen);
	state->unseen = NULL;
}

/* Take n elements without NULLs, at positions from one on. */
static void
take_run(GaExtremeState *state, int at, const void *data, int n)
{
	(state->is_max ? ga_cpu->elem.max : ga_cpu->elem.min)[state->type](
		state->keys + at * ga_element_size(state->type), data, n);
}

/* Take the elements of an array; return how many there are. */
static int64
take_elements(GaExtremeState *state, GaArray *array)
{
	const GaElement fill = ga_extreme_fill(state->type, state->is_max);
	int64 n_elements = 0;
	GaPositions positions;
	const bool *nulls;
	const void *data;
	int at, n, i;

	ga_extreme_need_keys(state);
	if (!ga_array_may_have_nulls(array))
		forget_unseen(state);
	ga_positions_open(&positions, array, &fill);
	for (at = 0; (n = ga_positions_next(&positions, &data, &nulls)) > 0;
		 at += n)
	{
		CHECK_FOR_INTERRUPTS();
		take_run(state, at, data, n);
		n_elements += n;
		for (i = 0; nulls != NULL && i < n; i++)
		{
			n_elements -= nulls[i];
			if (!nulls[i] && state->unseen != NULL)
				state->unseen[at + i] = false;
		}
	}
	return n_elements;
}

/* Have the shape of an array, which has to be the state's.  Errors: 2202E. */
static void
take_shape(void *owner, const GaArray *array)
{
	GaExtremeState *state = owner;
	const GaArrayShape shape = ga_shape_of(array);

	if (!state->has_shape)
		ga_extreme_set_shape(state, &shape, ga_array_may_have_nulls(array));
	ga_array_check_shape(&state->shape, &shape);
}

/* Take an open array, and close it; return how many elements it has. */
static int64
take_array(GaExtremeState *state, GaArray *array)
{
	int64 n_elements;

	take_shape(state, array);
	n_elements = take_elements(state, array);
	ga_array_close(array);
	return n_elements;
}

/*
 * Take a noted array now, which may be of another shape, or have NULLs.
 * Errors: 2202E; those of ga_array_open.
 */
static int64
add_stored(void *owner, const GaStoredKey *key, GaToastRelation *relation)
{
	GaExtremeState *state = owner;
	const struct varatt_external pointer = ga_stored_pointer(key);
	GaArray array;

	ga_array_open_stored(&array, &pointer, state->type, relation);
	return take_array(state, &array);
}

/* Take the device's values of all positions; they are overwritten. */
static void
take_values(GaExtremeState *state, char *values)
{
	const int n = state->shape.n_items;

	ga_values_narrow(ga_element_oid(state->type), values, values, n);
	ga_extreme_need_keys(state);
	forget_unseen(state);
	take_run(state, 0, values, n);
}

/*
 * Have arrays taken that one device may have.  Those that the cache does not
 * keep are left to the CPU.
 */
static void
add_group(void *owner, GaStoredKey *keys, uint32 n)
{
	GaExtremeState *state = owner;
	GaElemRun run = ga_elem_begin_run(&state->noted, keys, n);
	uint32 n_taken = 0;

	run.form = ga_extreme_form(state);
	run.values =
		MemoryContextAllocHuge(CurrentMemoryContext, run.n * sizeof(int64));
	ga_elem_ask(&state->noted, &run, keys);
	if (run.n_done == run.n)
	{
		take_values(state, run.values);
		n_taken = run.n_arrays;
		ga_session_count(ga_node_counters, GA_NO_REASON, state->type, n_taken,
						 n_taken * (int64) run.n);
	}
	pfree(run.values);
	ga_session_report_failure(run.reason, ga_client_trouble());
	ga_elem_by_cpu(&state->noted, keys + n_taken, n - n_taken,
				   run.reason != GA_NO_REASON ? run.reason :
				   run.is_refused			  ? GA_REASON_REFUSED :
												GA_REASON_CACHE);
}

static const GaElemNotedKind noted_kind = {
	.take_shape = take_shape,
	.add_stored = add_stored,
	.add_group = add_group,
};

/* Create a state of no arrays. */
GaExtremeState *
ga_extreme_create(MemoryContext context, GaElementType type, bool is_max)
{
	GaExtremeState *state =
		MemoryContextAllocZero(context, sizeof(GaExtremeState));

	state->type = type;
	state->is_max = is_max;
	state->context = context;
	ga_elem_noted_init(&state->noted, &noted_kind, state, type, context);
	return state;
}

/* Return the state in an argument, complete; NULL if there is none. */
GaExtremeState *
ga_extreme_state_arg(FunctionCallInfo fcinfo, int i)
{
	GaExtremeState *state;

	if (PG_ARGISNULL(i))
		return NULL;
	state = (GaExtremeState *) PG_GETARG_POINTER(i);
	if (state->noted.n > 0)
	{
		ga_node_enter(fcinfo);
		ga_elem_finish(&state->noted);
	}
	if (state->has_shape)
		ga_extreme_need_keys(state);
	return state;
}

/* Take an array, or note it.  Errors: 2202E; those of ga_array_open. */
static void
take(FunctionCallInfo fcinfo, GaExtremeState *state, Datum value)
{
	GaToastRelation relation = GA_TOAST_CLOSED;
	GaReason reason = ga_reason_of_function();
	GaArray array;
	int64 n_elements;

	ga_node_enter(fcinfo);
	/* a moving aggregate reads its state after each array */
	if (AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_AGGREGATE &&
		ga_aggregate_may_wait(fcinfo, value))
	{
		reason = ga_elem_note(&state->noted,
							  state->has_shape ? &state->shape : NULL, value);
		if (reason == GA_NO_REASON)
			return;
	}
	ga_array_open_in(&array, value, state->type, &relation);
	n_elements = take_array(state, &array);
	ga_toast_close(&relation);
	ga_session_count(ga_node_counters, reason, state->type, 1, n_elements);
}

/*
 * Have the state in argument 0 take the array in argument 1, and return the
 * state: a new one if there is none, even for a NULL.
 */
Datum
ga_extreme_accum(FunctionCallInfo fcinfo, GaElementType type, bool is_max)
{
	GaExtremeState *state;

	if (PG_ARGISNULL(0))
		state = ga_extreme_create(ga_aggregate_context(fcinfo), type, is_max);
	else
		state = (GaExtremeState *) PG_GETARG_POINTER(0);
	if (!PG_ARGISNULL(1))
		take(fcinfo, state, PG_GETARG_DATUM(1));
	PG_RETURN_POINTER(state);
}

/* Return how many positions have nothing but NULLs. */
int
ga_extreme_n_unseen(const GaExtremeState *state)
{
	int n = 0;
	int i;

	for (i = 0; state->unseen != NULL && i < state->shape.n_items; i++)
		n += state->unseen[i];
	return n;
}

/* Have a state with a shape take what another one of the shape has. */
static void
merge(GaExtremeState *state, const GaExtremeState *other)
{
	const int n = state->shape.n_items;
	/* keys are integers of the same size */
	const GaElementType key_type = state->type == GA_float4 ? GA_int4 :
								   state->type == GA_float8 ? GA_int8 :
															  state->type;
	int i;

	ga_extreme_need_keys(state);
	(state->is_max ? ga_cpu->elem.max :
					 ga_cpu->elem.min)[key_type](state->keys, other->keys, n);
	for (i = 0; state->unseen != NULL && i < n; i++)
		state->unseen[i] &= other->unseen != NULL && other->unseen[i];
}

/*
 * Have the first state take what the second has, which stays as it is.  Errors:
 * 2202E if their arrays differ in shape; 22P03 for states of another kind.
 */
Datum
gpu_elem_extreme_combine(PG_FUNCTION_ARGS)
{
	GaExtremeState *state = ga_extreme_state_arg(fcinfo, 0);
	const GaExtremeState *other = ga_extreme_state_arg(fcinfo, 1);

	if (other == NULL)
	{
		if (state == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state);
	}
	if (state == NULL)
		state = ga_extreme_create(ga_aggregate_context(fcinfo), other->type,
								  other->is_max);
	if (state->type != other->type || state->is_max != other->is_max)
		ga_report(GA_BAD_STATE, state->type);
	if (!other->has_shape)
		PG_RETURN_POINTER(state);
	if (!state->has_shape)
		ga_extreme_set_shape(state, &other->shape, true);
	ga_array_check_shape(&state->shape, &other->shape);
	merge(state, other);
	PG_RETURN_POINTER(state);
}
