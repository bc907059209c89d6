/*
 * toast_hooks.c
 *		For tests and benchmarks only: the reader of stored values, by hand.
 *
 * The reader and what reads arrays through it are compiled into the module as
 * they are in the extension, so that the extension needs no doors for tests.
 */
#include "postgres.h"
#include "access/detoast.h"
#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "extension/engine/execution.h"
#include "extension/input/array.h"
#include "extension/offload/stored_key.h"
#include "extension/supervisor/oid_sample.h"

PG_FUNCTION_INFO_V1(toast_bytes);
PG_FUNCTION_INFO_V1(toast_walk);
PG_FUNCTION_INFO_V1(toast_detoast);
PG_FUNCTION_INFO_V1(toast_first_xmin);
PG_FUNCTION_INFO_V1(toast_read_xmin);
PG_FUNCTION_INFO_V1(toast_check);
PG_FUNCTION_INFO_V1(toast_spoil);
PG_FUNCTION_INFO_V1(toast_move);
PG_FUNCTION_INFO_V1(array_elements);

/* Return the TOAST pointer in an argument, and open its relation. */
static struct varatt_external
use_pointer(GaToastRelation *relation, Datum value)
{
	struct varatt_external pointer;

	if (!ga_toast_pointer(value, &pointer))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the value is not stored out of line")));
	ga_toast_open(relation, pointer.va_toastrelid);
	return pointer;
}

/*
 * toast_bytes(anyarray, first int, n int, by_page bool): n bytes of an array as
 * it is stored, from one on, read page by page or by the access method; all of
 * them if n is negative.
 */
Datum
toast_bytes(PG_FUNCTION_ARGS)
{
	GaToastRelation relation = GA_TOAST_CLOSED;
	struct varatt_external pointer = use_pointer(&relation, PG_GETARG_DATUM(0));
	int32 from = PG_GETARG_INT32(1);
	int32 n = PG_GETARG_INT32(2);
	bytea *bytes;

	if (n < 0)
		n = VARATT_EXTERNAL_GET_EXTSIZE(pointer) - from;
	relation.by_page = PG_GETARG_BOOL(3);
	bytes = palloc(VARHDRSZ + n);
	SET_VARSIZE(bytes, VARHDRSZ + n);
	ga_toast_read(&relation, &pointer, from, n, VARDATA(bytes));
	ga_toast_close(&relation);
	PG_RETURN_BYTEA_P(bytes);
}

/*
 * toast_walk(anyarray, part int, by_page bool): read an array in parts of so
 * many bytes to the same memory, or as a whole to new memory if part is 0.
 * Returns the number of its bytes.
 */
Datum
toast_walk(PG_FUNCTION_ARGS)
{
	GaToastRelation relation = GA_TOAST_CLOSED;
	struct varatt_external pointer = use_pointer(&relation, PG_GETARG_DATUM(0));
	int32 part = PG_GETARG_INT32(1);
	int32 n_all = VARATT_EXTERNAL_GET_EXTSIZE(pointer);
	int32 at;
	char *to;

	relation.by_page = PG_GETARG_BOOL(2);
	if (part <= 0)
		part = n_all;
	to = palloc(Min(part, n_all));
	for (at = 0; at < n_all; at += Min(part, n_all - at))
		ga_toast_read(&relation, &pointer, at, Min(part, n_all - at), to);
	pfree(to);
	ga_toast_close(&relation);
	PG_RETURN_INT64(n_all);
}

/* toast_detoast(anyarray): read an array by PostgreSQL's function. */
Datum
toast_detoast(PG_FUNCTION_ARGS)
{
	struct varlena *given = (struct varlena *) PG_GETARG_POINTER(0);
	struct varlena *copy = detoast_attr(given);
	int64 n = VARSIZE_ANY_EXHDR(copy);

	if (copy != given)
		pfree(copy);
	PG_RETURN_INT64(n);
}

/* toast_first_xmin(anyarray): xmin of the first chunk; 0 if it is not known. */
Datum
toast_first_xmin(PG_FUNCTION_ARGS)
{
	GaToastRelation relation = GA_TOAST_CLOSED;
	struct varatt_external pointer = use_pointer(&relation, PG_GETARG_DATUM(0));
	TransactionId xmin = ga_toast_xmin(&relation, &pointer);

	ga_toast_close(&relation);
	PG_RETURN_INT64(xmin);
}

/* toast_read_xmin(anyarray): the xmin that is known after the whole is read. */
Datum
toast_read_xmin(PG_FUNCTION_ARGS)
{
	GaToastRelation relation = GA_TOAST_CLOSED;
	struct varatt_external pointer = use_pointer(&relation, PG_GETARG_DATUM(0));
	int32 n = VARATT_EXTERNAL_GET_EXTSIZE(pointer);
	char *to = palloc(n);

	ga_toast_read(&relation, &pointer, 0, n, to);
	ga_toast_close(&relation);
	pfree(to);
	PG_RETURN_INT64(relation.xmin);
}

