/*
 * counters.c
 *		The functions behind gpuagg_session_stat and gpuagg_server_stat.
 *
 * Both have a row for the device and rows for the CPU, by the reason.  Called
 * by the executor.  Owns nothing: the counters are those of session_counters.c
 * and server_counters.c.
 */
#include "postgres.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "extension/engine/server_counters.h"
#include "extension/engine/session_counters.h"
#include "extension/offload/client.h"
#include "extension/settings.h"
#include "extension/sql/rows.h"

PG_FUNCTION_INFO_V1(gpuagg_session_stat);
PG_FUNCTION_INFO_V1(gpuagg_server_stat);
PG_FUNCTION_INFO_V1(gpuagg_server_stat_reset);

/* The counters of a row, the last columns but those of the caller's. */
#define COUNTER_COLUMNS 7
#define SESSION_COLUMNS (3 + COUNTER_COLUMNS)

/* Fill in a reason's counters; what only the device has is NULL for the CPU. */
static void
fill_counters(const GaCounters *counters, GaReason reason, Datum *values,
			  bool *nulls)
{
	const GaEngineCounters *engine = &counters->engines[reason];

	values[0] = Int64GetDatum(engine->arrays);
	values[1] = Int64GetDatum(engine->elements);
	values[2] = Int64GetDatum(engine->bytes);
	values[3] = Int64GetDatum(counters->hits);
	values[4] = Int64GetDatum(counters->misses);
	values[5] = Float8GetDatum(counters->device_us / 1000.0);
	values[6] = Float8GetDatum(counters->waiting_us / 1000.0);
	memset(nulls, false, COUNTER_COLUMNS);
	if (reason != GA_NO_REASON)
		memset(nulls + 3, true, 4);
}

/* Fill in a text; NULL if it is NULL. */
static void
fill_text(const char *text, Datum *value, bool *is_null)
{
	*is_null = text == NULL;
	*value = text == NULL ? (Datum) 0 : CStringGetTextDatum(text);
}

/* Add a row to gpuagg_session_stat. */
static void
put_session(ReturnSetInfo *result, const GaCounters *counters, GaReason reason)
{
	const bool is_device = reason == GA_NO_REASON;
	Datum values[SESSION_COLUMNS];
	bool nulls[SESSION_COLUMNS];

	fill_text(is_device ? "gpu" : "cpu", &values[0], &nulls[0]);
	fill_text(is_device ? ga_client_device_kind() : ga_cpu->name, &values[1],
			  &nulls[1]);
	fill_text(ga_reason_text(reason), &values[2], &nulls[2]);
	fill_counters(counters, reason, values + 3, nulls + 3);
	ga_put_row(result, values, nulls);
}

/* Return the first reason from one on that has counts; or GA_N_REASONS. */
static GaReason
next_counted(const GaCounters *counters, GaReason reason)
{
	while (reason < GA_N_REASONS && counters->engines[reason].arrays == 0 &&
		   counters->engines[reason].elements == 0)
		reason++;
	return reason;
}

/* Add a row for the CPU, without a reason and without counts. */
static void
put_no_cpu(ReturnSetInfo *result)
{
	const GaCounters nothing = {0};
	Datum values[SESSION_COLUMNS];
	bool nulls[SESSION_COLUMNS];

	fill_text("cpu", &values[0], &nulls[0]);
	fill_text(ga_cpu->name, &values[1], &nulls[1]);
	fill_text(NULL, &values[2], &nulls[2]);
	fill_counters(&nothing, GA_REASON_SETTING, values + 3, nulls + 3);
	ga_put_row(result, values, nulls);
}

/*
 * Return what was computed in this session and by its parallel workers: a row
 * for the device, and one for each reason why the CPU computed, or one of
 * zeros.
 */
Datum
gpuagg_session_stat(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = ga_begin_rows(fcinfo, SESSION_COLUMNS);
	GaCounters counters = ga_session_counters;
	GaReason reason;

	ga_server_add_workers(&counters);
	put_session(result, &counters, GA_NO_REASON);
	reason = next_counted(&counters, GA_NO_REASON + 1);
	if (reason == GA_N_REASONS)
		put_no_cpu(result);
	while (reason < GA_N_REASONS)
	{
		put_session(result, &counters, reason);
		reason = next_counted(&counters, reason + 1);
	}
	return (Datum) 0;
}

#define SERVER_COLUMNS (4 + COUNTER_COLUMNS)

/*
 * Return what all sessions of the server computed: a row for the device, and
 * one for each reason, also for those that never came.  This session's figures
 * are those of now.
 */
Datum
gpuagg_server_stat(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = ga_begin_rows(fcinfo, SERVER_COLUMNS);
	GaCounters counters = {0};
	TimestampTz since;
	GaReason reason;

	ga_session_publish();
	since = ga_server_read(&counters);
	for (reason = GA_NO_REASON; reason < GA_N_REASONS; reason++)
	{
		Datum values[SERVER_COLUMNS];
		bool nulls[SERVER_COLUMNS] = {false};

		fill_text(reason == GA_NO_REASON ? "gpu" : "cpu", &values[0],
				  &nulls[0]);
		fill_text(ga_reason_text(reason), &values[1], &nulls[1]);
		values[2] = BoolGetDatum(ga_reason_is_failure(reason));
		fill_counters(&counters, reason, values + 3, nulls + 3);
		values[SERVER_COLUMNS - 1] = TimestampTzGetDatum(since);
		ga_put_row(result, values, nulls);
	}
	return (Datum) 0;
}

/* Set the counters of the server to zero. */
Datum
gpuagg_server_stat_reset(PG_FUNCTION_ARGS)
{
	ga_session_publish();
	ga_server_reset();
	PG_RETURN_VOID();
}
