/*
 * float_state.c
 *		The aggregate state of float sums: an exact sum in one piece of memory.
 *
 * It begins with room for a few cells, which fills one of the allocator's
 * chunks of 128 bytes, and moves to a larger chunk when the exponents spread;
 * so a transition returns a state that may be elsewhere.  It lives in the
 * aggregate's context and holds no pointers.  The final functions leave it as
 * it is.
 */
#include "postgres.h"
#include "utils/memutils.h"

#include "aggregate.h"
#include "extension/engine/engine.h"
#include "extension/error.h"
#include "exact/exact_sum_io.h"
#include "float_state.h"
#include "extension/pg_compat.h"

PG_FUNCTION_INFO_V1(gpu_sum_float_combine);
PG_FUNCTION_INFO_V1(gpu_sum_float_serialize);
PG_FUNCTION_INFO_V1(gpu_sum_float_deserialize);
PG_FUNCTION_INFO_V1(gpu_sum_float4_final);
PG_FUNCTION_INFO_V1(gpu_sum_float8_final);

/* States that fill a chunk of 8 kB, the allocator's largest. */
#define STATE_BYTES		 MAXALIGN(GA_EXACT_SUM_SIZE(GA_MAX_CELLS))
#define STATES_PER_CHUNK ((int) (8192 / STATE_BYTES))

static GaExactSum *
create(MemoryContext context, int capacity)
{
	GaExactSum *sum = MemoryContextAlloc(context, GA_EXACT_SUM_SIZE(capacity));

	ga_exact_sum_init(sum, capacity);
	return sum;
}

/* Move a state of its own chunk to a place of some capacity. */
static GaExactSum *
move(GaExactSum *sum, void *to, int capacity)
{
	Assert(ga_exact_sum_is_valid(sum));
	ga_exact_sum_copy(to, capacity, sum);
	pfree(sum);
	return to;
}

/* A state with more room, in the same context. */
GaExactSum *
ga_float_state_grow(GaExactSum *sum)
{
	int capacity = ga_exact_sum_larger(sum);

	return move(sum,
				MemoryContextAlloc(GetMemoryChunkContext(sum),
								   GA_EXACT_SUM_SIZE(capacity)),
				capacity);
}

/* Room for a state of the largest size. */
static void *
take_room(GaStateRoom *room, MemoryContext context)
{
	void *state;

	if (room->n_left == 0)
	{
		const int n = room->has_many ? STATES_PER_CHUNK : 1;

		room->next = MemoryContextAlloc(context, n * STATE_BYTES);
		room->n_left = n;
		room->has_many = true;
	}
	state = room->next;
	room->next += STATE_BYTES;
	room->n_left--;
	return state;
}

/*
 * A state with room for everything, which stays where it is from now on: until
 * its context goes, for it is in no chunk of its own.
 */
GaExactSum *
ga_float_state_fill(GaExactSum *sum, GaStateRoom *room)
{
	if (sum->capacity == GA_MAX_CELLS)
		return sum;
	return move(sum, take_room(room, GetMemoryChunkContext(sum)), GA_MAX_CELLS);
}

/* A new state in the aggregate's context. */
GaExactSum *
ga_float_state_create(FunctionCallInfo fcinfo)
{
	return create(ga_aggregate_context(fcinfo), GA_MIN_CELLS);
}

/* The sum of two states, in the first one; the second one stays as it is. */
Datum
gpu_sum_float_combine(PG_FUNCTION_ARGS)
{
	GaExactSum *sum = ga_float_state_arg(fcinfo);

	ga_engine_finish();
	if (!PG_ARGISNULL(1))
	{
		GaExactSum *other = (GaExactSum *) PG_GETARG_POINTER(1);

		Assert(ga_exact_sum_is_valid(other));
		while (ga_exact_sum_merge(sum, other) != GA_OK)
			sum = ga_float_state_grow(sum);
	}
	PG_RETURN_POINTER(sum);
}

Datum
gpu_sum_float_serialize(PG_FUNCTION_ARGS)
{
	GaExactSum *sum = (GaExactSum *) PG_GETARG_POINTER(0);
	bytea *result = palloc(VARHDRSZ + GA_EXACT_SUM_MAX_BYTES);
	size_t n_bytes;

	ga_engine_finish();
	Assert(ga_exact_sum_is_valid(sum));
	n_bytes = ga_exact_sum_serialize(sum, (uint8_t *) VARDATA(result));
	SET_VARSIZE(result, VARHDRSZ + n_bytes);
	PG_RETURN_BYTEA_P(result);
}

/* A state in the current context.  Errors: 22P03 for bytes of another origin. */
Datum
gpu_sum_float_deserialize(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	GaFullSum full;
	GaExactSum *read = ga_full_sum(&full);
	GaExactSum *sum;

	ga_check(ga_exact_sum_deserialize(&full,
									  (const uint8_t *) VARDATA_ANY(bytes),
									  VARSIZE_ANY_EXHDR(bytes)),
			 GA_float8);
	sum = create(CurrentMemoryContext, read->n_cells);
	ga_exact_sum_copy(sum, read->n_cells, read);
	PG_RETURN_POINTER(sum);
}

/*
 * The result of a sum, rounded once to the type: NULL without input, 22003 if
 * out of range.
 */
Datum
ga_float_sum_result(FunctionCallInfo fcinfo, const GaExactSum *sum,
					GaElementType type)
{
	float4 single;
	float8 result;

	if (sum == NULL || sum->n == 0)
		PG_RETURN_NULL();
	Assert(ga_exact_sum_is_valid(sum));
	if (type == GA_float4)
	{
		ga_check(ga_exact_sum_float4(sum, &single), type);
		PG_RETURN_FLOAT4(single);
	}
	ga_check(ga_exact_sum_float8(sum, &result), type);
	PG_RETURN_FLOAT8(result);
}

static GaExactSum *
final_arg(FunctionCallInfo fcinfo)
{
	ga_engine_finish();
	return PG_ARGISNULL(0) ? NULL : (GaExactSum *) PG_GETARG_POINTER(0);
}

Datum
gpu_sum_float4_final(PG_FUNCTION_ARGS)
{
	return ga_float_sum_result(fcinfo, final_arg(fcinfo), GA_float4);
}

Datum
gpu_sum_float8_final(PG_FUNCTION_ARGS)
{
	return ga_float_sum_result(fcinfo, final_arg(fcinfo), GA_float8);
}
