/*
 * part_arg.h
 *		The last arguments of functions of an array, or of a part of it.
 */
#ifndef GA_PART_ARG_H
#define GA_PART_ARG_H

#include "fmgr.h"

#include "extension/input/array.h"

/*
 * Set *part to what arguments arg and arg + 1 ask for, and return it; return
 * NULL if the call has no such arguments.
 */
static inline const GaPart *
ga_part_arg(FunctionCallInfo fcinfo, int arg, GaPart *part)
{
	if (PG_NARGS() == arg)
		return NULL;
	part->first = PG_GETARG_INT32(arg);
	part->last = PG_GETARG_INT32(arg + 1);
	return part;
}

#endif /* GA_PART_ARG_H */
