/*
 * elem.c
 *		gpu_elem_sum, gpu_elem_avg and gpu_elem_count.
 *
 * Aggregates of arrays of one shape, whose result is an array of that shape:
 * each position is what gpu_sum, gpu_avg or gpu_count give for the elements
 * there.  A query with several of them of one argument runs the transition
 * once.
 *
 * Called by the executor.  The state is that of elem_state.c, and the final
 * functions leave it unchanged.
 */
#include "postgres.h"
#include "miscadmin.h"
#include "utils/array.h"

#include "aggregate.h"
#include "elem_state.h"
#include "extension/element_datum.h"
#include "mean.h"

/* Write the result of position i of a block, which has inputs. */
typedef void (*PutResult)(const GaElemSum *sum, const GaElemBlock *block, int i,
						  void *to);

static void
put_count(const GaElemSum *sum, const GaElemBlock *block, int i, void *to)
{
	*(int64 *) to = ga_elem_n_inputs(sum, block, i);
}

static void
put_bigint(const GaElemSum *sum, const GaElemBlock *block, int i, void *to)
{
	const GaInt128 total = ga_elem_int_total(block, i);

	if (total != (int64) total)
		ga_report(GA_OVERFLOW, GA_int8);
	*(int64 *) to = (int64) total;
}

static void
put_float4(const GaElemSum *sum, const GaElemBlock *block, int i, void *to)
{
	ga_check(ga_elem_float4(sum, block, i, to), GA_float4);
}

static void
put_float8(const GaElemSum *sum, const GaElemBlock *block, int i, void *to)
{
	ga_check(ga_elem_float(sum, block, i, false, to), GA_float8);
}

static void
put_mean(const GaElemSum *sum, const GaElemBlock *block, int i, void *to)
{
	ga_check(ga_elem_float(sum, block, i, true, to), GA_float8);
}

/* Write the total of a position to a GaIntNumeric. */
static void
put_numeric(const GaElemSum *sum, const GaElemBlock *block, int i, void *to)
{
	(void) ga_total_numeric(ga_elem_int_total(block, i), to);
}

/* Write the mean of a position to a GaIntNumeric. */
static void
put_numeric_mean(const GaElemSum *sum, const GaElemBlock *block, int i,
				 void *to)
{
	(void) ga_mean_numeric(ga_elem_int_total(block, i),
						   ga_elem_n_inputs(sum, block, i), to);
}

/* Return how many positions have no inputs. */
static int
count_nulls(const GaElemSum *sum)
{
	int n = 0;
	size_t b;
	int i;

	for (b = 0; b < sum->n_blocks; b++)
	{
		const GaElemBlock *block = &sum->blocks[b];

		for (i = 0; block->counts[GA_ELEM_NULLS] != NULL && i < block->n; i++)
			n += ga_elem_n_inputs(sum, block, i) == 0;
	}
	return n;
}

/* A result under construction, position by position. */
typedef struct ElemResult
{
	const GaElemState *state;
	GaArrayResult array;
	bool has_nulls;
} ElemResult;

static void
init_result(ElemResult *result, const GaElemState *state, Oid type, int n_nulls,
			Size size)
{
	result->state = state;
	result->has_nulls = n_nulls > 0;
	ga_array_result_init_shape(
		&result->array, &state->shape, type, result->has_nulls,
		(Size) (state->shape.n_items - n_nulls) * size, GA_ELEM_HINT);
}

/* Say that a position has a result, if it has; all have one without NULLs. */
static inline bool
has_result(ElemResult *result, const GaElemBlock *block, int i)
{
	const GaElemSum *sum = &result->state->sum;
	int position;

	if (!result->has_nulls)
		return true;
	if (ga_elem_n_inputs(sum, block, i) == 0)
		return false;
	position = (int) (block - sum->blocks) * GA_ELEM_BLOCK + i;
	ga_array_result_set_not_null(&result->array, position, position + 1);
	return true;
}

/*
 * Return an array of results of a fixed size.  Inline, so that no position
 * takes a call of `put`.
 */
static pg_attribute_always_inline Datum
fixed_result(const GaElemState *state, Oid type, int n_nulls, Size size,
			 PutResult put)
{
	const GaElemSum *sum = &state->sum;
	ElemResult result;
	char *to;
	size_t b;
	int i;

	init_result(&result, state, type, n_nulls, size);
	to = result.array.data;
	for (b = 0; b < sum->n_blocks; b++)
	{
		const GaElemBlock *block = &sum->blocks[b];

		CHECK_FOR_INTERRUPTS();
		for (i = 0; i < block->n; i++)
		{
			if (!has_result(&result, block, i))
				continue;
			put(sum, block, i, to);
			to += size;
		}
	}
	result.array.n_data_bytes = result.array.capacity;
	return ga_array_result_datum(&result.array);
}

