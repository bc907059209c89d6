/*
 * array.c
 *		From an array value to runs of plain elements.
 *
 * Called with arguments as they come, toasted or not.  NULL elements take no
 * room in an array, so a flat one is a single run; their bitmap is needed
 * for their number alone.  The value may have been damaged on disk: nothing is
 * read beyond its end.
 */
#include "postgres.h"
#include "catalog/pg_type.h"
#include "port/pg_bitutils.h"
#include "utils/expandeddatum.h"

#include "array.h"
#include "error.h"
#include "pg_compat.h"

/* An array's first fields behind its length, in the form they are stored. */
typedef struct Head
{
	int32		ndim;
	int32		dataoffset;		/* 0 without a NULL bitmap */
	Oid			elemtype;
} Head;

#define STORED(offset)	((offset) - (Size) VARHDRSZ)	/* without the length */

static Oid
element_oid(GaElementType type)
{
	static const Oid oids[] = {
		[GA_int2] = INT2OID,
		[GA_int4] = INT4OID,
		[GA_int8] = INT8OID,
		[GA_float4] = FLOAT4OID,
		[GA_float8] = FLOAT8OID,
	};

	return oids[type];
}

static void
check_element_type(Oid found, GaElementType type)
{
	if (unlikely(found != element_oid(type)))
		ga_report_element_type(found, element_oid(type));
}

/* Elements that are not NULL, by the bitmap. */
static int
count_values(const char *bitmap, int n_items)
{
	int			whole = n_items / BITS_PER_BYTE;
	int			rest = n_items % BITS_PER_BYTE;
	int			n = (int) pg_popcount(bitmap, whole);

	if (rest > 0)
		n += pg_number_of_ones[(uint8) bitmap[whole] & ((1 << rest) - 1)];
	return n;
}

/* Read a flat array, with any kind of header, aligned or not. */
static void
open_flat(GaArray *array, const struct varlena *value)
{
	const char *stored = VARDATA_ANY(value);
	Size		size = VARSIZE_ANY_EXHDR(value);
	Size		offset;
	Head		head;

	if (size < sizeof(head))
		ga_report_bad_array("It has no header.");
	memcpy(&head, stored, sizeof(head));
	check_element_type(head.elemtype, array->type);
	if (head.ndim < 0 || head.ndim > MAXDIM)
		ga_report_bad_array("Its number of dimensions is out of range.");
	if (size < sizeof(head) + 2 * sizeof(int) * head.ndim)
		ga_report_bad_array("It ends within its dimensions.");
	array->n_dims = head.ndim;
	stored += sizeof(head);
	memcpy(array->dims, stored, sizeof(int) * head.ndim);
	stored += sizeof(int) * head.ndim;
	memcpy(array->lower_bounds, stored, sizeof(int) * head.ndim);
	stored += sizeof(int) * head.ndim;
	array->n_items = ArrayGetNItems(head.ndim, array->dims);
	ArrayCheckBounds(head.ndim, array->dims, array->lower_bounds);
	array->n_data = array->n_items;

	if (head.dataoffset == 0)
		offset = STORED(ARR_OVERHEAD_NONULLS(head.ndim));
	else
	{
		offset = STORED(ARR_OVERHEAD_WITHNULLS(head.ndim, array->n_items));
		if (head.dataoffset != (int32) (offset + VARHDRSZ))
			ga_report_bad_array("Its elements are not where they should be.");
		if (offset > size)
			ga_report_bad_array("It ends within its NULL bitmap.");
		array->bitmap = stored;
		array->n_data = count_values(stored, array->n_items);
	}
	if (array->n_data > 0 &&
		(offset > size ||
		 (Size) array->n_data > (size - offset) / ga_element_size(array->type)))
		ga_report_bad_array("It ends before its last element.");
	array->data = (const char *) VARDATA_ANY(value) + offset;
}

/* Read an array that a function keeps in a form for changes. */
static void
open_expanded(GaArray *array, const ExpandedArrayHeader *expanded)
{
	if (expanded->fvalue != NULL)
	{
		open_flat(array, (const struct varlena *) expanded->fvalue);
		return;
	}
	check_element_type(expanded->element_type, array->type);
	array->n_dims = expanded->ndims;
	memcpy(array->dims, expanded->dims, sizeof(int) * expanded->ndims);
	memcpy(array->lower_bounds, expanded->lbound,
		   sizeof(int) * expanded->ndims);
	array->n_items = expanded->nelems;
	array->datums = expanded->dvalues;
	array->nulls = expanded->dnulls;
}

/*
 * Begin to read an array argument (PG_GETARG_DATUM; not NULL).  Errors: 42804
 * if its elements are of another type, XX001 if it is damaged.
 */
void
ga_array_open(GaArray *array, Datum value, GaElementType type)
{
	struct varlena *given = (struct varlena *) DatumGetPointer(value);

	array->type = type;
	array->n_data = 0;
	array->copy = NULL;
	array->bitmap = NULL;
	array->datums = NULL;
	array->nulls = NULL;
	array->next = 0;
	if (VARATT_IS_EXTERNAL_EXPANDED(given))
	{
		ExpandedArrayHeader *expanded = (ExpandedArrayHeader *)
			DatumGetEOHP(value);

		if (expanded->ea_magic == EA_MAGIC)
		{
			open_expanded(array, expanded);
			return;
		}
	}
	if (VARATT_IS_COMPRESSED(given) || VARATT_IS_EXTERNAL(given))
	{
		array->copy = pg_detoast_datum(given);
		given = array->copy;
	}
	open_flat(array, given);
}

/* Put up to GA_GATHER elements that are not NULL one behind the other. */
static int
gather(GaArray *array)
{
	char	   *to = array->gathered.bytes;
	int			n = 0;

	for (; array->next < array->n_items && n < GA_GATHER; array->next++)
	{
		Datum		datum = array->datums[array->next];

		if (array->nulls != NULL && array->nulls[array->next])
			continue;
		switch (array->type)
		{
			case GA_int2:
				((int16 *) to)[n++] = DatumGetInt16(datum);
				break;
			case GA_int4:
			case GA_float4:
				((int32 *) to)[n++] = DatumGetInt32(datum);
				break;
			default:
				((int64 *) to)[n++] = DatumGetInt64(datum);
				break;
		}
	}
	return n;
}

/*
 * The next run of elements, as the type's C type and maybe unaligned, valid
 * until the next call.  Returns its length; 0 after the last run.
 */
int
ga_array_next_run(GaArray *array, const void **run)
{
	int			n = array->n_data;

	if (array->datums != NULL)
	{
		*run = array->gathered.bytes;
		return gather(array);
	}
	*run = array->data;
	array->n_data = 0;
	return n;
}

/* Free what opening it took. */
void
ga_array_close(GaArray *array)
{
	if (array->copy != NULL)
		pfree(array->copy);
}
