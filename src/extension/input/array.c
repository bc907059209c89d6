/*
 * array.c
 *		Array arguments as runs of plain elements.
 *
 * Owns a GaArray from ga_array_open() to ga_array_close().  The callers are all
 * that compute from arrays: sums, running totals, the offload.  Arguments come
 * as they are, toasted or not; the elements of a flat one are a single run,
 * where they are.  Takes no locks but those of toast.c, and never changes an
 * array.
 */
#include "postgres.h"
#include "utils/expandeddatum.h"

#include "array.h"
#include "extension/element_datum.h"
#include "extension/pg_compat.h"

/* Read an array that is expanded, as functions keep one that they change. */
static void
open_expanded(GaArray *array, const ExpandedArrayHeader *expanded)
{
	if (expanded->fvalue != NULL)
	{
		ga_array_open_flat(array, (const struct varlena *) expanded->fvalue);
		return;
	}
	ga_array_check_type(array, expanded->element_type);
	array->n_dims = expanded->ndims;
	memcpy(array->dims, expanded->dims, sizeof(int) * expanded->ndims);
	memcpy(array->lower_bounds, expanded->lbound,
		   sizeof(int) * expanded->ndims);
	array->n_items = array->end = expanded->nelems;
	array->datums = expanded->dvalues;
	array->nulls = expanded->dnulls;
}

/*
 * Begin to read an array that was initialized as it is in memory: expanded, or
 * flat.  One that is not in memory is copied there as a whole.
 */
void
ga_array_open_whole(GaArray *array, Datum value)
{
	struct varlena *given = (struct varlena *) DatumGetPointer(value);

	if (VARATT_IS_EXTERNAL_EXPANDED(given))
	{
		ExpandedArrayHeader *expanded =
			(ExpandedArrayHeader *) DatumGetEOHP(value);

		if (expanded->ea_magic == EA_MAGIC)
		{
			open_expanded(array, expanded);
			return;
		}
	}
	if (VARATT_IS_COMPRESSED(given) || VARATT_IS_EXTERNAL(given))
		given = array->copy = pg_detoast_datum(given);
	ga_array_open_flat(array, given);
}

/*
 * Begin to read an array argument (PG_GETARG_DATUM; not NULL), in memory of the
 * current context.  A TOAST pointer is copied, so the argument need not stay;
 * other arrays have to.  A stored one is read in the caller's relation, closed
 * at first, which the caller closes; if that is NULL, the relation is opened
 * whenever it is needed.  Errors: 42804 if its elements are of another type,
 * XX001 if it is damaged, and PostgreSQL's.
 */
void
ga_array_open_in(GaArray *array, Datum value, GaElementType type,
				 GaToastRelation *relation)
{
	struct varatt_external pointer;

	ga_array_init(array, type);
	if (ga_toast_pointer(value, &pointer))
		ga_array_stored_open(array, &pointer, relation, GA_READ_BYTES);
	else
		ga_array_open_whole(array, value);
}

/* Begin to read an array argument, and leave no relation open between calls. */
void
ga_array_open(GaArray *array, Datum value, GaElementType type)
{
	ga_array_open_in(array, value, type, NULL);
}

/* Gather up to GA_GATHER elements that are not NULL; returns their number. */
static int
gather(GaArray *array)
{
	const size_t size = ga_element_size(array->type);
	char *to = array->gathered.bytes;
	int n = 0;

	for (; array->next < array->end && n < GA_GATHER; array->next++)
	{
		Datum datum = array->datums[array->next];

		if (array->nulls != NULL && array->nulls[array->next])
			continue;
		ga_element_store(array->type, datum, to);
		to += size;
		n++;
	}
	return n;
}

/*
 * Give the next run of elements that are not NULL: of the type's C type, maybe
 * unaligned, valid until the next call.  Returns its length; 0 after the last.
 */
int
ga_array_next_run(GaArray *array, const void **run)
{
	const int from = array->n_returned;

	if (array->datums != NULL)
	{
		*run = array->gathered.bytes;
		return gather(array);
	}
	if (from == array->n_limit)
		return 0;
	if (array->is_compressed)
		ga_array_stored_decompress(array);
	if (array->is_stored)
		return ga_array_stored_next_run(array, run);
	*run = array->data + from * ga_element_size(array->type);
	array->n_returned = array->n_limit;
	return array->n_limit - from;
}

/*
 * Copy n of the elements that are not NULL, from one of them on, whatever runs
 * were returned.  The array must not be expanded.
 */
void
ga_array_read(GaArray *array, int from, int n, void *to)
{
	size_t size = ga_element_size(array->type);

	Assert(array->datums == NULL);
	Assert(from >= 0 && n >= 0 && n <= array->n_not_null - from);
	if (array->is_compressed)
		ga_array_stored_decompress(array);
	if (array->is_stored)
		ga_array_stored_read(array, array->data_at + from * size, n * size, to);
	else
		memcpy(to, array->data + from * size, n * size);
}

/*
 * Have runs come from n of the items alone, from one of them on, in storage
 * order.  Other items are not read.  Nothing of the array may have been
 * returned yet, and the numbers of its items and elements are as they were.
 */
void
ga_array_limit(GaArray *array, int from, int n)
{
	Assert(from >= 0 && n >= 0 && n <= array->n_items - from);
	Assert(array->n_returned == 0 && array->next == 0);
	array->next = from;
	array->end = from + n;
	if (array->datums != NULL)
		return;
	array->n_returned = ga_array_n_before(array, from);
	array->n_limit = ga_array_n_before(array, from + n);
}

/*
 * The same for the items whose first subscript is from first to last, as in
 * array[first:last]; those that the array has not are cut off.
 */
void
ga_array_limit_part(GaArray *array, GaPart part)
{
	int from = 0;
	int n = 0;

	if (array->n_dims > 0 && array->n_items > 0)
	{
		const int64 low = array->lower_bounds[0];
		const int n_each = array->n_items / array->dims[0];
		const int64 first = Max(part.first, low);
		const int64 last = Min(part.last, low + array->dims[0] - 1);

		if (first <= last)
		{
			from = (int) (first - low) * n_each;
			n = (int) (last - first + 1) * n_each;
		}
	}
	ga_array_limit(array, from, n);
}

/* Free the memory of reading it. */
void
ga_array_close(GaArray *array)
{
	if (array->copy != NULL)
		pfree(array->copy);
	if (array->buffer != NULL)
		pfree(array->buffer);
}
