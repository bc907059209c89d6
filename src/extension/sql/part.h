/*
 * part.h
 *		The bounds of a part of an array, as arguments.
 *
 * A function of one array has a form with bounds behind the array, f(arr,
 * first, last), with the same C function (sql/kinds/array_part.sql); so have
 * the transitions of an aggregate.  part_plan.c turns f(arr[i:j]) into it.
 */
#ifndef GA_PART_H
#define GA_PART_H

#include "fmgr.h"

#include "extension/input/array.h"

/*
 * Return the part that a call is about, with bounds from argument i on, or all.
 */
static inline GaPart
ga_part_arg(FunctionCallInfo fcinfo, int i)
{
	if (PG_NARGS() <= i)
		return GA_WHOLE;
	return (GaPart){PG_GETARG_INT32(i), PG_GETARG_INT32(i + 1)};
}

/*
 * Set *part to what arguments i and i + 1 ask for, and return it; return NULL
 * if the call has no such arguments, for the array as it is.
 */
static inline const GaPart *
ga_part_if_any(FunctionCallInfo fcinfo, int i, GaPart *part)
{
	if (PG_NARGS() <= i)
		return NULL;
	*part = ga_part_arg(fcinfo, i);
	return part;
}

/*
 * Return the bytes of a part of a one-dimensional array that has all of it, of
 * elements that are not NULL; UINT64_MAX if it is the whole array.
 */
static inline uint64
ga_part_bytes(GaPart part, GaElementType type)
{
	const int64 n = (int64) part.last - part.first + 1;

	return ga_part_is_whole(part) ? UINT64_MAX :
									Max(n, 0) * ga_element_size(type);
}

/* Is a transition's array NULL, or one of its bounds? */
static inline bool
ga_part_is_null(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(1) ||
		   (PG_NARGS() > 2 && (PG_ARGISNULL(2) || PG_ARGISNULL(3)));
}

/*
 * Define a transition function of an aggregate, of columns or of arrays and
 * their parts: the state as it is for a NULL, keep_family(fcinfo), or else what
 * `apply` returns.
 */
#define GA_TRANSITION(name, family, function, apply) \
	PG_FUNCTION_INFO_V1(function);                   \
	Datum function(PG_FUNCTION_ARGS)                 \
	{                                                \
		if (ga_part_is_null(fcinfo))                 \
			keep_##family(fcinfo);                   \
		return apply;                                \
	}

#endif /* GA_PART_H */
