/*
 * gpuagg_test.c
 *		For tests and benchmarks only; never installed with the extension.
 *
 * naive_sum is what a good programmer writes in an afternoon: detoast the
 * array, add its elements in a loop.  Speed is measured against it, and against
 * staging_copy_ms, which only copies.  The other functions hand gpuagg what no user can: array values with broken
 * headers and serialized states with broken bytes.
 */
#include "postgres.h"

#include <sys/mman.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "portability/instr_time.h"
#include "utils/array.h"
#include "utils/builtins.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(naive_sum_accum);
PG_FUNCTION_INFO_V1(broken_array);
PG_FUNCTION_INFO_V1(reserialize);
PG_FUNCTION_INFO_V1(staging_copy_ms);

/* naive_sum_accum(float8, float8[]): strict; no NULL elements, no NaN rules. */
Datum
naive_sum_accum(PG_FUNCTION_ARGS)
{
	float8		sum = PG_GETARG_FLOAT8(0);
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(1);
	int			n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	const float8 *x = (const float8 *) ARR_DATA_PTR(array);
	int			i;

	if (ARR_HASNULL(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("naive_sum cannot do NULL elements")));
	for (i = 0; i < n; i++)
		sum += x[i];
	PG_FREE_IF_COPY(array, 1);
	PG_RETURN_FLOAT8(sum);
}

/*
 * broken_array(bytea): the bytes, as they are, as an array value without its
 * length word.
 */
Datum
broken_array(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_P_COPY(0);

	PG_RETURN_POINTER(bytes);
}

/*
 * reserialize(regproc, regproc, bytea): bytes through a deserialization
 * function and back through a serialization function, as between a parallel
 * worker and its leader.
 */
Datum
reserialize(PG_FUNCTION_ARGS)
{
	Datum		state = OidFunctionCall2(PG_GETARG_OID(0),
										 PG_GETARG_DATUM(2), PointerGetDatum(NULL));

	return OidFunctionCall1(PG_GETARG_OID(1), state);
}

/*
 * staging_copy_ms(float8[]): how long it takes to copy an array's elements
 * into shared memory of the size of a session's window, round and round.
 */
#define WINDOW_BYTES	(8 << 20)
#define PIECE_BYTES		1896448

Datum
staging_copy_ms(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	Size		n_bytes = VARSIZE(array) - ARR_DATA_OFFSET(array);
	char	   *window = mmap(NULL, WINDOW_BYTES, PROT_READ | PROT_WRITE,
							  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	instr_time	start;
	instr_time	end;
	Size		done;

	if (window == MAP_FAILED)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("could not map memory: %m")));
	memset(window, 1, WINDOW_BYTES);
	INSTR_TIME_SET_CURRENT(start);
	for (done = 0; done < n_bytes; done += PIECE_BYTES)
		memcpy(window + done / PIECE_BYTES % 4 * (WINDOW_BYTES / 4),
			   ARR_DATA_PTR(array) + done, Min(PIECE_BYTES, n_bytes - done));
	INSTR_TIME_SET_CURRENT(end);
	munmap(window, WINDOW_BYTES);
	INSTR_TIME_SUBTRACT(end, start);
	PG_RETURN_FLOAT8(INSTR_TIME_GET_MILLISEC(end));
}
