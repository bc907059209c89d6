/*
 * numeric_sums.c
 *		The aggregate state of several sums of numeric.
 *
 * Each sum is a state of PostgreSQL's, as of sum() and avg(), which its
 * functions add to, combine and serialize.  The state is in the aggregate's
 * context.
 *
 * Serialized form: a byte with the version, the number of arrays; if there are
 * any, the shape, and for each position the number of elements, the number of
 * bytes of PostgreSQL's state, and these.  Numbers are of eight bytes in
 * network byte order.
 */
#include "postgres.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "aggregate.h"
#include "elem_state.h"
#include "exact/bytes.h"
#include "extension/input/array_positions.h"
#include "numeric_sums.h"

PG_FUNCTION_INFO_V1(gpu_numeric_sums_combine);
PG_FUNCTION_INFO_V1(gpu_numeric_sums_serialize);
PG_FUNCTION_INFO_V1(gpu_numeric_sums_deserialize);

#define STATE_VERSION	1
#define STATE_MIN_BYTES (1 + sizeof(int64))
#define SUM_MIN_BYTES	(2 * sizeof(int64))

/* Create a state of no arrays. */
GaNumericSums *
ga_numeric_sums_create(MemoryContext context)
{
	GaNumericSums *sums =
		MemoryContextAllocZero(context, sizeof(GaNumericSums));

	sums->context = context;
	return sums;
}

/* Give a state without arrays a shape, and empty sums. */
static void
set_shape(GaNumericSums *sums, const GaArrayShape *shape)
{
	if (sums->states != NULL)
	{
		/* all was removed: empty sums are as good as new ones */
		if (memcmp(&sums->shape, shape, sizeof(*shape)) == 0)
			return;
		pfree(sums->states);
		pfree(sums->counts);
	}
	sums->shape = *shape;
	sums->states = MemoryContextAllocExtended(
		sums->context, shape->n_items * sizeof(Datum),
		MCXT_ALLOC_ZERO | MCXT_ALLOC_HUGE);
	sums->counts = MemoryContextAllocExtended(
		sums->context, shape->n_items * sizeof(int64),
		MCXT_ALLOC_ZERO | MCXT_ALLOC_HUGE);
}

/*
 * Return the state in argument 0: a new one if there is none, since a moving
 * aggregate must have one.  Errors: 55000 outside of an aggregate.
 */
GaNumericSums *
ga_numeric_sums_arg(FunctionCallInfo fcinfo)
{
	MemoryContext context = ga_aggregate_context(fcinfo);

	if (PG_ARGISNULL(0))
		return ga_numeric_sums_create(context);
	return (GaNumericSums *) PG_GETARG_POINTER(0);
}

/*
 * Begin to add an array of a shape, or to remove it.  Errors: 2202E if it is
 * another shape than that of the arrays before.
 */
void
ga_numeric_sums_begin_array(GaNumericSums *sums, const GaArrayShape *shape)
{
	if (sums->n_arrays == 0)
		set_shape(sums, shape);
	ga_array_check_shape(&sums->shape, shape);
}

/* Count an array that was added, or removed (by = -1). */
void
ga_numeric_sums_end_array(GaNumericSums *sums, int by)
{
	sums->n_arrays += by;
}

/* Return the state of position i, as an argument. */
static NullableDatum
state_of(const GaNumericSums *sums, int i)
{
	return (NullableDatum){.value = sums->states[i],
						   .isnull = sums->states[i] == (Datum) 0};
}

/*
 * Add an element at position i, or remove it (by = -1).  False, and the state
 * is of no use any more, if PostgreSQL cannot remove it.
 */
bool
ga_numeric_sums_apply(GaNumericSums *sums, Node *aggregate, int i,
					  Datum element, int by)
{
	GaNumericCall memory;
	FunctionCallInfo call;

	call = ga_numeric_call(&memory, numeric_avg_accum, aggregate,
						   state_of(sums, i));
	call->args[1].value = element;
	sums->states[i] =
		by > 0 ? numeric_avg_accum(call) : numeric_accum_inv(call);
	sums->counts[i] += by;
	return !call->isnull;
}

