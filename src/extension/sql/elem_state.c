/*
 * elem_state.c
 *		The aggregate state of sums position by position.
 *
 * gpu_elem_sum, gpu_elem_avg and gpu_elem_count share it, and their
 * transitions.  It has the shape of the arrays, and exact sums
 * (exact/elem_sum.h), whose memory is in the aggregate's context.  Large stored
 * arrays are noted, and added when the state is read (engine_elem.c).  The
 * final functions leave it unchanged.
 */
#include "postgres.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "aggregate.h"
#include "cpu/elem_add.h"
#include "elem_state.h"
#include "extension/engine/choice.h"
#include "extension/input/array_positions.h"
#include "extension/offload/stored_key.h"

PG_FUNCTION_INFO_V1(gpu_elem_combine);

static void *
allocate(void *context, size_t n_bytes)
{
	return MemoryContextAllocZero(context, n_bytes);
}

static void
release(void *memory)
{
	pfree(memory);
}

static void
pause_for_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

/* Return the state in an argument, complete; NULL if there is none. */
GaElemState *
ga_elem_state_arg(FunctionCallInfo fcinfo, int i)
{
	GaElemState *state;

	if (PG_ARGISNULL(i))
		return NULL;
	state = (GaElemState *) PG_GETARG_POINTER(i);
	if (state->noted.n > 0)
	{
		ga_node_enter(fcinfo);
		ga_elem_finish(&state->noted);
	}
	return state;
}

/* Give a state a shape, and sums without inputs. */
void
ga_elem_set_shape(GaElemState *state, const GaArrayShape *shape)
{
	const GaElemMemory memory = {state->context, allocate, release,
								 pause_for_interrupts};

	state->shape = *shape;
	ga_elem_init(&state->sum, state->type, shape->n_items, memory);
	state->has_shape = true;
}

/* Forget the shape of a state whose last array was removed. */
static void
reset_shape(GaElemState *state)
{
	ga_elem_release(&state->sum);
	state->has_shape = false;
}

/* Add the elements of an array, or remove them; return how many there are. */
static int64
apply_elements(GaElemState *state, GaArray *array, int by)
{
	static const int64 zero = 0;
	int64 n_elements = array->n_items;
	GaPositions positions;
	const bool *nulls;
	const void *data;
	int at, n;

	ga_positions_open(&positions, array, &zero);
	for (at = 0; (n = ga_positions_next(&positions, &data, &nulls)) > 0;
		 at += n)
	{
		CHECK_FOR_INTERRUPTS();
		ga_elem_add(ga_cpu, &state->sum, at, data, n, by);
		if (nulls != NULL)
			n_elements -= ga_elem_add_nulls(&state->sum, at, nulls, n, by);
	}
	state->sum.n_arrays += by;
	return n_elements;
}

/* Have the shape of an array, which has to be the state's.  Errors: 2202E. */
static void
take_shape(void *owner, const GaArray *array)
{
	GaElemState *state = owner;
	const GaArrayShape shape = ga_shape_of(array);

	if (!state->has_shape)
		ga_elem_set_shape(state, &shape);
	ga_array_check_shape(&state->shape, &shape);
}

/*
 * Add a noted array now, which may be of another shape, or have NULLs; return
 * how many elements it has.  Errors: 2202E; those of ga_array_open.
 */
static int64
add_stored(void *owner, const GaStoredKey *key, GaToastRelation *relation)
{
	GaElemState *state = owner;
	const struct varatt_external pointer = ga_stored_pointer(key);
	GaArray array;
	int64 n_elements;

	ga_array_open_stored(&array, &pointer, state->type, relation);
	take_shape(state, &array);
	n_elements = apply_elements(state, &array, 1);
	ga_array_close(&array);
	return n_elements;
}

static const GaElemNotedKind noted_kind = {
	.take_shape = take_shape,
	.add_stored = add_stored,
	.add_group = ga_elem_add_group,
};

/* Create a state of no arrays. */
GaElemState *
ga_elem_create(MemoryContext context, GaElementType type)
{
	GaElemState *state = MemoryContextAllocZero(context, sizeof(GaElemState));

	state->type = type;
	state->context = context;
	ga_elem_noted_init(&state->noted, &noted_kind, state, type, context);
	return state;
}

/*
 * Add an array now, or remove it, for a reason.  Errors: 2202E; those of
 * ga_array_open.
 */
static void
apply_array(GaElemState *state, Datum value, int by, GaReason reason)
{
	GaToastRelation relation = GA_TOAST_CLOSED;
	GaArray array;
	int64 n_elements;

	ga_array_open_in(&array, value, state->type, &relation);
	take_shape(state, &array);
	n_elements = apply_elements(state, &array, by);
	ga_array_close(&array);
	ga_toast_close(&relation);
	ga_session_count(ga_node_counters, reason, state->type, 1, n_elements);
	if (state->sum.n_arrays == 0)
		reset_shape(state);
}

/* Add an array to a state, or remove it. */
static void
apply(FunctionCallInfo fcinfo, GaElemState *state, Datum value, int by)
{
	GaReason reason = ga_reason_of_function();

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
	apply_array(state, value, by, reason);
}

/*
 * Add the array in argument 1 to the state in argument 0, or remove it (by =
 * -1), and return the state: a new one if there is none, even for a NULL, since
 * a moving aggregate must have one.
 */
Datum
ga_elem_apply(FunctionCallInfo fcinfo, GaElementType type, int by)
{
	GaElemState *state;

	if (PG_ARGISNULL(0))
		state = ga_elem_create(ga_aggregate_context(fcinfo), type);
	else
		state = (GaElemState *) PG_GETARG_POINTER(0);
	if (!PG_ARGISNULL(1))
		apply(fcinfo, state, PG_GETARG_DATUM(1), by);
	PG_RETURN_POINTER(state);
}

/*
 * Add the second state to the first; the second stays as it is.  Errors: 2202E
 * if their arrays differ in shape; 22P03 for more arrays than there can be.
 */
Datum
gpu_elem_combine(PG_FUNCTION_ARGS)
{
	GaElemState *state = ga_elem_state_arg(fcinfo, 0);
	const GaElemState *other = ga_elem_state_arg(fcinfo, 1);

	if (other == NULL)
	{
		if (state == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state);
	}
	if (state == NULL)
		state = ga_elem_create(ga_aggregate_context(fcinfo), other->type);
	if (!other->has_shape)
		PG_RETURN_POINTER(state);
	if (!state->has_shape)
		ga_elem_set_shape(state, &other->shape);
	ga_array_check_shape(&state->shape, &other->shape);
	if (state->type != other->type ||
		other->sum.n_arrays > GA_ELEM_MAX_N - state->sum.n_arrays)
		ga_report(GA_BAD_STATE, state->type);
	ga_elem_merge(&state->sum, &other->sum);
	PG_RETURN_POINTER(state);
}
