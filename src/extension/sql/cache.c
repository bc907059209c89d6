/*
 * cache.c
 *		gpuagg_cache() and gpuagg_cache_clear(): the arrays on the devices.
 *
 * Called by the executor.  The cache is gpuaggd's; without a gpuaggd that runs
 * it is empty.
 */
#include "postgres.h"
#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "fmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "extension/clock.h"
#include "extension/offload/clear_client.h"
#include "extension/offload/stat_client.h"
#include "extension/sql/rows.h"

PG_FUNCTION_INFO_V1(gpuagg_cache);
PG_FUNCTION_INFO_V1(gpuagg_cache_clear);
PG_FUNCTION_INFO_V1(gpuagg_cache_clear_relation);

#define CACHE_COLUMNS 8

/* Return a row for each TOAST relation with resident arrays on a device. */
Datum
gpuagg_cache(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = ga_begin_rows(fcinfo, CACHE_COLUMNS);
	const bool nulls[CACHE_COLUMNS] = {false};
	GaCacheRow *rows;
	int64 n = ga_stat_client_cache(&rows);
	int64 i;

	for (i = 0; i < n; i++)
	{
		Datum values[CACHE_COLUMNS];

		values[0] = Int32GetDatum(rows[i].device);
		values[1] = ObjectIdGetDatum(rows[i].database);
		values[2] = ObjectIdGetDatum(rows[i].relation);
		values[3] = Int64GetDatum(rows[i].n_arrays);
		values[4] = Int64GetDatum(rows[i].n_bytes);
		values[5] = Int64GetDatum(rows[i].n_packed_bytes);
		values[6] = Int64GetDatum(rows[i].n_hits);
		values[7] = TimestampTzGetDatum(ga_timestamp_of_us(rows[i].used_us));
		ga_put_row(result, values, nulls);
	}
	return (Datum) 0;
}

/* Remove the resident arrays of all databases. */
Datum
gpuagg_cache_clear(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(ga_clear_client(InvalidOid));
}

/* Return the TOAST relation of a relation; InvalidOid if it has none. */
static Oid
toast_relation_of(Oid relid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid result = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		result = ((Form_pg_class) GETSTRUCT(tuple))->reltoastrelid;
		ReleaseSysCache(tuple);
	}
	return result;
}

/* Remove the resident arrays of a table, its partitions and children. */
Datum
gpuagg_cache_clear_relation(PG_FUNCTION_ARGS)
{
	Oid relid = PG_GETARG_OID(0);
	List *relids = NIL;
	int64 n = 0;
	ListCell *cell;

	/* one that is gone has no children that are known */
	if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)))
		relids = find_all_inheritors(relid, NoLock, NULL);
	foreach (cell, relids)
	{
		Oid toast_relation = toast_relation_of(lfirst_oid(cell));

		if (OidIsValid(toast_relation))
			n += ga_clear_client(toast_relation);
	}
	PG_RETURN_INT64(n);
}
