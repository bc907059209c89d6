/*
 * gpuagg_test.c
 *		SQL functions for tests and benchmarks only, never installed.
 *
 * naive_sum is the plain way to write such an aggregate: detoast the array, add
 * its elements in a loop.  Speed is measured against it, and against
 * staging_copy_ms, which only copies.  random_array, random_decimals and
 * decimal_array make the data of the benchmark, and storage_of tells where it
 * is stored.  set_next_oid makes the OIDs of stored arrays wrap around without
 * 2^32 allocations.  The other functions pass to gpuagg what no user can:
 * arrays with broken heads, and serialized states with broken bytes.
 */
#include "postgres.h"

#include <math.h>
#include <sys/mman.h>

#include "access/detoast.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "postmaster/bgworker.h"
#include "portability/instr_time.h"
#include "storage/lwlock.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "extension/pg_compat.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(naive_sum_accum);
PG_FUNCTION_INFO_V1(broken_array);
PG_FUNCTION_INFO_V1(reserialize);
PG_FUNCTION_INFO_V1(combine_bytes);
PG_FUNCTION_INFO_V1(staging_copy_ms);
PG_FUNCTION_INFO_V1(storage_of);
PG_FUNCTION_INFO_V1(random_array);
PG_FUNCTION_INFO_V1(random_decimals);
PG_FUNCTION_INFO_V1(decimal_array);
PG_FUNCTION_INFO_V1(next_oid);
PG_FUNCTION_INFO_V1(set_next_oid);
PG_FUNCTION_INFO_V1(start_supervisor);

/* naive_sum_accum(float8, float8[]): strict; no NULL elements, no NaN rules. */
Datum
naive_sum_accum(PG_FUNCTION_ARGS)
{
	float8 sum = PG_GETARG_FLOAT8(0);
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(1);
	int n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	const float8 *x = (const float8 *) ARR_DATA_PTR(array);
	int i;

	if (ARR_HASNULL(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("naive_sum cannot do NULL elements")));
	for (i = 0; i < n; i++)
		sum += x[i];
	PG_FREE_IF_COPY(array, 1);
	PG_RETURN_FLOAT8(sum);
}

/*
 * broken_array(bytea): the bytes, as they are, as an array without its length
 * word.
 */
Datum
broken_array(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_GETARG_BYTEA_P_COPY(0);

	PG_RETURN_POINTER(bytes);
}

/* Call a function of an aggregate's states, for the aggregate of a node. */
static Datum
call_for(Node *aggregate, Oid function, NullableDatum one, NullableDatum other)
{
	LOCAL_FCINFO(call, 2);
	FmgrInfo info;
	Datum result;

	fmgr_info(function, &info);
	InitFunctionCallInfoData(*call, &info, info.fn_nargs, InvalidOid, aggregate,
							 NULL);
	call->args[0] = one;
	call->args[1] = other;
	result = FunctionCallInvoke(call);
	if (call->isnull)
		elog(ERROR, "function %u returned NULL", function);
	return result;
}

/* An argument that is not NULL, and one of a deserialization function. */
static inline NullableDatum
argument(Datum value)
{
	return (NullableDatum){.value = value, .isnull = false};
}

#define NOTHING argument((Datum) 0)

/*
 * reserialize(regproc, regproc, bytea): bytes through a deserialization
 * function and back through a serialization function, as between a parallel
 * worker and its leader.
 */
Datum
reserialize(PG_FUNCTION_ARGS)
{
	WindowAggState aggregate = {.ss.ps.type = T_WindowAggState,
								.curaggcontext = CurrentMemoryContext};
	Node *node = (Node *) &aggregate;
	Datum state =
		call_for(node, PG_GETARG_OID(0), argument(PG_GETARG_DATUM(2)), NOTHING);

	return call_for(node, PG_GETARG_OID(1), argument(state), NOTHING);
}

/*
 * combine_bytes(internal, regproc, regproc, bytea): a transition that takes a
 * serialized state, by a deserialization and a combine function.
 */
Datum
combine_bytes(PG_FUNCTION_ARGS)
{
	Datum state = call_for(fcinfo->context, PG_GETARG_OID(1),
						   argument(PG_GETARG_DATUM(3)), NOTHING);

	return call_for(fcinfo->context, PG_GETARG_OID(2), fcinfo->args[0],
					argument(state));
}

/*
 * staging_copy_ms(float8[]): how long it takes to copy an array's elements
 * into shared memory of the size of a staging lease, slot after slot.
 */
#define LEASE_BYTES (8 << 20)
#define SLOT_BYTES	1896448

Datum
staging_copy_ms(PG_FUNCTION_ARGS)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
	Size n_bytes = VARSIZE(array) - ARR_DATA_OFFSET(array);
	char *lease = mmap(NULL, LEASE_BYTES, PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	instr_time start;
	instr_time end;
	Size done;

	if (lease == MAP_FAILED)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY),
						errmsg("could not map memory: %m")));
	memset(lease, 1, LEASE_BYTES);
	INSTR_TIME_SET_CURRENT(start);
	for (done = 0; done < n_bytes; done += SLOT_BYTES)
		memcpy(lease + done / SLOT_BYTES % 4 * (LEASE_BYTES / 4),
			   ARR_DATA_PTR(array) + done, Min(SLOT_BYTES, n_bytes - done));
	INSTR_TIME_SET_CURRENT(end);
	munmap(lease, LEASE_BYTES);
	INSTR_TIME_SUBTRACT(end, start);
	PG_RETURN_FLOAT8(INSTR_TIME_GET_MILLISEC(end));
}

