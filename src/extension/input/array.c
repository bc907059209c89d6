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
#include "extension/error.h"
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
	array->n_items = expanded->nelems;
	ga_array_select(array);
	array->datums = expanded->dvalues;
	array->nulls = expanded->dnulls;
}

/*
 * Read an array that is not stored out of line.  is_lazy: of a compressed one
 * perhaps not all is needed.
 */
static void
open_inline(GaArray *array, Datum value, bool is_lazy)
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
	if (is_lazy && VARATT_IS_COMPRESSED(given))
	{
		array->packed = given;
		ga_array_compressed_open(array);
		return;
	}
	if (VARATT_IS_COMPRESSED(given) || VARATT_IS_EXTERNAL(given))
		given = array->copy = pg_detoast_datum(given);
	ga_array_open_flat(array, given);
}

/*
 * Read an array that was initialized.  is_lazy: only its dimensions and NULL
 * bitmap are needed at first.
 */
static void
open_any(GaArray *array, Datum value, GaToastRelation *relation, bool is_lazy)
{
	struct varatt_external pointer;

	if (!ga_toast_pointer(value, &pointer))
		open_inline(array, value, is_lazy);
	else if (is_lazy)
		ga_array_stored_open_items(array, &pointer, relation);
	else
		ga_array_stored_open_part(array, &pointer, array->part, relation);
}

/*
 * Begin to read a part of an array argument (PG_GETARG_DATUM; not NULL), in
 * memory of the current context.  A TOAST pointer is copied, so the argument
 * need not stay; other arrays have to.  A stored one is read in the caller's
 * relation, closed at first, which the caller closes; if that is NULL, the
 * relation is opened whenever it is needed.  Of a part only the bytes that it
 * takes are read, besides the head.  Errors: 42804 if its elements are of
 * another type, XX001 if it is damaged, and PostgreSQL's.
 */
void
ga_array_open_part(GaArray *array, Datum value, GaElementType type, GaPart part,
				   GaToastRelation *relation)
{
	ga_array_init(array, type);
	array->part = part;
	open_any(array, value, relation, !ga_part_is_whole(part));
}

/* Begin to read all of an array argument. */
void
ga_array_open_in(GaArray *array, Datum value, GaElementType type,
				 GaToastRelation *relation)
{
	ga_array_open_part(array, value, type, GA_WHOLE, relation);
}

/*
 * Begin to read an array that was initialized, all of it in memory: expanded,
 * or flat.
 */
void
ga_array_open_whole(GaArray *array, Datum value)
{
	open_inline(array, value, false);
}

/*
 * Begin to read an array that was initialized, of which only the dimensions and
 * the NULL bitmap are needed.
 */
void
ga_array_open_head(GaArray *array, Datum value)
{
	open_any(array, value, NULL, true);
}

/* Begin to read a part whose elements are probably not needed. */
void
ga_array_open_items(GaArray *array, Datum value, GaElementType type,
					GaPart part)
{
	ga_array_init(array, type);
	array->part = part;
	ga_array_open_head(array, value);
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
 * were returned.  None may be behind the part, and the array not be expanded.
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
 * Return how many elements of the part are not NULL; no run may have been
 * returned yet.  No elements are read.
 */
int
ga_array_n_selected(const GaArray *array)
{
	int n = 0;
	int i;

	if (array->datums == NULL)
		return array->n_limit - array->n_returned;
	if (array->nulls == NULL)
		return array->end - array->next;
	for (i = array->next; i < array->end; i++)
		n += !array->nulls[i];
	return n;
}

/*
 * Give an array that was opened for a part the shape of array[first:last],
 * whose lower bounds are 1.  Its items keep their numbers.
 */
void
ga_array_reshape(GaArray *array)
{
	const int n_items = array->end - array->next;
	int i;

	if (n_items == 0)
		array->n_dims = 0;
	else
		array->dims[0] = n_items / (array->n_items / array->dims[0]);
	for (i = 0; i < array->n_dims; i++)
		array->lower_bounds[i] = 1;
	array->n_items = n_items;
}

/* Check that arrays have the same dimensions.  Errors: 2202E. */
void
ga_array_check_pair(const GaArray *x, const GaArray *y)
{
	if (x->n_dims != y->n_dims ||
		memcmp(x->dims, y->dims, x->n_dims * sizeof(x->dims[0])) != 0)
		ga_report_unlike_arrays(x->n_items, x->n_dims, y->n_items, y->n_dims);
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
