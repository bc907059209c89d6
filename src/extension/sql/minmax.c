/*
 * minmax.c
 *		gpu_min, gpu_max, gpu_array_min and gpu_array_max.
 *
 * The state of an aggregate is the least or the largest element so far, a value
 * of the element type: parallel plans exchange it as it is, and combine states
 * by the transition for columns.  That of integers is PostgreSQL's own; the one
 * of floats is here, since -0 is less than 0 (extremum.h), and is not strict,
 * so that even of one NaN the result has the usual bits.
 *
 * Called by the executor.  Arrays are read by the CPU.
 */
#include "postgres.h"
#include "fmgr.h"

#include "exact/extremum.h"
#include "extension/element_datum.h"
#include "extension/engine/choice.h"
#include "extension/engine/cpu_reduce.h"
#include "extension/engine/node_counters.h"
#include "extension/settings.h"
#include "part.h"

/* The least or the largest element so far. */
typedef struct Extremum
{
	bool is_max;
	bool is_set;
	union
	{
#define X(name, family, ctype) ctype name;
		GA_ELEMENT_TYPES(X)
#undef X
	} value;
} Extremum;

/* add_int2(extremum, x): take an element into account. */
#define X(name, family, ctype)                                        \
	static inline void add_##name(Extremum *e, ctype x)               \
	{                                                                 \
		if (!e->is_set)                                               \
			e->value.name = x;                                        \
		e->is_set = true;                                             \
		e->value.name = e->is_max ? ga_max_##name(x, e->value.name) : \
									ga_min_##name(x, e->value.name);  \
	}
GA_ELEMENT_TYPES(X)
#undef X

/* Take n > 0 elements into account: a GaReduceAdd. */
static void *
add_run(void *state, GaElementType type, const void *data, size_t n)
{
	Extremum *e = state;

	switch (type)
	{
#define X(name, family, ctype)                                  \
	case GA_##name:                                             \
		add_##name(e, e->is_max ? ga_cpu->max_##name(data, n) : \
								  ga_cpu->min_##name(data, n)); \
		break;
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			Assert(false);
	}
	return e;
}

/* Take an argument of the element type into account, if it is not NULL. */
static void
add_arg(FunctionCallInfo fcinfo, int arg, Extremum *e, GaElementType type)
{
	if (PG_ARGISNULL(arg))
		return;
	switch (type)
	{
#define X(name, family, ctype)                                \
	case GA_##name:                                           \
		add_##name(e, ga_datum_##name(PG_GETARG_DATUM(arg))); \
		break;
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			Assert(false);
	}
}

/*
 * Take the elements of an array argument into account, or of the part of it
 * whose bounds follow.
 */
static void
add_array_arg(FunctionCallInfo fcinfo, int arg, Extremum *e, GaElementType type)
{
	ga_node_enter(fcinfo);
	(void) ga_cpu_reduce_array(add_run, e, type, PG_GETARG_DATUM(arg),
							   ga_part_arg(fcinfo, arg + 1),
							   ga_reason_of_function());
}

/* Return what was found; NULL if nothing. */
static Datum
extremum_datum(FunctionCallInfo fcinfo, const Extremum *e, GaElementType type)
{
	if (!e->is_set)
		PG_RETURN_NULL();
	switch (type)
	{
#define X(name, ctype, macro, oid, total_oid) \
	case GA_##name:                           \
		return macro##GetDatum(e->value.name);
		GA_ELEMENT_DATUMS(X)
#undef X
		default:
			PG_RETURN_NULL();
	}
}

/* Add an array, or a part of it, to the state in argument 0. */
static Datum
accum_array(FunctionCallInfo fcinfo, GaElementType type, bool is_max)
{
	Extremum e = {.is_max = is_max};

	add_arg(fcinfo, 0, &e, type);
	if (!ga_part_is_null(fcinfo))
		add_array_arg(fcinfo, 1, &e, type);
	return extremum_datum(fcinfo, &e, type);
}

/* Add a value, or another state, to the state in argument 0. */
static Datum
accum(FunctionCallInfo fcinfo, GaElementType type, bool is_max)
{
	Extremum e = {.is_max = is_max};

	add_arg(fcinfo, 0, &e, type);
	add_arg(fcinfo, 1, &e, type);
	return extremum_datum(fcinfo, &e, type);
}

/* Return the least or the largest element of an array, or of a part of it. */
static Datum
of_array(FunctionCallInfo fcinfo, GaElementType type, bool is_max)
{
	Extremum e = {.is_max = is_max};

	add_array_arg(fcinfo, 0, &e, type);
	return extremum_datum(fcinfo, &e, type);
}

#define FUNCTION(function, type, is_max, result) \
	PG_FUNCTION_INFO_V1(function);               \
	Datum function(PG_FUNCTION_ARGS)             \
	{                                            \
		return result(fcinfo, type, is_max);     \
	}

#define X(name, family, ctype)                                            \
	FUNCTION(gpu_min_accum_##name##_array, GA_##name, false, accum_array) \
	FUNCTION(gpu_max_accum_##name##_array, GA_##name, true, accum_array)  \
	FUNCTION(gpu_array_min_##name, GA_##name, false, of_array)            \
	FUNCTION(gpu_array_max_##name, GA_##name, true, of_array)
GA_ELEMENT_TYPES(X)
#undef X

#define X(name, family, ctype)                              \
	FUNCTION(gpu_min_accum_##name, GA_##name, false, accum) \
	FUNCTION(gpu_max_accum_##name, GA_##name, true, accum)
GA_FLOAT_TYPES(X)
#undef X
