/*
 * mean.c
 *		Means and totals of integers as numeric, in arrays of results.
 *
 * Results are in the current context, which callers reset: one result leaves
 * several numerics behind.
 */
#include "postgres.h"
#include "fmgr.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "int_state.h"
#include "mean.h"

/* Return a total as numeric. */
struct varlena *
ga_total_numeric(GaInt128 total)
{
	return (struct varlena *) DatumGetPointer(ga_int128_get_numeric(total));
}

/* Divide a total by the number of its inputs, which is not 0, as AVG does. */
struct varlena *
ga_mean_numeric(GaInt128 total, int64 n)
{
	Datum mean = DirectFunctionCall2(numeric_div, ga_int128_get_numeric(total),
									 NumericGetDatum(int64_to_numeric(n)));

	return (struct varlena *) DatumGetPointer(mean);
}
