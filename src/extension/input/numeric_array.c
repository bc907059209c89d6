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

/*
 * Begin to read an array argument (PG_GETARG_DATUM; not NULL), in memory of the
 * current context.  The argument has to stay.  Errors as ga_array_open.
 */
void
ga_numeric_array_open(GaNumericArray *numerics, Datum value)
{
	GaArray *array = &numerics->array;
	struct varlena *given = (struct varlena *) DatumGetPointer(value);

	ga_array_init_other(array, NUMERICOID, LEAST_BYTES);
	if (VARATT_IS_SHORT(given))
	{
		/* functions of numeric need an aligned one */
		given = pg_detoast_datum(given);
		ga_array_open_flat(array, given);
		array->copy = given;
	}
	else
		ga_array_open_whole(array, value);
	numerics->next = 0;
	numerics->at = array->data;
}

/* Return the next element of a flat array that is not NULL.  Errors: XX001. */
static Datum
next_flat(GaNumericArray *numerics)
{
	const char *at = numerics->at;
	const Size n_left = numerics->array.data_end - at;

	if (n_left < LEAST_BYTES || !VARATT_IS_4B_U(at) ||
		VARSIZE(at) < LEAST_BYTES || VARSIZE(at) > n_left)
		ga_report_bad_array("An element is not whole.");
	numerics->at += Min(INTALIGN(VARSIZE(at)), n_left);
	return PointerGetDatum(at);
}

/*
 * Go to the next item; returns false behind the last one.  The element is valid
 * as long as the array is read.  Errors: XX001.
 */
bool
ga_numeric_array_next(GaNumericArray *numerics, Datum *element, bool *is_null)
{
	const GaArray *array = &numerics->array;
	const int item = numerics->next;

	if (item >= array->n_items)
		return false;
	numerics->next++;
	*is_null = ga_array_is_null(array, item);
	if (!*is_null)
		*element =
			array->datums != NULL ? array->datums[item] : next_flat(numerics);
	return true;
}

/*
 * Return the number of elements of an array argument that are not NULL.  Of a
 * stored array only the head is read.  Errors as ga_array_open.
 */
int
ga_numeric_array_count(Datum value)
{
	GaArray array;
	int n;

	ga_array_init_other(&array, NUMERICOID, LEAST_BYTES);
	ga_array_open_head(&array, value);
	n = ga_array_n_selected(&array);
	ga_array_close(&array);
	return n;
}
