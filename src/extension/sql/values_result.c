/*
 * values_result.c
 *		Result arrays without NULLs, whose values the device makes.
 *
 * Its values have 8 bytes: integers as an int64, floats as a float8.  Those of
 * smaller types go to memory of their own first.
 */
#include "postgres.h"
#include "catalog/pg_type_d.h"
#include "utils/memutils.h"

#include "values_result.h"

/* narrow_int2(), and so on: the memory may be the same. */
#define NARROW(name, wide, narrow)                                       \
	static void narrow_##name(const char *from, char *to, int n)         \
	{                                                                    \
		int i;                                                           \
                                                                         \
		for (i = 0; i < n; i++)                                          \
		{                                                                \
			wide value;                                                  \
			narrow element;                                              \
                                                                         \
			memcpy(&value, from + i * sizeof(value), sizeof(value));     \
			element = (narrow) value;                                    \
			memcpy(to + i * sizeof(element), &element, sizeof(element)); \
		}                                                                \
	}
NARROW(int2, int64, int16)
NARROW(int4, int64, int32)
NARROW(float4, float8, float4)
#undef NARROW

/* Return the bytes of an element of a result. */
static Size
element_size(Oid type)
{
	return type == INT2OID						? sizeof(int16) :
		   type == INT4OID || type == FLOAT4OID ? sizeof(int32) :
												  sizeof(int64);
}

/*
 * Write n values of the device as elements of a type; those of 8 bytes stay as
 * and where they are.
 */
void
ga_values_narrow(Oid type, const char *values, char *to, int n)
{
	if (type == INT2OID)
		narrow_int2(values, to, n);
	else if (type == INT4OID)
		narrow_int4(values, to, n);
	else if (type == FLOAT4OID)
		narrow_float4(values, to, n);
}

/* Are values of a type smaller than the device's? */
static bool
is_narrow(Oid type)
{
	return element_size(type) < sizeof(int64);
}

/*
 * Begin an array of a shape, of elements of a type.  Errors: 54000, with the
 * hint, if it would be too large.
 */
void
ga_values_begin(GaValuesResult *result, const GaArrayShape *shape, Oid type,
				const char *hint)
{
	const Size n = (Size) shape->n_items;

	result->type = type;
	result->n = shape->n_items;
	ga_array_result_init_shape(&result->array, shape, type, false,
							   n * element_size(type), hint);
	result->values =
		is_narrow(type) ?
			MemoryContextAllocHuge(CurrentMemoryContext, n * sizeof(int64)) :
			result->array.data;
}

/* Return the array of the values. */
Datum
ga_values_end(GaValuesResult *result)
{
	if (is_narrow(result->type))
	{
		ga_values_narrow(result->type, result->values, result->array.data,
						 result->n);
		pfree(result->values);
	}
	result->array.n_data_bytes = result->array.capacity;
	return ga_array_result_datum(&result->array);
}

/* Free an array whose values there are not. */
void
ga_values_discard(GaValuesResult *result)
{
	if (is_narrow(result->type))
		pfree(result->values);
	pfree(result->array.array);
}
