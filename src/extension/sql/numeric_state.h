/*
 * numeric_state.h
 *		Arrays of numeric, by PostgreSQL's own functions of aggregates.
 */
#ifndef GA_NUMERIC_STATE_H
#define GA_NUMERIC_STATE_H

#include "fmgr.h"

#include "extension/input/numeric_array.h"

/*
 * Elements between two looks for a cancellation: well below a millisecond.
 * Shorter arrays need none, since the executor looks for each row.
 */
#define GA_NUMERIC_BATCH 1024

/* Is the next item the first one behind a batch? */
static inline bool
ga_numeric_batch_ends(const GaNumericArray *numerics)
{
	return numerics->next % GA_NUMERIC_BATCH == 0 && numerics->next > 0;
}

extern Datum ga_numeric_apply_array(FunctionCallInfo fcinfo,
									PGFunction transition);
extern Datum ga_numeric_of_array(FunctionCallInfo fcinfo, PGFunction transition,
								 PGFunction final);
extern Datum ga_numeric_choose(Datum before, Datum value, PGFunction choose);

#endif /* GA_NUMERIC_STATE_H */
