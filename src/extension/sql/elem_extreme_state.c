/*
 * elem_extreme_state.c
 *		The aggregate state of least or greatest elements by position.
 *
 * The elements are kept as integer keys (cpu/cpu_elem.h), so that no order of
 * the rows changes a bit of the result.  A position with nothing but NULLs has
 * the key of the element that NULLs are filled with, which all others replace.
 * The state is in the aggregate's context.
 *
 * Serialized form: a byte with the version, the element type, whether it is of
 * the greatest, whether there is a shape.  If there is, the shape follows; a
 * byte, 1 if there are positions with nothing but NULLs; for each position a
 * byte, 1 if it is such a one, if there are any; and the keys in network byte
 * order.
 */
#include "postgres.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/memutils.h"

#include "aggregate.h"
#include "elem_extreme.h"
#include "elem_state.h"
#include "exact/extreme.h"
#include "extension/engine/choice.h"
#include "extension/input/array_positions.h"

PG_FUNCTION_INFO_V1(gpu_elem_extreme_combine);
PG_FUNCTION_INFO_V1(gpu_elem_extreme_serialize);
PG_FUNCTION_INFO_V1(gpu_elem_extreme_deserialize);

#define STATE_VERSION	 1
#define STATE_HEAD_BYTES 4

/* An element of any type. */
typedef union Element
{
	int16 int2;
	int32 int4;
	int64 int8;
	float4 float4;
	float8 float8;
} Element;

/* Return the element that NULLs are filled with: any other is taken before. */
static Element
fill_element(GaElementType type, bool is_max)
{
	Element element = {.int8 = 0};

	ga_extreme_neutral(type, is_max, &element);
	return element;
}

/* Return an element's key. */
static Element
key_of(GaElementType type, Element element)
{
	if (type == GA_float4)
		element.int4 = ga_elem_float4_key(element.int4);
	else if (type == GA_float8)
		element.int8 = ga_elem_float8_key(element.int8);
	return element;
}

/* Create a state of no arrays. */
static GaExtremeState *
create_state(MemoryContext context, GaElementType type, bool is_max)
{
	GaExtremeState *state =
		MemoryContextAllocZero(context, sizeof(GaExtremeState));

	state->type = type;
	state->is_max = is_max;
	state->context = context;
	return state;
}

/* Give a state a shape: of nothing but NULLs, or of no positions with such. */
static void
set_shape(GaExtremeState *state, const GaArrayShape *shape, bool is_unseen)
{
	const Size size = ga_element_size(state->type);
	const Element key =
		key_of(state->type, fill_element(state->type, state->is_max));
	const int n = shape->n_items;
	int i;

	state->shape = *shape;
	state->has_shape = true;
	state->keys = MemoryContextAlloc(state->context, n * size);
	for (i = 0; i < n; i++)
		memcpy(state->keys + i * size, &key, size);
	if (is_unseen)
	{
		state->unseen = MemoryContextAlloc(state->context, n);
		memset(state->unseen, true, n);
	}
}

