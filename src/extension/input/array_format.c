/*
 * array_format.c
 *		The format of an array's bytes: head, NULL bitmap, elements.
 *
 * Owns all knowledge of that format.  NULL elements take no bytes, so the
 * others are one run; the bitmap is needed for their number alone.  The array
 * may have been damaged on disk: nothing is read beyond its end, and every
 * length is checked before it is used.
 *
 * array.c calls these functions for arrays in memory, array_stored.c for those
 * that it reads by parts.  Nothing here allocates or reads a relation.
 */
#include "postgres.h"
#include "port/pg_bitutils.h"

#include "array_format.h"
#include "extension/element_datum.h"
#include "extension/error.h"
#include "extension/pg_compat.h"

/* An array's first fields behind its length, in the form they are stored. */
typedef struct Head
{
	int32 ndim;
	int32 dataoffset; /* 0 without a NULL bitmap */
	Oid elemtype;
} Head;

/* An offset from the start of the array, in its bytes without length. */
#define STORED(offset) ((offset) - (Size) VARHDRSZ)

/* Report an array of elements of another type.  Errors: 42804. */
void
ga_array_check_type(const GaArray *array, Oid found)
{
	if (unlikely(found != array->element_oid))
		ga_report_element_type(found, array->element_oid);
}

/* Begin with an array of which nothing is known but the element type. */
void
ga_array_init(GaArray *array, GaElementType type)
{
	array->type = type;
	ga_array_init_other(array, ga_element_oid(type), ga_element_size(type));
}

/*
 * Begin with an array of elements that are none of GaElementType, each of
 * element_bytes at least.  It has no runs.
 */
void
ga_array_init_other(GaArray *array, Oid element_oid, int32 element_bytes)
{
	/* the other fields are set before they are read */
	array->element_oid = element_oid;
	array->element_bytes = element_bytes;
	array->part = GA_WHOLE;
	array->n_not_null = 0;
	array->n_returned = 0;
	array->n_limit = 0;
	array->data = NULL;
	array->bitmap = NULL;
	array->copy = NULL;
	array->is_stored = false;
	array->is_compressed = false;
	array->packed = NULL;
	array->buffer = NULL;
	array->xmin = InvalidTransactionId;
	array->is_settled = false;
	array->datums = NULL;
	array->nulls = NULL;
	array->next = 0;
	array->end = 0;
}

/*
 * Find the items of the part: those whose first subscript is in it, which lie
 * one after another.
 */
void
ga_array_select(GaArray *array)
{
	int64 low;
	int64 first;
	int64 last;
	int n_each;

	array->next = array->end = 0;
	if (array->n_items == 0)
		return;
	low = array->lower_bounds[0];
	n_each = array->n_items / array->dims[0];
	first = Max(array->part.first, low);
	last = Min(array->part.last, low + array->dims[0] - 1);
	if (first > last)
		return;
	array->next = (int) (first - low) * n_each;
	array->end = (int) (last - low + 1) * n_each;
}

/*
 * Read the head of an array of `size` bytes without its length, at least
 * GA_HEAD_BYTES of which are at hand, if there are so many.  Returns where the
 * NULL bitmap is, or 0 if there is none.  Errors: 42804, XX001.
 */
int32
ga_array_read_head(GaArray *array, const char *bytes, Size size)
{
	Size dims_bytes;
	Head head;

	if (size < sizeof(head))
		ga_report_bad_array("It has no header.");
	memcpy(&head, bytes, sizeof(head));
	ga_array_check_type(array, head.elemtype);
	if (head.ndim < 0 || head.ndim > MAXDIM)
		ga_report_bad_array("Its number of dimensions is out of range.");
	dims_bytes = sizeof(int) * head.ndim;
	if (size < sizeof(head) + 2 * dims_bytes)
		ga_report_bad_array("It ends within its dimensions.");
	array->n_dims = head.ndim;
	bytes += sizeof(head);
	memcpy(array->dims, bytes, dims_bytes);
	memcpy(array->lower_bounds, bytes + dims_bytes, dims_bytes);
	array->n_items = ArrayGetNItems(head.ndim, array->dims);
	ArrayCheckBounds(head.ndim, array->dims, array->lower_bounds);
	ga_array_select(array);

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

/* Count the bits that are set: elements that are not NULL. */
static int
count_bits(const char *bitmap, int n_items)
{
	int whole = n_items / BITS_PER_BYTE;
	int rest = n_items % BITS_PER_BYTE;
	int n = (int) pg_popcount(bitmap, whole);

	if (rest > 0)
		n += pg_number_of_ones[(uint8) bitmap[whole] & ((1 << rest) - 1)];
	return n;
}

/* Return the bytes of the NULL bitmap up to the part's end. */
int32
ga_array_bitmap_bytes(const GaArray *array)
{
	return array->end / BITS_PER_BYTE + (array->end % BITS_PER_BYTE > 0);
}

/* Return how many of the first n items are not NULL.  Not of expanded ones. */
int
ga_array_n_before(const GaArray *array, int n)
{
	return array->bitmap == NULL ? n : count_bits(array->bitmap, n);
}

/*
 * Count the elements that are not NULL up to the end of the part, by the bitmap
 * unless it is NULL, and check that an array of `size` bytes has them all.  The
 * bitmap is needed no further, and has to stay as long as the array is read.
 * Errors: XX001.
 */
void
ga_array_count(GaArray *array, const char *bitmap, Size size)
{
	array->bitmap = bitmap;
	array->n_not_null = ga_array_n_before(array, array->end);
	array->n_limit = array->n_not_null;
	array->n_returned =
		array->next == 0 ? 0 : ga_array_n_before(array, array->next);
	if (array->n_not_null > 0 &&
		(array->data_at > size ||
		 array->n_not_null > (size - array->data_at) / array->element_bytes))
		ga_report_bad_array("It ends before its last element.");
}

/* Read a flat array with any kind of header, aligned or not, where it is. */
void
ga_array_open_flat(GaArray *array, const struct varlena *value)
{
	const char *bytes = VARDATA_ANY(value);
	Size size = VARSIZE_ANY_EXHDR(value);
	int32 bitmap_at = ga_array_read_head(array, bytes, size);

	ga_array_count(array, bitmap_at > 0 ? bytes + bitmap_at : NULL, size);
	array->data = bytes + array->data_at;
	array->data_end = bytes + size;
}
