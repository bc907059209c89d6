/*
 * elem_extreme.c
 *		gpu_elem_min and gpu_elem_max.
 *
 * Aggregates of arrays of one shape, whose result is an array of that shape:
 * each position has the least or greatest element there.  In PostgreSQL's order
 * NaN is the greatest; of -0 and 0 min gives -0 and max gives 0.
 *
 * Called by the executor.  The state is that of elem_extreme_state.c, and the
 * final functions leave it unchanged.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "aggregate.h"
#include "elem_extreme.h"
#include "elem_state.h"
#include "extension/element_datum.h"
#include "extension/engine/choice.h"

/* Write the element of a key. */
static inline void
write_element(const GaExtremeState *state, int i, char *to)
{
	const char *key = state->keys + (Size) i * ga_element_size(state->type);

	if (state->type == GA_float8)
		*(int64 *) to = ga_float8_of_key(*(const int64 *) key);
	else if (state->type == GA_float4)
		*(int32 *) to = ga_float4_of_key(*(const int32 *) key);
	else
		memcpy(to, key, ga_element_size(state->type));
}

/* Return the array of a state that has positions. */
static Datum
make_result(const GaExtremeState *state)
{
	const Size size = ga_element_size(state->type);
	const int n = state->shape.n_items;
	const int n_nulls = ga_extreme_n_unseen(state);
	GaArrayResult result;
	char *to;
	int i;

	ga_array_result_init_shape(&result, &state->shape,
							   ga_element_oid(state->type), n_nulls > 0,
							   (Size) (n - n_nulls) * size, GA_ELEM_HINT);
	to = result.data;
	for (i = 0; i < n; i++)
	{
		if (i % GA_ELEM_BLOCK == 0)
			CHECK_FOR_INTERRUPTS();
		if (n_nulls > 0)
		{
			if (state->unseen[i])
				continue;
			ga_array_result_set_not_null(&result, i, i + 1);
		}
		write_element(state, i, to);
		to += size;
	}
	result.n_data_bytes = result.capacity;
	return ga_array_result_datum(&result);
}

/*
 * Return the result of the state in argument 0: NULL without arrays.  Errors:
 * 54000; 22P03 for a state of another type.
 */
static Datum
final(FunctionCallInfo fcinfo, GaElementType type)
{
	GaExtremeState *state;
	Datum result;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (GaExtremeState *) PG_GETARG_POINTER(0);
	if (state->type != type)
		ga_report(GA_BAD_STATE, type);
	if (!state->has_shape)
		PG_RETURN_NULL();
	if (state->shape.n_items == 0)
		PG_RETURN_POINTER(construct_empty_array(ga_element_oid(type)));
	ga_node_enter(fcinfo);
	if (state->keys == NULL &&
		ga_elem_make_values(&state->noted, ga_extreme_form(state),
							&state->shape, ga_element_oid(type), &result))
		PG_RETURN_DATUM(result);
	return make_result(ga_extreme_state_arg(fcinfo, 0));
}

#define X(name, family, ctype)                              \
	GA_FUNCTION(gpu_elem_min_accum_##name,                  \
				ga_extreme_accum(fcinfo, GA_##name, false)) \
	GA_FUNCTION(gpu_elem_max_accum_##name,                  \
				ga_extreme_accum(fcinfo, GA_##name, true))  \
	GA_FUNCTION(gpu_elem_extreme_##name##_final, final(fcinfo, GA_##name))
GA_ELEMENT_TYPES(X)
#undef X