/* What happens in the moment in which a sample of the OID counter is taken. */
static const char *at_sample;

/* In the place of the extension's. */
void
ga_oid_sample_take(GaOidSample *sample)
{
	memset(sample, 0, sizeof(*sample));
	SPI_connect();
	SPI_execute(at_sample, false, 0);
	SPI_finish();
}

uint64
ga_execution_id(void)
{
	return 0;
}

/*
 * toast_check(anyarray, command text): does a look at the array settle a doubt
 * about it, if the command is executed in the moment of the sample?
 */
Datum
toast_check(PG_FUNCTION_ARGS)
{
	GaToastRelation relation = GA_TOAST_CLOSED;
	GaStoredRef ref = {.state = 0};
	GaOidSample sample;

	if (!ga_stored_key(PG_GETARG_DATUM(0), &ref.key))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the value is not stored out of line")));
	at_sample = text_to_cstring(PG_GETARG_TEXT_PP(1));
	ga_stored_check(&ref, &relation, &sample, true);
	ga_toast_close(&relation);
	PG_RETURN_BOOL(ref.is_settled);
}

/* Change a chunk's tuple on its page. */
static void
spoil(ItemId item, HeapTupleHeader tuple, const char *how)
{
	char *chunk = (char *) tuple + tuple->t_hoff;
	struct varlena *data = (struct varlena *) (chunk + 2 * sizeof(int32));

	if (strcmp(how, "missing") == 0)
		ItemIdSetDead(item);
	else if (strcmp(how, "number") == 0)
		*(int32 *) (chunk + sizeof(Oid)) += 1;
	else if (strcmp(how, "value") == 0)
		*(Oid *) chunk += 1000000;
	else if (strcmp(how, "short") == 0)
		item->lp_len -= 100;
	else if (strcmp(how, "size") == 0)
		SET_VARSIZE(data, VARSIZE(data) - 1);
	else if (strcmp(how, "compressed") == 0)
		SET_VARSIZE_COMPRESSED(data, VARSIZE(data));
	else if (strcmp(how, "garbage") == 0)
	{
		tuple->t_infomask &= ~HEAP_XMIN_COMMITTED;
		tuple->t_infomask |= HEAP_XMIN_INVALID;
	}
	else if (strcmp(how, "older") == 0)
	{
		tuple->t_infomask |= HEAP_XMIN_COMMITTED;
		HeapTupleHeaderSetXmin(tuple, FirstNormalTransactionId);
	}
	else
		Assert(false);
}

/*
 * toast_spoil(anyarray, chunk int, how text): damage a chunk of a stored array
 * for good, past all rules of the server.  Returns how many it found.
 */
Datum
toast_spoil(PG_FUNCTION_ARGS)
{
	GaToastRelation relation = GA_TOAST_CLOSED;
	struct varatt_external pointer = use_pointer(&relation, PG_GETARG_DATUM(0));
	int n = 0;
	BlockNumber block;

	for (block = 0; block < RelationGetNumberOfBlocks(relation.table); block++)
	{
		Buffer buffer = ReadBuffer(relation.table, block);
		Page page = BufferGetPage(buffer);
		OffsetNumber at;

		LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
		for (at = 1; at <= PageGetMaxOffsetNumber(page); at++)
		{
			ItemId item = PageGetItemId(page, at);
			HeapTupleHeader tuple;
			int32 *chunk;

			if (!ItemIdIsNormal(item))
				continue;
			tuple = (HeapTupleHeader) PageGetItem(page, item);
			chunk = (int32 *) ((char *) tuple + tuple->t_hoff);
			if ((Oid) chunk[0] != pointer.va_valueid ||
				chunk[1] != PG_GETARG_INT32(1))
				continue;
			spoil(item, tuple, text_to_cstring(PG_GETARG_TEXT_PP(2)));
			MarkBufferDirty(buffer);
			n++;
		}
		UnlockReleaseBuffer(buffer);
	}
	ga_toast_close(&relation);
	PG_RETURN_INT32(n);
}

/* Store a tuple in a TOAST relation and its index. */
static void
store_chunk(Relation table, Relation index, Datum *columns)
{
	bool nulls[3] = {false, false, false};
	HeapTuple tuple = heap_form_tuple(RelationGetDescr(table), columns, nulls);

	heap_insert(table, tuple, GetCurrentCommandId(true), 0, NULL);
	index_insert(index, columns, nulls, &tuple->t_self, table, UNIQUE_CHECK_YES,
				 false, NULL);
}

