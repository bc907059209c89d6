/*
 * reader_bench.c
 *		For benchmarks only: the reader of stored values, against memcpy.
 */
#include "postgres.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "extension/input/toast.h"

PG_FUNCTION_INFO_V1(reader_race);

/* Memory of the session to copy from, one part after another. */
typedef struct Memory
{
	char *bytes;
	int64 n;
	int64 at;
} Memory;

static Memory memory;

/* Have n bytes of it, touched. */
static void
use_memory(int64 n)
{
	if (memory.n == n)
		return;
	if (memory.bytes != NULL)
		pfree(memory.bytes);
	memory.bytes = MemoryContextAllocHuge(TopMemoryContext, n);
	memset(memory.bytes, 1, n);
	memory.n = n;
	memory.at = 0;
}

/* Copy the next n bytes, in parts of so many to the same memory. */
static void
copy_memory(int32 n, int32 part, char *to)
{
	int32 at;

	if (n > memory.n - memory.at)
		memory.at = 0;
	for (at = 0; at < n; at += Min(part, n - at))
		memcpy(to, memory.bytes + memory.at + at, Min(part, n - at));
	memory.at += n;
}

/* Read the value in parts of so many bytes to the same memory. */
static void
read_value(const struct varatt_external *pointer, int32 part, bool by_page,
		   char *to)
{
	GaToastRelation relation = GA_TOAST_CLOSED;
	int32 n = VARATT_EXTERNAL_GET_EXTSIZE(*pointer);
	int32 at;

	ga_toast_open(&relation, pointer->va_toastrelid);
	relation.by_page = by_page;
	for (at = 0; at < n; at += Min(part, n - at))
		ga_toast_read(&relation, pointer, at, Min(part, n - at), to);
	ga_toast_close(&relation);
}

/*
 * reader_race(anyarray, part int, memory bigint, by_page bool): read a stored
 * array in parts of so many bytes to the same memory, then copy as many bytes,
 * in such parts, from the next place of so much memory.  Returns both times, in
 * ns, and the number of bytes.
 */
Datum
reader_race(PG_FUNCTION_ARGS)
{
	int32 part = PG_GETARG_INT32(1);
	char *to = palloc(part);
	struct varatt_external pointer;
	instr_time times[3];
	Datum result[3];
	int32 n;

	if (!ga_toast_pointer(PG_GETARG_DATUM(0), &pointer))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the value is not stored out of line")));
	n = VARATT_EXTERNAL_GET_EXTSIZE(pointer);
	use_memory(Max(PG_GETARG_INT64(2), n));
	INSTR_TIME_SET_CURRENT(times[0]);
	read_value(&pointer, part, PG_GETARG_BOOL(3), to);
	INSTR_TIME_SET_CURRENT(times[1]);
	copy_memory(n, part, to);
	INSTR_TIME_SET_CURRENT(times[2]);
	INSTR_TIME_SUBTRACT(times[2], times[1]);
	INSTR_TIME_SUBTRACT(times[1], times[0]);
	result[0] = Float8GetDatum(INSTR_TIME_GET_DOUBLE(times[1]) * 1e9);
	result[1] = Float8GetDatum(INSTR_TIME_GET_DOUBLE(times[2]) * 1e9);
	result[2] = Float8GetDatum(n);
	pfree(to);
	PG_RETURN_ARRAYTYPE_P(construct_array(result, 3, FLOAT8OID, sizeof(float8),
										  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
