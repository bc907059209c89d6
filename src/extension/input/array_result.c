/*
 * array_result.c
 *		Result arrays, built element by element or filled by the caller.
 *
 * Owns the array until ga_array_result_datum() returns it.  Called by
 * cumsum_array.c and elem_result.c.  A large array is new memory, and the operating system
 * would provide it in pages of 4 kB, each with a fault that costs more than
 * filling the page.  So it is advised to use huge pages.
 */
#include "postgres.h"
#include <sys/mman.h>
#include "utils/memutils.h"

#include "array_result.h"
#include "extension/pg_compat.h"

#define HUGE_PAGE ((Size) 2 * 1024 * 1024)

/* Allocate n bytes, in huge pages if they are worth it.  Errors: 54000. */
static char *
allocate(Size n, const char *hint)
{
	char *memory;

	if (!AllocSizeIsValid(n))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("array size exceeds the maximum allowed (%d)",
							   (int) MaxAllocSize),
						errhint("%s", hint)));
	memory = palloc(n);
#ifdef MADV_HUGEPAGE
	if (n >= 2 * HUGE_PAGE)
	{
		char *first = (char *) TYPEALIGN(HUGE_PAGE, memory);
		char *end = (char *) TYPEALIGN_DOWN(HUGE_PAGE, memory + n);

		/* only advice */
		(void) madvise(first, end - first, MADV_HUGEPAGE);
	}
#endif
	return memory;
}

/*
 * Begin an array of a shape, with the capacity for some bytes of elements.  If
 * it has NULLs, all of its items are at first.  Errors: 54000, with the hint, if
 * that is more than an array can hold.
 */
void
ga_array_result_init_shape(GaArrayResult *result, const GaArrayShape *shape,
						   Oid element_type, bool has_nulls, Size n_data_bytes,
						   const char *hint)
{
	const int n_dims = shape->n_dims;
	Size offset = has_nulls ? ARR_OVERHEAD_WITHNULLS(n_dims, shape->n_items) :
							  ARR_OVERHEAD_NONULLS(n_dims);
	ArrayType *array = (ArrayType *) allocate(offset + n_data_bytes, hint);

	memset(array, 0, offset);
	array->ndim = n_dims;
	array->dataoffset = has_nulls ? (int32) offset : 0;
	array->elemtype = element_type;
	memcpy(ARR_DIMS(array), shape->dims, sizeof(int) * n_dims);
	memcpy(ARR_LBOUND(array), shape->lower_bounds, sizeof(int) * n_dims);
	result->array = array;
	result->data_offset = offset;
	result->data = (char *) array + offset;
	result->n_data_bytes = 0;
	result->capacity = n_data_bytes;
	result->hint = hint;
}

/* Say of some items of an array with NULLs that they are none. */
void
ga_array_result_set_not_null(GaArrayResult *result, int from, int to)
{
	uint8 *bitmap = ARR_NULLBITMAP(result->array);
	int i;

	for (i = from; i < to; i++)
		bitmap[i / BITS_PER_BYTE] |= 1 << i % BITS_PER_BYTE;
}

/*
 * Begin an array with the dimensions and lower bounds of `like`.  Its first
 * items are NULL, and it has the capacity for some bytes of elements.  Errors:
 * 54000 if that is more than an array can hold.
 */
void
ga_array_result_init(GaArrayResult *result, const GaArray *like,
					 Oid element_type, int n_leading_nulls, Size n_data_bytes)
{
	GaArrayShape shape = {.n_items = like->n_items, .n_dims = like->n_dims};

	memcpy(shape.dims, like->dims, sizeof(int) * like->n_dims);
	memcpy(shape.lower_bounds, like->lower_bounds, sizeof(int) * like->n_dims);
	ga_array_result_init_shape(
		result, &shape, element_type, n_leading_nulls > 0, n_data_bytes,
		"Take the running totals as rows, with gpu_cumsum.");
	if (n_leading_nulls > 0)
		ga_array_result_set_not_null(result, n_leading_nulls, like->n_items);
}

/* Move the array to memory with space for n_bytes more of elements. */
static void
enlarge(GaArrayResult *result, Size n_bytes)
{
	Size needed = result->n_data_bytes + n_bytes;
	Size most = MaxAllocSize - result->data_offset;
	Size capacity = Max(2 * result->capacity, needed);
	char *larger;

	if (capacity > most)
		capacity = Max(most, needed);
	larger = allocate(result->data_offset + capacity, result->hint);
	memcpy(larger, result->array, result->data_offset + result->n_data_bytes);
	pfree(result->array);
	result->array = (ArrayType *) larger;
	result->data = larger + result->data_offset;
	result->capacity = capacity;
}

/* Append one element, and zeros up to a multiple of its alignment. */
void
ga_array_result_append(GaArrayResult *result, const void *element, Size n_bytes,
					   Size alignment)
{
	Size padded = TYPEALIGN(alignment, n_bytes);
	char *to;

	if (result->n_data_bytes + padded > result->capacity)
		enlarge(result, padded);
	to = result->data + result->n_data_bytes;
	memcpy(to, element, n_bytes);
	memset(to + n_bytes, 0, padded - n_bytes);
	result->n_data_bytes += padded;
}

/* Return the finished array. */
Datum
ga_array_result_datum(GaArrayResult *result)
{
	SET_VARSIZE(result->array, result->data_offset + result->n_data_bytes);
	return PointerGetDatum(result->array);
}