/*
 * toast_move(anyarray, chunk int, spoils bool): delete a chunk of a stored
 * array, and store it again at another place, on request with another last
 * byte.
 */
Datum
toast_move(PG_FUNCTION_ARGS)
{
	GaToastRelation relation = GA_TOAST_CLOSED;
	struct varatt_external pointer = use_pointer(&relation, PG_GETARG_DATUM(0));
	TableScanDesc scan = table_beginscan_strat(relation.table, SnapshotSelf, 0,
											   NULL, true, false);
	HeapTuple tuple;
	HeapTuple found = NULL;
	Datum columns[3];
	bool nulls[3];

	while ((tuple = heap_getnext(scan, ForwardScanDirection)) != NULL)
	{
		heap_deform_tuple(tuple, RelationGetDescr(relation.table), columns,
						  nulls);
		if (DatumGetObjectId(columns[0]) == pointer.va_valueid &&
			DatumGetInt32(columns[1]) == PG_GETARG_INT32(1))
			found = heap_copytuple(tuple);
	}
	table_endscan(scan);
	heap_deform_tuple(found, RelationGetDescr(relation.table), columns, nulls);
	if (PG_GETARG_BOOL(2))
	{
		char *bytes = VARDATA_ANY(DatumGetPointer(columns[2]));

		bytes[VARSIZE_ANY_EXHDR(DatumGetPointer(columns[2])) - 1] ^= 1;
	}
	simple_heap_delete(relation.table, &found->t_self);
	CommandCounterIncrement();
	store_chunk(relation.table, relation.index, columns);
	ga_toast_close(&relation);
	PG_RETURN_VOID();
}

/* Return the element type of the first argument. */
static GaElementType
element_type(FunctionCallInfo fcinfo, Oid *oid)
{
	GaElementType type = 0;

	*oid = get_element_type(get_fn_expr_argtype(fcinfo->flinfo, 0));
	while (type < GA_N_ELEMENT_TYPES &&
		   TypenameGetTypid(ga_element_name(type)) != *oid)
		type++;
	if (type == GA_N_ELEMENT_TYPES)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("array of an unknown type")));
	return type;
}

/* How array_elements reads the elements. */
enum
{
	READ,		  /* opened as an argument, ga_array_read */
	READ_KEPT,	  /* by its pointer, relation kept open */
	READ_CLOSED,  /* ... opened each time */
	RUNS,		  /* ga_array_next_run, from the first one on */
	RUNS_AND_READ /* ... with ga_array_read in between */
};

static void
open_array(GaArray *array, Datum value, GaElementType type, int how,
		   GaToastRelation *relation)
{
	struct varatt_external pointer;

	if (how == READ || how == RUNS)
		ga_array_open(array, value, type);
	else
	{
		pointer = use_pointer(relation, value);
		ga_array_open_stored(array, &pointer, type,
							 how == READ_CLOSED ? NULL : relation);
	}
}

/* Copy all runs, one behind the other. */
static void
take_runs(GaArray *array, char *to, int how)
{
	size_t size = ga_element_size(array->type);
	const void *run;
	char last[8];
	int n;

	while ((n = ga_array_next_run(array, &run)) > 0)
	{
		if (how == RUNS_AND_READ)
			ga_array_read(array, ga_array_n_not_null(array) - 1, 1, last);
		memcpy(to, run, n * size);
		to += n * size;
	}
}

/*
 * array_elements(anyarray, first int, n int, how int): n of the elements that
 * are not NULL, from one on, as an array; all of them if n is negative.
 */
Datum
array_elements(PG_FUNCTION_ARGS)
{
	GaToastRelation relation = GA_TOAST_CLOSED;
	int from = PG_GETARG_INT32(1);
	int n = PG_GETARG_INT32(2);
	int how = PG_GETARG_INT32(3);
	Oid oid;
	GaElementType type = element_type(fcinfo, &oid);
	GaArray array;
	ArrayType *result;
	Size size;

	open_array(&array, PG_GETARG_DATUM(0), type, how, &relation);
	if (n < 0)
		n = ga_array_n_not_null(&array) - from;
	size = ARR_OVERHEAD_NONULLS(1) + n * ga_element_size(type);
	result = palloc0(size);
	SET_VARSIZE(result, size);
	result->ndim = 1;
	result->elemtype = oid;
	ARR_DIMS(result)[0] = n;
	ARR_LBOUND(result)[0] = 1;
	if (how >= RUNS)
		take_runs(&array, ARR_DATA_PTR(result), how);
	else
		ga_array_read(&array, from, n, ARR_DATA_PTR(result));
	ga_array_close(&array);
	ga_toast_close(&relation);
	PG_RETURN_ARRAYTYPE_P(result);
}