/* Return the result of a final function for position i, which may be NULL. */
Datum
ga_numeric_sums_result(const GaNumericSums *sums, Node *aggregate, int i,
					   PGFunction final, bool *is_null)
{
	GaNumericCall memory;
	FunctionCallInfo call;
	Datum result;

	*is_null = sums->counts[i] == 0;
	if (*is_null)
		return (Datum) 0;
	call = ga_numeric_call(&memory, numeric_avg_accum, aggregate,
						   state_of(sums, i));
	result = final(call);
	*is_null = call->isnull;
	return result;
}

/* Add the sums of one state to those of another with the same shape. */
static void
merge(GaNumericSums *sums, const GaNumericSums *other, Node *aggregate)
{
	int i;

	for (i = 0; i < sums->shape.n_items; i++)
	{
		GaNumericCall memory;
		FunctionCallInfo call = &memory.info;

		if (i % GA_NUMERIC_BATCH == 0)
			CHECK_FOR_INTERRUPTS();
		if (other->states[i] == (Datum) 0)
			continue;
		InitFunctionCallInfoData(*call, NULL, 2, InvalidOid, aggregate, NULL);
		call->args[0] = state_of(sums, i);
		call->args[1] = state_of(other, i);
		sums->states[i] = numeric_avg_combine(call);
		sums->counts[i] += other->counts[i];
	}
}

/*
 * Add the second state to the first; the second stays as it is.  Errors: 2202E
 * if their arrays differ in shape.
 */
Datum
gpu_numeric_sums_combine(PG_FUNCTION_ARGS)
{
	GaNumericSums *sums;
	const GaNumericSums *other;

	if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
		PG_RETURN_NULL();
	sums = ga_numeric_sums_arg(fcinfo);
	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(sums);
	other = (const GaNumericSums *) PG_GETARG_POINTER(1);
	if (other->n_arrays == 0)
		PG_RETURN_POINTER(sums);
	ga_numeric_sums_begin_array(sums, &other->shape);
	merge(sums, other, fcinfo->context);
	sums->n_arrays += other->n_arrays;
	PG_RETURN_POINTER(sums);
}

/* Return PostgreSQL's bytes of the state of a position; NULL for none. */
static bytea *
serialize_state(const GaNumericSums *sums, Node *aggregate, int i)
{
	GaNumericCall memory;
	FunctionCallInfo call = &memory.info;

	if (sums->states[i] == (Datum) 0)
		return NULL;
	InitFunctionCallInfoData(*call, NULL, 1, InvalidOid, aggregate, NULL);
	call->args[0] = state_of(sums, i);
	return DatumGetByteaP(numeric_avg_serialize(call));
}

/* Return the state in its canonical form. */
Datum
gpu_numeric_sums_serialize(PG_FUNCTION_ARGS)
{
	const GaNumericSums *sums = (const GaNumericSums *) PG_GETARG_POINTER(0);
	const int n = sums->n_arrays == 0 ? 0 : sums->shape.n_items;
	bytea **states = MemoryContextAllocHuge(CurrentMemoryContext,
											Max(n, 1) * sizeof(bytea *));
	Size n_bytes = VARHDRSZ + STATE_MIN_BYTES + GA_SHAPE_MAX_BYTES;
	bytea *result;
	uint8 *to;
	int i;

	for (i = 0; i < n; i++)
	{
		if (i % GA_NUMERIC_BATCH == 0)
			CHECK_FOR_INTERRUPTS();
		states[i] = serialize_state(sums, fcinfo->context, i);
		n_bytes += SUM_MIN_BYTES;
		if (states[i] != NULL)
			n_bytes += VARSIZE(states[i]) - VARHDRSZ;
	}
	result = ga_elem_allocate_bytes(n_bytes);
	to = (uint8 *) VARDATA(result);
	*to++ = STATE_VERSION;
	to = ga_put_int64(to, sums->n_arrays);
	if (sums->n_arrays != 0)
		to = ga_shape_write(&sums->shape, to);
	for (i = 0; i < n; i++)
	{
		const Size size = states[i] == NULL ? 0 : VARSIZE(states[i]) - VARHDRSZ;

		to = ga_put_int64(to, sums->counts[i]);
		to = ga_put_int64(to, size);
		if (size > 0)
			memcpy(to, VARDATA(states[i]), size);
		to += size;
	}
	SET_VARSIZE(result, (char *) to - (char *) result);
	PG_RETURN_BYTEA_P(result);
}

