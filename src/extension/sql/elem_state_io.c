/*
 * elem_state_io.c
 *		The aggregate state of sums position by position as bytes.
 *
 * Serialized form: a byte with the version, the element type, whether there is
 * a shape; if there is, the number of dimensions, lengths and lower bounds, and
 * the bytes of the sums.  Shapes are written and read for elem_extreme_state.c,
 * too.
 */
#include "postgres.h"
#include "utils/memutils.h"

#include "aggregate.h"
#include "elem_state.h"
#include "exact/bytes.h"

PG_FUNCTION_INFO_V1(gpu_elem_serialize);
PG_FUNCTION_INFO_V1(gpu_elem_deserialize);

#define STATE_VERSION	 1
#define STATE_HEAD_BYTES 3

/* Write a shape, up to GA_SHAPE_MAX_BYTES, and return the end of its bytes. */
uint8 *
ga_shape_write(const GaArrayShape *shape, uint8 *to)
{
	int d;

	*to++ = (uint8) shape->n_dims;
	for (d = 0; d < shape->n_dims; d++)
	{
		to = ga_put_int64(to, shape->dims[d]);
		to = ga_put_int64(to, shape->lower_bounds[d]);
	}
	return to;
}

/* Allocate memory for the bytes of a state.  Errors: 54000. */
bytea *
ga_elem_allocate_bytes(Size n_bytes)
{
	if (!AllocSizeIsValid(n_bytes))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("aggregate state exceeds the maximum allowed size (%d)",
						(int) MaxAllocSize),
				 errhint("Set max_parallel_workers_per_gather to 0, or take "
						 "parts of the arrays.")));
	return palloc(n_bytes);
}

/* Return the state in its canonical form. */
Datum
gpu_elem_serialize(PG_FUNCTION_ARGS)
{
	const GaElemState *state = ga_elem_state_arg(fcinfo, 0);
	const Size most = VARHDRSZ + STATE_HEAD_BYTES + GA_SHAPE_MAX_BYTES +
					  (state->has_shape ? ga_elem_max_bytes(&state->sum) : 0);
	bytea *result = ga_elem_allocate_bytes(most);
	uint8 *to = (uint8 *) VARDATA(result);

	*to++ = STATE_VERSION;
	*to++ = (uint8) state->type;
	*to++ = state->has_shape;
	if (state->has_shape)
	{
		to = ga_shape_write(&state->shape, to);
		to += ga_elem_serialize(&state->sum, to);
	}
	SET_VARSIZE(result, (char *) to - (char *) result);
	PG_RETURN_BYTEA_P(result);
}

/*
 * Read a shape, and move *from behind it.  False if no array has it.
 */
bool
ga_shape_read(GaArrayShape *shape, const uint8 **from, const uint8 *end)
{
	int64 n_items = 1;
	int d;

	memset(shape, 0, sizeof(*shape));
	if (*from == end || **from > MAXDIM || end - *from < 1 + 16 * **from)
		return false;
	shape->n_dims = *(*from)++;
	for (d = 0; d < shape->n_dims; d++)
	{
		const int64 n = ga_get_int64(from);
		const int64 low = ga_get_int64(from);

		if (n < 1 || n > (int64) MaxArraySize || low < PG_INT32_MIN ||
			low > PG_INT32_MAX - n)
			return false;
		shape->dims[d] = (int) n;
		shape->lower_bounds[d] = (int) low;
		n_items *= n;
		if (n_items > (int64) MaxArraySize)
			return false;
	}
	shape->n_items = shape->n_dims > 0 ? (int) n_items : 0;
	return true;
}

/* Read the bytes of a state into a new one. */
static GaStatus
read_state(GaElemState *state, const uint8 *from, const uint8 *end)
{
	GaArrayShape shape;

	if (!ga_shape_read(&shape, &from, end) ||
		end - from < shape.n_items / GA_ELEM_BLOCK)
		return GA_BAD_STATE;
	ga_elem_set_shape(state, &shape);
	return ga_elem_deserialize(&state->sum, from, end - from);
}

/*
 * Create a state from its canonical form, in the current context.  Errors:
 * 22P03 for bytes that are none.
 */
Datum
gpu_elem_deserialize(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	const uint8 *from = (const uint8 *) VARDATA_ANY(bytes);
	const uint8 *end = from + VARSIZE_ANY_EXHDR(bytes);
	GaElemState *state;

	if (from < end && *from != STATE_VERSION)
		ga_report(GA_BAD_VERSION, GA_int8);
	if (end - from < STATE_HEAD_BYTES || from[1] >= GA_N_ELEMENT_TYPES ||
		from[2] > 1 || (from[2] == 0 && end - from > STATE_HEAD_BYTES))
		ga_report(GA_BAD_STATE, GA_int8);
	state = ga_elem_create(CurrentMemoryContext, (GaElementType) from[1]);
	if (from[2] == 1)
		ga_check(read_state(state, from + STATE_HEAD_BYTES, end), GA_int8);
	PG_RETURN_POINTER(state);
}
