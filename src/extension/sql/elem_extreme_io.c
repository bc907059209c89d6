/*
 * elem_extreme_io.c
 *		The aggregate state of extremes by position as bytes.
 *
 * Serialized form: a byte with the version, the element type, whether it is of
 * the greatest, whether there is a shape.  If there is, the shape follows; a
 * byte, 1 if there are positions with nothing but NULLs; for each position a
 * byte, 1 if it is such a one, if there are any; and the keys in network byte
 * order.
 */
#include "postgres.h"
#include "port/pg_bswap.h"

#include "aggregate.h"
#include "elem_extreme.h"
#include "elem_state.h"

PG_FUNCTION_INFO_V1(gpu_elem_extreme_serialize);
PG_FUNCTION_INFO_V1(gpu_elem_extreme_deserialize);

#define STATE_VERSION	 1
#define STATE_HEAD_BYTES 4

/* Copy n keys from the machine's byte order to the network's, or back. */
static void
swap_keys(Size size, char *to, const char *from, int n)
{
	int i;

	for (i = 0; i < n; i++, to += size, from += size)
	{
		GaElement key;

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
	const GaExtremeState *state = ga_extreme_state_arg(fcinfo, 0);
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
is_key(GaElementType type, GaElement key)
{
	if (type == GA_float4)
		return ga_float4_key(ga_float4_of_key(key.int4)) == key.int4;
	return type != GA_float8 ||
		   ga_float8_key(ga_float8_of_key(key.int8)) == key.int8;
}

/*
 * Are the keys of a state such, and those without elements as they should be?
 */
static bool
has_keys(const GaExtremeState *state)
{
	const Size size = ga_element_size(state->type);
	const GaElement fill = ga_extreme_key(
		state->type, ga_extreme_fill(state->type, state->is_max));
	int i;

	for (i = 0; i < state->shape.n_items; i++)
	{
		GaElement key = {.int8 = 0};

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
	ga_extreme_set_shape(state, &shape, has_unseen);
	ga_extreme_need_keys(state);
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
	state = ga_extreme_create(CurrentMemoryContext, (GaElementType) from[1],
							  from[2] != 0);
	if (from[3] == 1)
		ga_check(read_state(state, from + STATE_HEAD_BYTES, end), GA_int8);
	PG_RETURN_POINTER(state);
}
