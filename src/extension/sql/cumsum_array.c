/*
 * cumsum_array.c
 *		gpu_array_cumsum: running totals as an array of the same shape.
 *
 * Without NULLs, and with totals of fixed length, totals are computed from run
 * to run right into the result; all others item by item.
 *
 * Called by the executor; keeps nothing between two calls.
 */
#include "postgres.h"
#include "utils/memutils.h"

#include "extension/input/array_result.h"
#include "cumsum.h"
#include "extension/element_datum.h"
#include "extension/error.h"
#include "extension/pg_compat.h"
#include "mean.h"

/* Return the bytes of a total; for numeric, which varies, a guess. */
static Size
total_size(GaElementType type)
{
	return type == GA_float4 ? sizeof(float4) : sizeof(int64);
}

/* Return an empty array, for one. */
static Datum
empty_result(GaElementType type)
{
	return PointerGetDatum(construct_empty_array(ga_total_oid(type)));
}

/*
 * Compute totals of fixed length of an array without NULLs, run by run.
 * Exclusive totals are the inclusive ones shifted by one, after the start.
 */
static Datum
plain_totals(GaCumsum *cumsum)
{
	GaArray *array = &cumsum->array;
	GaElementType type = array->type;
	Size out_size = total_size(type);
	int left = array->n_items;
	GaArrayResult result;
	const void *run;
	char *out;
	int n;

	ga_array_result_init(&result, array, ga_total_oid(type), 0,
						 (Size) left * out_size);
	out = result.data;
	if (cumsum->exclusive)
	{
		if (cumsum->is_start_out)
			ga_report(GA_OVERFLOW, ga_total_type(type));
		memcpy(out, &cumsum->total, out_size);
		out += out_size;
		left--;
	}
	while (left > 0 &&
		   (n = ga_totals_next_run(&cumsum->totals, array, &run)) > 0)
	{
		n = Min(n, left);
		if (ga_totals_compute(&cumsum->totals, run, n, out) < n)
			ga_report(GA_OVERFLOW, ga_total_type(type));
		out += n * out_size;
		left -= n;
	}
	result.n_data_bytes = result.capacity;
	return ga_array_result_datum(&result);
}

/* A guess at the bytes of a numeric total: 28 digits have so many. */
#define NUMERIC_BYTES 24

/* Return the number of NULLs that the result begins with. */
static int
leading_nulls(const GaCumsum *cumsum)
{
	int item = cumsum->first;

	if (!cumsum->exclusive && !cumsum->has_total)
	{
		while (item < cumsum->end && ga_array_is_null(&cumsum->array, item))
			item++;
	}
	return item - cumsum->first;
}

/* Compute totals item by item: of an array with NULLs, or numeric ones. */
static Datum
item_totals(GaCumsum *cumsum)
{
	GaElementType type = cumsum->array.type;
	int n_leading = leading_nulls(cumsum);
	const Size n = cumsum->array.n_items - n_leading;
	GaArrayResult result;
	GaIntNumeric numeric;
	bool is_null;

	ga_array_result_init(&result, &cumsum->array, ga_total_oid(type), n_leading,
						 type == GA_int8 ?
							 Min(n * NUMERIC_BYTES, MaxAllocSize / 2) :
							 n * total_size(type));
	while (ga_cumsum_next(cumsum, &is_null))
	{
		if (is_null)
			continue;
		if (type == GA_int8)
		{
			(void) ga_total_numeric(cumsum->total.int16, &numeric);
			ga_array_result_append(&result, &numeric, VARSIZE(&numeric),
								   ALIGNOF_INT);
		}
		else
			ga_array_result_append(&result, &cumsum->total, total_size(type),
								   total_size(type));
	}
	return ga_array_result_datum(&result);
}

/* Return the array of totals. */
static Datum
array_cumsum(FunctionCallInfo fcinfo, GaElementType type)
{
	GaCumsum cumsum;
	Datum result;

	if (ga_cumsum_has_null(fcinfo))
		PG_RETURN_NULL();
	ga_cumsum_open(&cumsum, fcinfo, type);
	if (cumsum.array.n_items == 0)
		result = empty_result(type);
	else if (type == GA_int8 || ga_array_may_have_nulls(&cumsum.array))
		result = item_totals(&cumsum);
	else
		result = plain_totals(&cumsum);
	ga_cumsum_close(&cumsum);
	PG_RETURN_DATUM(result);
}

#define X(name, family, ctype)                      \
	PG_FUNCTION_INFO_V1(gpu_array_cumsum_##name);   \
	Datum gpu_array_cumsum_##name(PG_FUNCTION_ARGS) \
	{                                               \
		return array_cumsum(fcinfo, GA_##name);     \
	}
GA_ELEMENT_TYPES(X)
#undef X
