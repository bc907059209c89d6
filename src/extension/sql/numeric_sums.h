/*
 * numeric_sums.h
 *		The aggregate state of several sums of numeric.
 */
#ifndef GA_NUMERIC_SUMS_H
#define GA_NUMERIC_SUMS_H

#include "extension/input/array_items.h"
#include "numeric_state.h"

/*
 * Sums by position, of arrays of one shape.  Without one it has no shape, and
 * no memory but its own.
 */
typedef struct GaNumericSums
{
	MemoryContext context;
	int64 n_arrays;		/* that were added, less those removed */
	GaArrayShape shape; /* if there are any */
	Datum *states;		/* PostgreSQL's, of sum(); 0 where there is none */
	int64 *counts;		/* elements, which are not NULL */
} GaNumericSums;

extern GaNumericSums *ga_numeric_sums_create(MemoryContext context);
extern GaNumericSums *ga_numeric_sums_arg(FunctionCallInfo fcinfo);
extern void ga_numeric_sums_begin_array(GaNumericSums *sums,
										const GaArrayShape *shape);
extern void ga_numeric_sums_end_array(GaNumericSums *sums, int by);
extern bool ga_numeric_sums_apply(GaNumericSums *sums, Node *aggregate, int i,
								  Datum element, int by);
extern Datum ga_numeric_sums_result(const GaNumericSums *sums, Node *aggregate,
									int i, PGFunction final, bool *is_null);

#endif /* GA_NUMERIC_SUMS_H */