/* storage_of(float8[]): where the array is stored, and whether compressed. */
Datum
storage_of(PG_FUNCTION_ARGS)
{
	struct varlena *value = (struct varlena *) PG_GETARG_POINTER(0);
	struct varatt_external pointer;
	const char *where = "in line";

	if (VARATT_IS_EXTERNAL_ONDISK(value))
	{
		VARATT_EXTERNAL_GET_POINTER(pointer, value);
		where = VARATT_EXTERNAL_IS_COMPRESSED(pointer) ?
					"out of line, compressed" :
					"out of line";
	}
	else if (VARATT_IS_EXTERNAL(value))
		where = "in memory";
	else if (VARATT_IS_COMPRESSED(value))
		where = "in line, compressed";
	PG_RETURN_TEXT_P(cstring_to_text(where));
}

/*
 * Return a new array of n float8, whose elements *x the caller sets.  Errors:
 * 22023 if an array cannot have so many.
 */
static ArrayType *
new_array(int n, float8 **x)
{
	Size n_bytes = ARR_OVERHEAD_NONULLS(1) + (Size) n * sizeof(float8);
	ArrayType *array;

	if (n <= 0 || !AllocSizeIsValid(n_bytes))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("cannot make an array of %d elements", n)));
	array = palloc(n_bytes);
	SET_VARSIZE(array, n_bytes);
	array->ndim = 1;
	array->dataoffset = 0;
	array->elemtype = FLOAT8OID;
	ARR_DIMS(array)[0] = n;
	ARR_LBOUND(array)[0] = 1;
	*x = (float8 *) ARR_DATA_PTR(array);
	return array;
}

/* Return a first state, not 0, by a step of splitmix64 (Steele 2014). */
static uint64
first_state(int64 seed)
{
	uint64 z = (uint64) seed + UINT64CONST(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64CONST(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64CONST(0x94D049BB133111EB);
	return (z ^ (z >> 31)) | 1;
}

/* Return the next 64 bits, by xorshift64 (Marsaglia 2003). */
static inline uint64
next_bits(uint64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* The next element of an array, given the one before it. */
typedef float8 (*NextElement)(uint64 *state, float8 before);

/* Return an array, given a function's arguments: a length and a seed. */
static Datum
make_array(FunctionCallInfo fcinfo, NextElement next, float8 before)
{
	int n = PG_GETARG_INT32(0);
	uint64 state = first_state(PG_GETARG_INT64(1));
	float8 *x;
	ArrayType *array = new_array(n, &x);
	int i;

	for (i = 0; i < n; i++)
		before = x[i] = next(&state, before);
	PG_RETURN_ARRAYTYPE_P(array);
}

static float8
next_random(uint64 *state, float8 before)
{
	return (float8) (next_bits(state) >> 11) / (float8) (UINT64CONST(1) << 53);
}

/*
 * random_array(n integer, seed bigint): uniform in [0, 1) with all 53 bits, so
 * that nothing can be compressed.
 */
Datum
random_array(PG_FUNCTION_ARGS)
{
	return make_array(fcinfo, next_random, 0);
}

static float8
next_decimal(uint64 *state, float8 before)
{
	return (float8) ((next_bits(state) >> 32) % 100000) / 100.0;
}

/* random_decimals(n integer, seed bigint): uniform in 0.00, 0.01 to 999.99. */
Datum
random_decimals(PG_FUNCTION_ARGS)
{
	return make_array(fcinfo, next_decimal, 0);
}

static float8
next_price(uint64 *state, float8 before)
{
	int cents =
		(int) rint(before * 100) + (int) ((next_bits(state) >> 32) % 11) - 5;

	return Max(cents, 100) / 100.0;
}

/*
 * decimal_array(n integer, seed bigint): prices such as 101.25, each up to five
 * cents from the one before, which pglz can compress.
 */
Datum
decimal_array(PG_FUNCTION_ARGS)
{
	return make_array(fcinfo, next_price, 101.25);
}

/* next_oid(): the server's OID counter. */
Datum
next_oid(PG_FUNCTION_ARGS)
{
	Oid next;

	LWLockAcquire(OidGenLock, LW_SHARED);
	next = ga_transam_variables->nextOid;
	LWLockRelease(OidGenLock);
	PG_RETURN_OID(next);
}

/*
 * set_next_oid(oid): set the counter, and return what it was.  gpuaggd takes a
 * change for the shorter way round: to make an OID come again, go three steps
 * of less than 2^31 forward, and have a sample taken after each.  The next OID
 * is logged, for standbys.
 */
Datum
set_next_oid(PG_FUNCTION_ARGS)
{
	Oid before;

	if (!superuser())
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("only superusers may move the OID counter")));
	LWLockAcquire(OidGenLock, LW_EXCLUSIVE);
	before = ga_transam_variables->nextOid;
	ga_transam_variables->nextOid = PG_GETARG_OID(0);
	ga_transam_variables->oidCount = 0;
	LWLockRelease(OidGenLock);
	PG_RETURN_OID(before);
}

/* start_supervisor(): register one more, as sessions do at the same time. */
Datum
start_supervisor(PG_FUNCTION_ARGS)
{
	BackgroundWorker worker = {.bgw_name = "gpuagg supervisor",
							   .bgw_type = "gpuagg supervisor",
							   .bgw_library_name = "gpuagg",
							   .bgw_function_name = "gpuagg_supervisor_main",
							   .bgw_start_time = BgWorkerStart_ConsistentState,
							   .bgw_restart_time = BGW_NEVER_RESTART,
							   .bgw_notify_pid = MyProcPid};
	BackgroundWorkerHandle *handle;

	worker.bgw_flags = BGWORKER_SHMEM_ACCESS;
	if (!RegisterDynamicBackgroundWorker(&worker, &handle))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(WaitForBackgroundWorkerShutdown(handle) == BGWH_STOPPED);
}
