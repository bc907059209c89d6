/*
 * stat.c
 *		The functions behind gpuagg_devices and gpuagg_stat.
 *
 * Called by the executor.  Owns nothing: the state of gpuaggd comes from the
 * status file, and the rest from gpuaggd, which is asked without waiting for
 * one to start.
 */
#include "postgres.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "extension/clock.h"
#include "extension/supervisor/daemon_status.h"
#include "extension/offload/stat_client.h"
#include "extension/sql/rows.h"

PG_FUNCTION_INFO_V1(gpuagg_devices);
PG_FUNCTION_INFO_V1(gpuagg_stat);
PG_FUNCTION_INFO_V1(gpuagg_stat_reset);

/* Return a text; NULL for NULL and for an empty one. */
static Datum
text_or_null(const char *text, bool *is_null)
{
	*is_null = text == NULL || text[0] == '\0';
	return *is_null ? (Datum) 0 : CStringGetTextDatum(text);
}

#define DEVICE_COLUMNS 21

/* Return a version of CUDA as a text: "13.0" for 13000. */
static Datum
cuda_version(int32 version, bool *is_null)
{
	*is_null = version == 0;
	return *is_null ? (Datum) 0 :
					  CStringGetTextDatum(psprintf("%d.%d", version / 1000,
												   version % 1000 / 10));
}

/* Fill in the columns about a device. */
static void
fill_device(const GaDeviceRow *device, Datum *values, bool *nulls)
{
	values[0] = Int32GetDatum(device->ordinal);
	values[1] = CStringGetTextDatum(device->kind);
	values[2] = CStringGetTextDatum(device->name);
	values[3] = CStringGetTextDatum(device->id);
	values[4] =
		CStringGetTextDatum(psprintf("%d.%d", device->major, device->minor));
	nulls[4] = device->major == 0;
	values[5] = Int32GetDatum(device->n_multiprocessors);
	values[6] = Int64GetDatum(device->memory_bytes);
	values[7] = Int64GetDatum(device->free_bytes);
	values[8] = Int64GetDatum(device->budget_bytes);
	values[9] = Int64GetDatum(device->used_bytes);
	values[10] = cuda_version(device->driver_version, &nulls[10]);
	values[11] = cuda_version(device->runtime_version, &nulls[11]);
}

/* Fill in the columns about gpuaggd. */
static void
fill_daemon(const GaDaemonStatus *status, Datum *values, bool *nulls)
{
	memset(nulls + 12, false, 7 * sizeof(bool));
	values[12] = CStringGetTextDatum(ga_daemon_state_name(status->state));
	values[13] = text_or_null(status->reason, &nulls[13]);
	values[14] = text_or_null(ga_daemon_state_hint(status->state), &nulls[14]);
	values[15] = TimestampTzGetDatum(status->since);
	nulls[15] = status->state == GA_DAEMON_NONE;
	values[16] = Int32GetDatum(status->daemon_pid);
	nulls[16] = status->daemon_pid == 0;
	values[17] = Int32GetDatum(status->supervisor_pid);
	nulls[17] = status->supervisor_pid == 0;
	values[18] = Int32GetDatum(status->n_restarts);
}

/* Fill in the state of a device that is not used any more. */
static void
fill_failure(const GaDeviceRow *device, Datum *values, bool *nulls)
{
	if (device->failure[0] == '\0')
		return;
	values[12] = CStringGetTextDatum(ga_daemon_state_name(GA_DAEMON_FAILED));
	values[13] = CStringGetTextDatum(device->failure);
	values[14] = CStringGetTextDatum(
		"The other devices go on. When this one is well again, end gpuaggd by "
		"pg_terminate_backend(supervisor_pid); the next query starts it.");
	nulls[13] = nulls[14] = false;
}

/* Fill in the sessions, without the one that asks, and their leases. */
static void
fill_sessions(const GaDeviceRow *device, Datum *values)
{
	values[19] = Int32GetDatum(device->n_sessions - 1);
	values[20] = Int32GetDatum(device->n_leases);
}

/* Return a row for each device; one without a device if gpuaggd is not up. */
Datum
gpuagg_devices(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = ga_begin_rows(fcinfo, DEVICE_COLUMNS);
	GaDaemonStatus status;
	GaDeviceRow *devices;
	int n = ga_stat_client_devices(&devices);
	int i;

	ga_daemon_status_show(&status);
	for (i = 0; i < Max(n, 1); i++)
	{
		Datum values[DEVICE_COLUMNS] = {0};
		bool nulls[DEVICE_COLUMNS] = {false};

		memset(nulls, n == 0, sizeof(nulls));
		if (n > 0)
		{
			fill_device(&devices[i], values, nulls);
			fill_sessions(&devices[i], values);
		}
		fill_daemon(&status, values, nulls);
		if (n > 0)
			fill_failure(&devices[i], values, nulls);
		ga_put_row(result, values, nulls);
	}
	return (Datum) 0;
}

#define STAT_COLUMNS 17

/* Return the counters of gpuaggd: a row, or none if gpuaggd is not up. */
Datum
gpuagg_stat(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = ga_begin_rows(fcinfo, STAT_COLUMNS);
	const GaRequest request = {.opcode = GA_STAT};
	const bool nulls[STAT_COLUMNS] = {false};
	Datum values[STAT_COLUMNS];
	GaReply reply;
	const GaStatRow *stat = &reply.u.stat;

	if (!ga_stat_client_ask(&request, &reply))
		return (Datum) 0;
	values[0] = Int64GetDatum(stat->n_requests);
	values[1] = Int64GetDatum(stat->n_arrays);
	values[2] = Int64GetDatum(stat->n_hits);
	values[3] = Int64GetDatum(stat->n_misses);
	values[4] = Int64GetDatum(stat->n_streamed);
	values[5] = Int64GetDatum(stat->n_evictions);
	values[6] = Int64GetDatum(stat->n_bytes_in);
	values[7] = Int64GetDatum(stat->n_bytes_out);
	values[8] = Float8GetDatum(stat->device_ms);
	values[9] = Int64GetDatum(stat->n_resident);
	values[10] = Int64GetDatum(stat->n_cache_bytes);
	values[11] = Int64GetDatum(stat->n_plain_bytes);
	values[12] = Int64GetDatum(stat->n_page_bytes);
	values[13] = Int64GetDatum(stat->cache_bytes);
	values[14] = Int64GetDatum(stat->host_bytes);
	values[15] = Int64GetDatum(stat->host_limit_bytes);
	values[16] = TimestampTzGetDatum(ga_timestamp_of_us(stat->since_us));
	ga_put_row(result, values, nulls);
	return (Datum) 0;
}

/* Set the counters of gpuaggd to zero. */
Datum
gpuagg_stat_reset(PG_FUNCTION_ARGS)
{
	const GaRequest request = {.opcode = GA_RESET};
	GaReply reply;

	(void) ga_stat_client_ask(&request, &reply);
	PG_RETURN_VOID();
}
