/*
 * stat.c
 *		The views of what gpuagg did.
 */
#include "postgres.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"

#include "engine.h"
#include "settings.h"

PG_FUNCTION_INFO_V1(gpuagg_session_stat);

/*
 * A row for each engine: what it computed in this session.  Parallel workers
 * count for themselves, and their counts end with them.
 */
Datum
gpuagg_session_stat(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum		values[4];
	bool		nulls[4] = {false};

	InitMaterializedSRF(fcinfo, 0);
	values[0] = CStringGetTextDatum("cpu");
	values[1] = CStringGetTextDatum(ga_cpu->name);
	values[2] = Int64GetDatum(ga_cpu_stat.requests);
	values[3] = Int64GetDatum(ga_cpu_stat.elements);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	return (Datum) 0;
}