/* Return a state of PostgreSQL's from its bytes, in the current context. */
static Datum
deserialize_state(Node *aggregate, const uint8 *from, Size size)
{
	GaNumericCall memory;
	FunctionCallInfo call = &memory.info;
	bytea *bytes = palloc(VARHDRSZ + size);
	Datum state;

	SET_VARSIZE(bytes, VARHDRSZ + size);
	memcpy(VARDATA(bytes), from, size);
	InitFunctionCallInfoData(*call, NULL, 2, InvalidOid, aggregate, NULL);
	call->args[0] =
		(NullableDatum){.value = PointerGetDatum(bytes), .isnull = false};
	call->args[1] = (NullableDatum){.value = (Datum) 0, .isnull = true};
	state = numeric_avg_deserialize(call);
	pfree(bytes);
	return state;
}

/* Read the sums of a state that has a shape.  False if the bytes are bad. */
static bool
read_sums(GaNumericSums *sums, Node *aggregate, const uint8 *from,
		  const uint8 *end)
{
	int i;

	for (i = 0; i < sums->shape.n_items; i++)
	{
		uint64 size;

		if (i % GA_NUMERIC_BATCH == 0)
			CHECK_FOR_INTERRUPTS();
		if ((Size) (end - from) < SUM_MIN_BYTES)
			return false;
		sums->counts[i] = ga_get_int64(&from);
		size = (uint64) ga_get_int64(&from);
		if (sums->counts[i] < 0 || size > (Size) (end - from) ||
			(size == 0 && sums->counts[i] > 0))
			return false;
		if (size > 0)
			sums->states[i] = deserialize_state(aggregate, from, size);
		from += size;
	}
	return from == end;
}

/*
 * Create a state from its canonical form, in the current context.  Errors:
 * 22P03 for bytes that are none; those of PostgreSQL for a sum that is none.
 */
Datum
gpu_numeric_sums_deserialize(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	const uint8 *from = (const uint8 *) VARDATA_ANY(bytes);
	const uint8 *end = from + VARSIZE_ANY_EXHDR(bytes);
	GaNumericSums *sums = ga_numeric_sums_create(CurrentMemoryContext);
	GaArrayShape shape;

	if (from < end && *from != STATE_VERSION)
		ga_report(GA_BAD_VERSION, GA_int8);
	if ((Size) (end - from) < STATE_MIN_BYTES)
		ga_report(GA_BAD_STATE, GA_int8);
	from++;
	sums->n_arrays = ga_get_int64(&from);
	if (sums->n_arrays == 0 && from == end)
		PG_RETURN_POINTER(sums);
	if (sums->n_arrays <= 0 || !ga_shape_read(&shape, &from, end) ||
		(Size) (end - from) / SUM_MIN_BYTES < (Size) shape.n_items)
		ga_report(GA_BAD_STATE, GA_int8);
	set_shape(sums, &shape);
	if (!read_sums(sums, fcinfo->context, from, end))
		ga_report(GA_BAD_STATE, GA_int8);
	PG_RETURN_POINTER(sums);
}