/* Append the numerics of a block. */
static void
append_numerics(ElemResult *result, const GaElemBlock *block, PutResult put)
{
	GaIntNumeric numeric;
	int i;

	for (i = 0; i < block->n; i++)
	{
		if (!has_result(result, block, i))
			continue;
		put(&result->state->sum, block, i, &numeric);
		ga_array_result_append(&result->array, &numeric, VARSIZE(&numeric),
							   ALIGNOF_INT);
	}
}

/* Return an array of numerics. */
static Datum
numeric_result(const GaElemState *state, int n_nulls, PutResult put)
{
	ElemResult result;
	size_t b;

	init_result(&result, state, NUMERICOID, n_nulls, sizeof(int64));
	for (b = 0; b < state->sum.n_blocks; b++)
	{
		CHECK_FOR_INTERRUPTS();
		append_numerics(&result, &state->sum.blocks[b], put);
	}
	return ga_array_result_datum(&result.array);
}

/* What the aggregates return. */
typedef enum What
{
	SUM,
	AVG,
	COUNT
} What;

/* Return the result of a state that has a shape, of positions. */
static Datum
make_result(const GaElemState *state, What what)
{
	const int n_nulls = what == COUNT ? 0 : count_nulls(&state->sum);
	const bool is_float = ga_element_is_float(state->type);

	if (what == COUNT)
		return fixed_result(state, INT8OID, 0, sizeof(int64), put_count);
	if (what == AVG && is_float)
		return fixed_result(state, FLOAT8OID, n_nulls, sizeof(float8),
							put_mean);
	if (what == AVG)
		return numeric_result(state, n_nulls, put_numeric_mean);
	if (state->type == GA_float8)
		return fixed_result(state, FLOAT8OID, n_nulls, sizeof(float8),
							put_float8);
	if (state->type == GA_float4)
		return fixed_result(state, FLOAT4OID, n_nulls, sizeof(float4),
							put_float4);
	if (state->type == GA_int8)
		return numeric_result(state, n_nulls, put_numeric);
	return fixed_result(state, INT8OID, n_nulls, sizeof(int64), put_bigint);
}

/* Return the type of the elements of a result. */
static Oid
result_type(GaElementType type, What what)
{
	if (what == COUNT)
		return INT8OID;
	return what == SUM ? ga_total_oid(type) : ga_mean_oid(type);
}

/* Have the device make a sum or mean; return false if it does not. */
static bool
make_by_device(GaElemState *state, What what, Datum *result)
{
	const GaElemForm form = what == SUM ? GA_FORM_SUM : GA_FORM_MEAN;

	return state->sum.n_arrays == 0 && ga_elem_has_form(state->type, form) &&
		   ga_elem_make_values(&state->noted, form, &state->shape,
							   result_type(state->type, what), result);
}

/*
 * Count noted arrays without adding them.  If nobody has looked whether they
 * are all alike, the device does.
 */
static bool
count_noted(GaElemState *state, Datum *datum)
{
	GaElemState counted;

	if (state->noted.has_unseen && !ga_elem_look(&state->noted))
		return false;
	counted = *state;
	counted.sum.n_arrays += state->noted.n;
	*datum = make_result(&counted, COUNT);
	return true;
}

/*
 * Return the result of the state in argument 0: NULL without arrays.  Errors:
 * 22003 if a position is out of range; 54000; 22P03 for a state of another
 * type.
 */
static Datum
final(FunctionCallInfo fcinfo, GaElementType type, What what)
{
	GaElemState *state;
	Datum result;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (GaElemState *) PG_GETARG_POINTER(0);
	if (state->type != type)
		ga_report(GA_BAD_STATE, type);
	if (!state->has_shape)
		PG_RETURN_NULL();
	if (state->shape.n_items == 0)
		PG_RETURN_POINTER(construct_empty_array(result_type(type, what)));
	ga_node_enter(fcinfo);
	if (state->noted.n > 0 &&
		(what == COUNT ? count_noted(state, &result) :
						 make_by_device(state, what, &result)))
		PG_RETURN_DATUM(result);
	return make_result(ga_elem_state_arg(fcinfo, 0), what);
}

#define X(name, family, ctype)                                                \
	GA_FUNCTION(gpu_elem_accum_##name, ga_elem_apply(fcinfo, GA_##name, 1))   \
	GA_FUNCTION(gpu_elem_remove_##name, ga_elem_apply(fcinfo, GA_##name, -1)) \
	GA_FUNCTION(gpu_elem_sum_##name##_final, final(fcinfo, GA_##name, SUM))   \
	GA_FUNCTION(gpu_elem_avg_##name##_final, final(fcinfo, GA_##name, AVG))   \
	GA_FUNCTION(gpu_elem_count_##name##_final, final(fcinfo, GA_##name, COUNT))
GA_ELEMENT_TYPES(X)
#undef X
