/*
 * array_result.c
 *		Result arrays, built element by element or filled by the caller.
 *
 * Owns the array until ga_array_result_datum() returns it.  Called by the
 * functions that return arrays.  A large array is new memory, and the operating
 * system would provide it in pages of 4 kB, each with a fault that costs more
 * than filling the page.  So it is advised to use huge pages.
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
 * Begin an array of a shape, with capacity for some bytes of elements.  If it
 * may have NULLs, all of its items are at first.  Errors: 54000, with the hint,
 * if that is more than an array can hold.
 */
void
ga_array_result_init_shape(GaArrayResult *result, const GaArrayShape *shape,
						   Oid element_type, bool may_have_nulls,
						   Size n_data_bytes, const char *hint)
{
	const int n_dims = shape->n_dims;
	Size offset = may_have_nulls ?
					  ARR_OVERHEAD_WITHNULLS(n_dims, shape->n_items) :
					  ARR_OVERHEAD_NONULLS(n_dims);
	ArrayType *array = (ArrayType *) allocate(offset + n_data_bytes, hint);

	memset(array, 0, offset);
	array->ndim = n_dims;
	array->dataoffset = may_have_nulls ? (int32) offset : 0;
	array->elemtype = element_type;
	memcpy(ARR_DIMS(array), shape->dims, sizeof(int) * n_dims);
	memcpy(ARR_LBOUND(array), shape->lower_bounds, sizeof(int) * n_dims);
	result->array = array;
	result->data_offset = offset;
	result->data = (char *) array + offset;
	result->n_data_bytes = 0;
	result->capacity = n_data_bytes;
	result->hint = hint;
	result->n_added = 0;
	result->n_nulls = may_have_nulls ? shape->n_items : 0;
}

/* Say of the items from one on, before another one, that they are not NULL. */
void
ga_array_result_set_not_null(GaArrayResult *result, int from, int end)
{
	uint8 *bitmap = (uint8 *) ARR_NULLBITMAP(result->array);
	int i = from;

	for (; i < end && i % BITS_PER_BYTE != 0; i++)
		bitmap[i / BITS_PER_BYTE] |= 1 << i % BITS_PER_BYTE;
	memset(bitmap + i / BITS_PER_BYTE, 0xff, (end - i) / BITS_PER_BYTE);
	for (i = Max(i, end - end % BITS_PER_BYTE); i < end; i++)
		bitmap[i / BITS_PER_BYTE] |= 1 << i % BITS_PER_BYTE;
	result->n_nulls -= end - from;
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
	GaArrayShape shape = ga_shape_of(like);

	ga_array_result_init_shape(
		result, &shape, element_type, n_leading_nulls > 0, n_data_bytes,
		"Take the running totals as rows, with gpu_cumsum.");
	if (n_leading_nulls > 0)
		ga_array_result_set_not_null(result, n_leading_nulls, like->n_items);
}

/*
 * Begin an array whose items are added by ga_array_result_add(), or written by
 * the caller, who calls ga_array_result_fill().  Errors: 54000.
 */
void
ga_array_result_begin(GaArrayResult *result, const GaArrayShape *shape,
					  Oid element_type, bool may_have_nulls, Size n_data_bytes)
{
	ga_array_result_init_shape(result, shape, element_type, may_have_nulls,
							   n_data_bytes, GA_ARRAY_RESULT_HINT);
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

/* Copy an element; up to 32 bytes without a call. */
static inline void
copy_element(char *to, const char *from, Size n)
{
	if (n >= 16 && n <= 32)
	{
		memcpy(to, from, 16);
		memcpy(to + n - 16, from + n - 16, 16);
	}
	else if (n >= 8 && n < 16)
	{
		memcpy(to, from, 8);
		memcpy(to + n - 8, from + n - 8, 8);
	}
	else
		memcpy(to, from, n);
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
	if (padded != n_bytes)
		memset(to + padded - alignment, 0, alignment);
	copy_element(to, element, n_bytes);
	result->n_data_bytes += padded;
}

/*
 * Add the next item: an element, as ga_array_result_append() does, or NULL if
 * there may be any.
 */
void
ga_array_result_add(GaArrayResult *result, const void *element, Size n_bytes,
					Size alignment)
{
	Assert(element != NULL || ARR_HASNULL(result->array));
	if (element != NULL)
	{
		ga_array_result_append(result, element, n_bytes, alignment);
		if (ARR_HASNULL(result->array))
			ga_array_result_set_not_null(result, result->n_added,
										 result->n_added + 1);
	}
	result->n_added++;
}

/*
 * Say that the caller wrote the elements of the next n items, n_bytes in all,
 * behind the others, into the capacity.
 */
void
ga_array_result_fill(GaArrayResult *result, int n, Size n_bytes)
{
	const int end = result->n_added + n;

	Assert(result->n_data_bytes + n_bytes <= result->capacity);
	if (ARR_HASNULL(result->array))
		ga_array_result_set_not_null(result, result->n_added, end);
	result->n_added = end;
	result->n_data_bytes += n_bytes;
}

/* Take the NULL bitmap out of an array without NULLs. */
static void
remove_bitmap(GaArrayResult *result)
{
	Size offset = ARR_OVERHEAD_NONULLS(ARR_NDIM(result->array));

	memmove((char *) result->array + offset, result->data,
			result->n_data_bytes);
	result->array->dataoffset = 0;
	result->data_offset = offset;
}

/* Return the finished array. */
Datum
ga_array_result_datum(GaArrayResult *result)
{
	if (ARR_HASNULL(result->array) && result->n_nulls == 0)
		remove_bitmap(result);
	SET_VARSIZE(result->array, result->data_offset + result->n_data_bytes);
	return PointerGetDatum(result->array);
}