/* Take the elements of an array; return how many there are. */
static int64
take_elements(GaExtremeState *state, GaArray *array)
{
	const Element fill = fill_element(state->type, state->is_max);
	const Size size = ga_element_size(state->type);
	int64 n_elements = 0;
	GaPositions positions;
	const bool *nulls;
	const void *data;
	int at, n, i;

	ga_positions_open(&positions, array, &fill);
	for (at = 0; (n = ga_positions_next(&positions, &data, &nulls)) > 0;
		 at += n)
	{
		CHECK_FOR_INTERRUPTS();
		(state->is_max ? ga_cpu->elem.max : ga_cpu->elem.min)[state->type](
			state->keys + at * size, data, n);
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

/* Take an array.  Errors: 2202E; those of ga_array_open. */
static void
take_array(GaExtremeState *state, Datum value)
{
	GaToastRelation relation = GA_TOAST_CLOSED;
	GaArrayShape shape;
	GaArray array;
	int64 n_elements;

	ga_array_open_in(&array, value, state->type, &relation);
	shape = ga_shape_of(&array);
	if (!state->has_shape)
		set_shape(state, &shape, ga_array_may_have_nulls(&array));
	ga_array_check_shape(&state->shape, &shape);
	if (state->unseen != NULL && !ga_array_may_have_nulls(&array))
	{
		pfree(state->unseen);
		state->unseen = NULL;
	}
	n_elements = take_elements(state, &array);
	ga_array_close(&array);
	ga_toast_close(&relation);
	ga_session_count(ga_node_counters, ga_reason_of_function(), state->type, 1,
					 n_elements);
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
		state = create_state(ga_aggregate_context(fcinfo), type, is_max);
	else
		state = (GaExtremeState *) PG_GETARG_POINTER(0);
	if (!PG_ARGISNULL(1))
	{
		ga_node_enter(fcinfo);
		take_array(state, PG_GETARG_DATUM(1));
	}
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
	GaExtremeState *state =
		PG_ARGISNULL(0) ? NULL : (GaExtremeState *) PG_GETARG_POINTER(0);
	const GaExtremeState *other;

	if (PG_ARGISNULL(1))
	{
		if (state == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state);
	}
	other = (const GaExtremeState *) PG_GETARG_POINTER(1);
	if (state == NULL)
		state = create_state(ga_aggregate_context(fcinfo), other->type,
							 other->is_max);
	if (state->type != other->type || state->is_max != other->is_max)
		ga_report(GA_BAD_STATE, state->type);
	if (!other->has_shape)
		PG_RETURN_POINTER(state);
	if (!state->has_shape)
		set_shape(state, &other->shape, true);
	ga_array_check_shape(&state->shape, &other->shape);
	merge(state, other);
	PG_RETURN_POINTER(state);
}

/* Copy n keys from the machine's byte order to the network's, or back. */
static void
swap_keys(Size size, char *to, const char *from, int n)
{
	int i;

	for (i = 0; i < n; i++, to += size, from += size)
	{
		Element key;

		memcpy(&key, from, size);
		if (size == sizeof(int16))
			key.int2 = pg_hton16(key.int2);
		else if (size == sizeof(int32))
			key.int4 = pg_hton32(key.int4);
		else
			key.int8 = pg_hton64(key.int8);
		memcpy(to, &key, size);
	}
}

/* Return the state in its canonical form. */
Datum
gpu_elem_extreme_serialize(PG_FUNCTION_ARGS)
{
	const GaExtremeState *state = (const GaExtremeState *) PG_GETARG_POINTER(0);
	const Size size = ga_element_size(state->type);
	const int n = state->has_shape ? state->shape.n_items : 0;
	const bool has_unseen = ga_extreme_n_unseen(state) > 0;
	bytea *result =
		ga_elem_allocate_bytes(VARHDRSZ + STATE_HEAD_BYTES +
							   GA_SHAPE_MAX_BYTES + 1 + (Size) n * (size + 1));
	uint8 *to = (uint8 *) VARDATA(result);

	*to++ = STATE_VERSION;
	*to++ = (uint8) state->type;
	*to++ = state->is_max;
	*to++ = state->has_shape;
	if (state->has_shape)
	{
		to = ga_shape_write(&state->shape, to);
		*to++ = has_unseen;
		if (has_unseen)
		{
			memcpy(to, state->unseen, n);
			to += n;
		}
		swap_keys(size, (char *) to, state->keys, n);
		to += n * size;
	}
	SET_VARSIZE(result, (char *) to - (char *) result);
	PG_RETURN_BYTEA_P(result);
}

/* Is that a key which an element has?  All NaNs have one. */
static bool
is_key(GaElementType type, Element key)
{
	if (type == GA_float4)
		return ga_elem_float4_key(ga_elem_float4_bits(key.int4)) == key.int4;
	return type != GA_float8 ||
		   ga_elem_float8_key(ga_elem_float8_bits(key.int8)) == key.int8;
}

/*
 * Are the keys of a state such, and those without elements as they should be?
 */
static bool
has_keys(const GaExtremeState *state)
{
	const Size size = ga_element_size(state->type);
	const Element fill =
		key_of(state->type, fill_element(state->type, state->is_max));
	int i;

	for (i = 0; i < state->shape.n_items; i++)
	{
		Element key = {.int8 = 0};

		memcpy(&key, state->keys + i * size, size);
		if (!is_key(state->type, key) ||
			(state->unseen != NULL && state->unseen[i] &&
			 memcmp(&key, &fill, size) != 0))
			return false;
	}
	return true;
}

/* Read which positions have nothing but NULLs.  False if the bytes are bad. */
static bool
read_unseen(GaExtremeState *state, const uint8 *from)
{
	const int n = state->shape.n_items;
	int i;

	for (i = 0; i < n; i++)
	{
		if (from[i] > 1)
			return false;
		state->unseen[i] = from[i];
	}
	return ga_extreme_n_unseen(state) > 0;
}

/* Read the bytes of a state into a new one. */
static GaStatus
read_state(GaExtremeState *state, const uint8 *from, const uint8 *end)
{
	const Size size = ga_element_size(state->type);
	GaArrayShape shape;
	bool has_unseen;

	if (!ga_shape_read(&shape, &from, end) || from == end || *from > 1)
		return GA_BAD_STATE;
	has_unseen = *from++;
	if ((Size) (end - from) != shape.n_items * (size + has_unseen))
		return GA_BAD_STATE;
	set_shape(state, &shape, has_unseen);
	if (has_unseen)
	{
		if (!read_unseen(state, from))
			return GA_BAD_STATE;
		from += shape.n_items;
	}
	swap_keys(size, state->keys, (const char *) from, shape.n_items);
	return has_keys(state) ? GA_OK : GA_BAD_STATE;
}

/*
 * Create a state from its canonical form, in the current context.  Errors:
 * 22P03 for bytes that are none.
 */
Datum
gpu_elem_extreme_deserialize(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	const uint8 *from = (const uint8 *) VARDATA_ANY(bytes);
	const uint8 *end = from + VARSIZE_ANY_EXHDR(bytes);
	GaExtremeState *state;

	if (from < end && *from != STATE_VERSION)
		ga_report(GA_BAD_VERSION, GA_int8);
	if (end - from < STATE_HEAD_BYTES || from[1] >= GA_N_ELEMENT_TYPES ||
		from[2] > 1 || from[3] > 1 ||
		(from[3] == 0 && end - from > STATE_HEAD_BYTES))
		ga_report(GA_BAD_STATE, GA_int8);
	state = create_state(CurrentMemoryContext, (GaElementType) from[1],
						 from[2] != 0);
	if (from[3] == 1)
		ga_check(read_state(state, from + STATE_HEAD_BYTES, end), GA_int8);
	PG_RETURN_POINTER(state);
}
