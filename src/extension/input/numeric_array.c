/*
 * numeric_array.c
 *		Array arguments of numeric, item by item.
 *
 * Elements of numeric have lengths of their own, so there are no runs of them.
 * An array is read as a whole in memory: where it is if it is flat and aligned,
 * or expanded; else in a copy.  The number of its elements needs only its head.
 * An array may have been damaged on disk: no element is read beyond its end.
 * What an element's digits are is for PostgreSQL's functions of numeric.
 *
 * Owns a GaNumericArray from ga_numeric_array_open() to ..._close().  Called by
 * the functions of numeric in sql/.
 */
#include "postgres.h"
#include "catalog/pg_type_d.h"

#include "numeric_array.h"
#include "extension/error.h"
#include "extension/pg_compat.h"

/* The fewest bytes of a numeric: its length, and its first field. */
#define LEAST_BYTES (VARHDRSZ + sizeof(uint16))

/* Return the next element of a flat array that is not NULL.  Errors: XX001. */
static Datum
next_flat(GaNumericItems *items)
{
	const char *at = items->at;
	const Size n_left = items->array->data_end - at;

	if (n_left < LEAST_BYTES || !VARATT_IS_4B_U(at) ||
		VARSIZE(at) < LEAST_BYTES || VARSIZE(at) > n_left)
		ga_report_bad_array("An element is not whole.");
	items->at += Min(INTALIGN(VARSIZE(at)), n_left);
	return PointerGetDatum(at);
}

/* Begin with the first item of the part that an array was opened for. */
static void
begin_items(GaNumericItems *items, const GaArray *array)
{
	int i;

	items->array = array;
	items->first = array->next;
	items->n = array->end - array->next;
	items->next = 0;
	items->at = array->data;
	if (array->datums == NULL && items->n > 0)
		for (i = ga_array_n_before(array, items->first); i > 0; i--)
			(void) next_flat(items);
}

/*
 * Begin to read an array argument (PG_GETARG_DATUM; not NULL), or a part of it,
 * in memory of the current context.  The argument has to stay.  Errors as
 * ga_array_open.
 */
void
ga_numeric_array_open(GaNumericArray *numerics, Datum value, const GaPart *part)
{
	GaArray *array = &numerics->array;
	struct varlena *given = (struct varlena *) DatumGetPointer(value);

	ga_array_init_other(array, NUMERICOID, LEAST_BYTES);
	array->part = part != NULL ? *part : GA_WHOLE;
	if (VARATT_IS_SHORT(given))
	{
		/* functions of numeric need an aligned one */
		given = pg_detoast_datum(given);
		ga_array_open_flat(array, given);
		array->copy = given;
	}
	else
		ga_array_open_whole(array, value);
	begin_items(&numerics->items, array);
	if (part != NULL)
		ga_array_reshape(array);
	numerics->shape = ga_shape_of(array);
}

/*
 * Go to the next item; returns false behind the last one.  The element is valid
 * as long as the array is read.  Errors: XX001.
 */
bool
ga_numeric_items_next(GaNumericItems *items, Datum *element, bool *is_null)
{
	const GaArray *array = items->array;
	const int item = items->next;

	if (item >= items->n)
		return false;
	items->next++;
	*is_null = ga_numeric_items_is_null(items, item);
	if (!*is_null)
		*element = array->datums != NULL ? array->datums[items->first + item] :
										   next_flat(items);
	return true;
}

/*
 * Begin to read an array argument, or a part of it, of which only the
 * dimensions and the NULL bitmap are needed: of a stored array only the head is
 * read.  The items are those from array->next to array->end.  Errors as
 * ga_array_open.
 */
void
ga_numeric_array_open_head(GaArray *array, Datum value, const GaPart *part)
{
	ga_array_init_other(array, NUMERICOID, LEAST_BYTES);
	if (part != NULL)
		array->part = *part;
	ga_array_open_head(array, value);
}

/*
 * Return the number of elements of an array argument, or of a part of it, that
 * are not NULL.
 */
int
ga_numeric_array_count(Datum value, const GaPart *part)
{
	GaArray array;
	int n;

	ga_numeric_array_open_head(&array, value, part);
	n = ga_array_n_selected(&array);
	ga_array_close(&array);
	return n;
}
