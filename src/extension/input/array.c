/*
 * array.c
 *		From an array value to runs of plain elements.
 *
 * Called with arguments as they come, toasted or not.  NULL elements take no
 * room in an array, so a flat one is a single run; their bitmap is needed
 * for their number alone.  The value may have been damaged on disk: nothing is
 * read beyond its end.  What is stored out of line is left to array_stored.c.
 */
#include "postgres.h"
#include "catalog/pg_type.h"
#include "port/pg_bitutils.h"
#include "utils/expandeddatum.h"

#include "array.h"
#include "extension/error.h"
#include "extension/pg_compat.h"

/* An array's first fields behind its length, in the form they are stored. */
typedef struct Head
{
	int32 ndim;
	int32 dataoffset; /* 0 without a NULL bitmap */
	Oid elemtype;
} Head;

#define STORED(offset) ((offset) - (Size) VARHDRSZ) /* without the length */

static Oid
element_oid(GaElementType type)
{
	static const Oid oids[] = {
		[GA_int2] = INT2OID,	 [GA_int4] = INT4OID,	  [GA_int8] = INT8OID,
		[GA_float4] = FLOAT4OID, [GA_float8] = FLOAT8OID,
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
	int whole = n_items / BITS_PER_BYTE;
	int rest = n_items % BITS_PER_BYTE;
	int n = (int) pg_popcount(bitmap, whole);

	if (rest > 0)
		n += pg_number_of_ones[(uint8) bitmap[whole] & ((1 << rest) - 1)];
	return n;
}

/*
 * Read the header and dimensions of an array of `size` bytes without its
 * length, at least GA_HEAD_BYTES of which are at hand, if there are so many.
 * Returns where its NULL bitmap is, or 0 if it has none.
 */
int32
ga_array_open_head(GaArray *array, const char *stored, Size size)
{
	Size dims_bytes;
	Head head;

	if (size < sizeof(head))
		ga_report_bad_array("It has no header.");
	memcpy(&head, stored, sizeof(head));
	check_element_type(head.elemtype, array->type);
	if (head.ndim < 0 || head.ndim > MAXDIM)
		ga_report_bad_array("Its number of dimensions is out of range.");
	dims_bytes = sizeof(int) * head.ndim;
	if (size < sizeof(head) + 2 * dims_bytes)
		ga_report_bad_array("It ends within its dimensions.");
	array->n_dims = head.ndim;
	stored += sizeof(head);
	memcpy(array->dims, stored, dims_bytes);
	memcpy(array->lower_bounds, stored + dims_bytes, dims_bytes);
	array->n_items = ArrayGetNItems(head.ndim, array->dims);
	ArrayCheckBounds(head.ndim, array->dims, array->lower_bounds);

	array->data_at = STORED(ARR_OVERHEAD_NONULLS(head.ndim));
	if (head.dataoffset == 0)
		return 0;
	array->data_at = STORED(ARR_OVERHEAD_WITHNULLS(head.ndim, array->n_items));
	if (head.dataoffset != (int32) (array->data_at + VARHDRSZ))
		ga_report_bad_array("Its elements are not where they should be.");
	if (array->data_at > size)
		ga_report_bad_array("It ends within its NULL bitmap.");
	return sizeof(head) + 2 * dims_bytes;
}

/* Count the elements, by the bitmap if it is not NULL; are all there? */
void
ga_array_count(GaArray *array, const char *bitmap, Size size)
{
	array->bitmap = bitmap;
	array->n_values =
		bitmap == NULL ? array->n_items : count_values(bitmap, array->n_items);
	if (array->n_values > 0 &&
		(array->data_at > size ||
		 array->n_values >
			 (size - array->data_at) / ga_element_size(array->type)))
		ga_report_bad_array("It ends before its last element.");
}

/* Read a flat array, with any kind of header, aligned or not. */
void
ga_array_open_flat(GaArray *array, const struct varlena *value)
{
	const char *stored = VARDATA_ANY(value);
	Size size = VARSIZE_ANY_EXHDR(value);
	int32 bitmap_at = ga_array_open_head(array, stored, size);

	ga_array_count(array, bitmap_at > 0 ? stored + bitmap_at : NULL, size);
	array->data = stored + array->data_at;
}

/* Read an array that a function keeps in a form for changes. */
static void
open_expanded(GaArray *array, const ExpandedArrayHeader *expanded)
{
	if (expanded->fvalue != NULL)
	{
		ga_array_open_flat(array, (const struct varlena *) expanded->fvalue);
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

/* An array of which nothing is known yet. */
void
ga_array_init(GaArray *array, GaElementType type)
{
	array->type = type;
	array->n_values = 0;
	array->n_given = 0;
	array->data = NULL;
	array->bitmap = NULL;
	array->copy = NULL;
	array->is_stored = false;
	array->is_compressed = false;
	array->room = NULL;
	array->xmin = InvalidTransactionId;
	array->is_settled = false;
	array->datums = NULL;
	array->nulls = NULL;
	array->next = 0;
}

/* Read what is not stored out of line. */
static void
open_here(GaArray *array, Datum value)
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
 * current context.  A TOAST pointer is copied, so the value is not needed any
 * more; other arrays have to stay.  Errors: 42804 if its elements are of
 * another type, XX001 if it is damaged, and PostgreSQL's.
 */
void
ga_array_open(GaArray *array, Datum value, GaElementType type)
{
	struct varatt_external pointer;

	ga_array_init(array, type);
	if (ga_toast_pointer(value, &pointer))
		ga_array_stored_open(array, &pointer, NULL, GA_PIECE_BYTES);
	else
		open_here(array, value);
}

/* Put up to GA_GATHER elements that are not NULL one behind the other. */
static int
gather(GaArray *array)
{
	char *to = array->gathered.bytes;
	int n = 0;

	for (; array->next < array->n_items && n < GA_GATHER; array->next++)
	{
		Datum datum = array->datums[array->next];

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
	int n = array->n_values - array->n_given;

	if (array->datums != NULL)
	{
		*run = array->gathered.bytes;
		return gather(array);
	}
	if (array->is_compressed)
		ga_array_stored_decompress(array);
	if (array->is_stored)
		return ga_array_stored_next_run(array, run);
	*run = array->data;
	array->n_given = array->n_values;
	return n;
}

/*
 * Copy n of the elements that are not NULL, from one of them on, wherever the
 * runs are.  Not of an expanded array.
 */
void
ga_array_read(GaArray *array, int from, int n, void *to)
{
	size_t size = ga_element_size(array->type);

	Assert(array->datums == NULL);
	Assert(from >= 0 && n >= 0 && n <= array->n_values - from);
	if (array->is_compressed)
		ga_array_stored_decompress(array);
	if (array->is_stored)
		ga_array_stored_read(array, array->data_at + from * size, n * size, to);
	else
		memcpy(to, array->data + from * size, n * size);
}

/* Free what opening and reading it took. */
void
ga_array_close(GaArray *array)
{
	if (array->copy != NULL)
		pfree(array->copy);
	if (array->room != NULL)
		pfree(array->room);
}
