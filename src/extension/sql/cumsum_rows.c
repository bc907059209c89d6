/*
 * cumsum_rows.c
 *		gpu_cumsum(array): running totals as rows.
 *
 * Returns a total a call where the caller allows it, which stops early with
 * LIMIT; and all in a tuplestore where the caller would fill one itself.
 *
 * Called by the executor.  What the planner asks is in cumsum_plan.c.
 */
#include "postgres.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

#include "cumsum.h"
#include "read_later.h"

/* Return all totals in a tuplestore. */
static void
all_rows(FunctionCallInfo fcinfo, GaElementType type)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext row_context;
	MemoryContext caller;
	GaCumsum cumsum;
	bool is_null;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (ga_cumsum_has_null(fcinfo))
		return;
	row_context = AllocSetContextCreate(CurrentMemoryContext, "gpu_cumsum row",
										ALLOCSET_DEFAULT_SIZES);
	ga_cumsum_open(&cumsum, fcinfo, type);
	caller = MemoryContextSwitchTo(row_context);
	while (ga_cumsum_next(&cumsum, &is_null))
	{
		Datum value = is_null ? (Datum) 0 : ga_cumsum_datum(&cumsum);

		tuplestore_putvalues(result->setResult, result->setDesc, &value,
							 &is_null);
		MemoryContextReset(row_context);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(row_context);
	ga_cumsum_close(&cumsum);
}

/* Return the query that calls the function for each row, or NULL. */
static const EState *
query_of(FunctionCallInfo fcinfo)
{
	const ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	return result != NULL && IsA(result, ReturnSetInfo) ?
			   result->econtext->ecxt_estate :
			   NULL;
}

/* Create the reader of totals, in memory for all calls. */
static GaCumsum *
first_row(FunctionCallInfo fcinfo, FuncCallContext *calls, GaElementType type)
{
	MemoryContext caller;
	GaCumsum *cumsum;

	caller = MemoryContextSwitchTo(calls->multi_call_memory_ctx);
	cumsum = palloc(sizeof(GaCumsum));
	/* it is read between the rows */
	if (!ga_may_read_later(query_of(fcinfo), PG_GETARG_DATUM(0)))
		fcinfo->args[0].value =
			PointerGetDatum(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(0)));
	ga_cumsum_open(cumsum, fcinfo, type);
	MemoryContextSwitchTo(caller);
	return cumsum;
}

/* Return the next total, or all, as the caller prefers. */
static Datum
rows(FunctionCallInfo fcinfo, GaElementType type)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	FuncCallContext *calls;
	GaCumsum *cumsum;
	bool is_null;

	if (SRF_IS_FIRSTCALL())
	{
		if (result != NULL && IsA(result, ReturnSetInfo) &&
			result->allowedModes & SFRM_Materialize_Preferred &&
			result->expectedDesc != NULL)
		{
			all_rows(fcinfo, type);
			return (Datum) 0;
		}
		calls = SRF_FIRSTCALL_INIT();
		calls->user_fctx =
			ga_cumsum_has_null(fcinfo) ? NULL : first_row(fcinfo, calls, type);
	}
	calls = SRF_PERCALL_SETUP();
	cumsum = calls->user_fctx;
	if (cumsum == NULL)
		SRF_RETURN_DONE(calls);
	if (!ga_cumsum_next(cumsum, &is_null))
	{
		ga_cumsum_close(cumsum);
		SRF_RETURN_DONE(calls);
	}
	if (is_null)
		SRF_RETURN_NEXT_NULL(calls);
	SRF_RETURN_NEXT(calls, ga_cumsum_datum(cumsum));
}

#define X(name, family, ctype)                        \
	PG_FUNCTION_INFO_V1(gpu_cumsum_##name##_array);   \
	Datum gpu_cumsum_##name##_array(PG_FUNCTION_ARGS) \
	{                                                 \
		return rows(fcinfo, GA_##name);               \
	}
GA_ELEMENT_TYPES(X)
#undef X
