/*
 * array_compressed.c
 *		Compressed arrays, decompressed as far as they are needed.
 *
 * A compressed array can only be decompressed from its beginning on: first the
 * head with the NULL bitmap, and, when elements are needed, all bytes up to the
 * last one of the part.  PostgreSQL reads no more of a stored array than that
 * takes.
 *
 * Owns the decompressed copy in a GaArray.  array.c and array_stored.c call it.
 */
#include "postgres.h"
#include "access/detoast.h"
#include "utils/memutils.h"

#include "array_compressed.h"
#include "extension/error.h"
#include "extension/pg_compat.h"

/* Return the array as it is: in the row, or its TOAST pointer in memory. */
static struct varlena *
compressed_datum(const GaArray *array, char memory[TOAST_POINTER_SIZE])
{
	if (array->packed != NULL)
		return (struct varlena *) array->packed;
	return ga_toast_datum(&array->pointer, memory);
}

/* Return the first n bytes behind the length of the array. */
static struct varlena *
decompress_first(const GaArray *array, int32 n)
{
	char memory[TOAST_POINTER_SIZE];
	struct varlena *first =
		detoast_attr_slice(compressed_datum(array, memory), 0, n);

	if (VARSIZE_ANY_EXHDR(first) < n)
		ga_report_bad_array("It is shorter than its length says.");
	return first;
}

/*
 * Begin to read an array whose TOAST pointer or datum is set: its dimensions
 * and its NULL bitmap, up to the end of the part.  In memory of the current
 * context.
 */
void
ga_array_compressed_open(GaArray *array)
{
	char memory[TOAST_POINTER_SIZE];
	const int32 size = (int32) toast_raw_datum_size(
						   PointerGetDatum(compressed_datum(array, memory))) -
					   VARHDRSZ;
	struct varlena *head =
		decompress_first(array, Min(size, (int32) GA_HEAD_BYTES));
	const int32 bitmap_at = ga_array_read_head(array, VARDATA(head), size);

	array->context = CurrentMemoryContext;
	array->is_compressed = true;
	if (bitmap_at > 0)
	{
		pfree(head);
		head =
			decompress_first(array, bitmap_at + ga_array_bitmap_bytes(array));
		array->copy = head;
	}
	ga_array_count(array, bitmap_at > 0 ? VARDATA(head) + bitmap_at : NULL,
				   size);
	if (bitmap_at == 0)
		pfree(head);
}

/*
 * Decompress the elements up to the end of the part, too, in memory of the
 * current context.
 */
void
ga_array_decompress_part(GaArray *array)
{
	struct varlena *head = array->copy;
	const Size n_bytes =
		array->data_at + array->n_limit * ga_element_size(array->type);
	struct varlena *value = decompress_first(array, (int32) n_bytes);

	if (array->bitmap != NULL)
		array->bitmap = VARDATA(value) + (array->bitmap - VARDATA(head));
	array->data = VARDATA(value) + array->data_at;
	array->copy = value;
	if (head != NULL)
		pfree(head);
}
