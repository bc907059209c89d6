/*
 * elem_extreme.h
 *		The aggregate state of least or greatest elements by position.
 */
#ifndef GA_ELEM_EXTREME_H
#define GA_ELEM_EXTREME_H

#include "fmgr.h"

#include "cpu/cpu_elem.h"
#include "extension/input/array_result.h"

typedef struct GaExtremeState
{
	GaElementType type;
	bool is_max;
	bool has_shape; /* without an array it has none */
	GaArrayShape shape;
	MemoryContext context;
	char *keys;	  /* of the positions; integers of the elements' size */
	bool *unseen; /* positions with nothing but NULLs; NULL: there are none */
} GaExtremeState;

extern Datum ga_extreme_accum(FunctionCallInfo fcinfo, GaElementType type,
							  bool is_max);
extern int ga_extreme_n_unseen(const GaExtremeState *state);

#endif /* GA_ELEM_EXTREME_H */
