/*
 * elem_values.c
 *		Results of aggregates by position that the device makes.
 *
 * Its values have 8 bytes: integers as an int64, floats as a float8.  Those of
 * smaller types go to memory of their own first.
 *
 * Called by final functions.
 */
#include "postgres.h"
#include "catalog/pg_type_d.h"
#include "utils/memutils.h"

#include "elem_state.h"
#include "elem_values.h"

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
ga_elem_narrow(Oid type, const char *values, char *to, int n)
{
	if (type == INT2OID)
		narrow_int2(values, to, n);
	else if (type == INT4OID)
		narrow_int4(values, to, n);
	else if (type == FLOAT4OID)
		narrow_float4(values, to, n);
}

/*
 * Have the device make an array of a shape, of elements of a type, of what is
 * noted alone; return false if it does not.  Errors: 54000.
 */
bool
ga_elem_make_values(GaElemNoted *noted, GaElemForm form,
					const GaArrayShape *shape, Oid type, Datum *result)
{
	const Size n = (Size) shape->n_items;
	const bool is_narrow = element_size(type) < sizeof(int64);
	GaArrayResult array;
	char *values;
	bool is_made;

	ga_array_result_init_shape(&array, shape, type, false,
							   n * element_size(type), GA_ELEM_HINT);
	values = is_narrow ? MemoryContextAllocHuge(CurrentMemoryContext,
												n * sizeof(int64)) :
						 array.data;
	is_made = ga_elem_values(noted, form, values);
	if (is_made && is_narrow)
		ga_elem_narrow(type, values, array.data, shape->n_items);
	if (is_narrow)
		pfree(values);
	if (!is_made)
	{
		pfree(array.array);
		return false;
	}
	array.n_data_bytes = array.capacity;
	*result = ga_array_result_datum(&array);
	return true;
}
