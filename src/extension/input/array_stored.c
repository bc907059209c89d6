/*
 * array_stored.c
 *		Arrays that are stored out of line, in pieces.
 *
 * A large value that is detoasted is new memory, which costs more than what is
 * done with it.  So its elements come through one buffer that fits into the
 * processor's cache.  A compressed value has to be decompressed as a whole.
 *
 * No relation stays open between two calls, unless it is the caller's: the
 * reader may be abandoned.
 */
#include "postgres.h"
#include "access/detoast.h"
#include "access/heaptoast.h"
#include "utils/memutils.h"

#include "array.h"
#include "extension/error.h"
#include "extension/pg_compat.h"

/*
 * What is read at first where elements will be taken by ga_array_read: most
 * heads, and small values as a whole.
 */
#define HEAD_PIECE_BYTES (16 * 1024)

/* Read bytes of the value as they are stored. */
static void
read_bytes(GaArray *array, int32 at, int32 n, char *to)
{
	GaToastRelation own = GA_TOAST_CLOSED;
	GaToastRelation *relation = array->relation ? array->relation : &own;

	ga_toast_use(relation, array->pointer.va_toastrelid);
	ga_toast_read(relation, &array->pointer, at, n, to);
	if (at == 0)
	{
		array->xmin = relation->xmin;
		array->is_settled = relation->is_settled;
	}
	ga_toast_release(&own);
}

/* Bytes of the value as it is stored. */
static int32
stored_bytes(const GaArray *array)
{
	return VARATT_EXTERNAL_GET_EXTSIZE(array->pointer);
}

/* The value as a whole, for reading it as a flat one. */
static void
open_whole(GaArray *array)
{
	int32 n = stored_bytes(array);
	struct varlena *value = palloc(VARHDRSZ + (Size) n);

	read_bytes(array, 0, n, VARDATA(value));
	if (VARATT_EXTERNAL_IS_COMPRESSED(array->pointer))
	{
		SET_VARSIZE_COMPRESSED(value, VARHDRSZ + n);
		array->copy = detoast_attr(value);
		pfree(value);
	}
	else
	{
		SET_VARSIZE(value, VARHDRSZ + n);
		array->copy = value;
	}
	ga_array_open_flat(array, array->copy);
}

/* Have n bytes from a place on at hand. */
static void
take_piece(GaArray *array, int32 at, int32 n)
{
	int32 needed = VARHDRSZ + n;

	if (array->room == NULL || array->room_bytes < needed)
	{
		if (array->room != NULL)
			pfree(array->room);
		array->room = MemoryContextAlloc(array->context, needed);
		array->room_bytes = needed;
	}

	/* elements are aligned, and so is what is behind a value's length */
	array->piece = array->room + (at == 0 ? VARHDRSZ : 0);
	array->piece_at = at;
	array->piece_bytes = 0;
	read_bytes(array, at, n, array->piece);
	array->piece_bytes = n;
}

/* The NULL bitmap has to stay while pieces come and go. */
static const char *
keep_bitmap(GaArray *array, int32 at)
{
	int32 n = array->data_at - at;

	array->copy = MemoryContextAlloc(array->context, n);
	ga_array_stored_read(array, at, n, array->copy);
	return array->copy;
}

/*
 * Begin to read a value in pieces, the first one of so many bytes.  As
 * ga_array_open.
 */
void
ga_array_stored_open(GaArray *array, const struct varatt_external *pointer,
					 GaToastRelation *relation, int32 n_first)
{
	int32 size;
	int32 bitmap_at;

	array->pointer = *pointer;
	array->relation = relation;
	array->context = CurrentMemoryContext;
	if (VARATT_EXTERNAL_IS_COMPRESSED(*pointer))
	{
		open_whole(array);
		return;
	}
	size = stored_bytes(array);
	array->is_stored = true;
	take_piece(array, 0, Min(size, n_first));
	bitmap_at = ga_array_open_head(array, array->piece, size);
	ga_array_count(array, bitmap_at > 0 ? keep_bitmap(array, bitmap_at) : NULL,
				   size);
}

/*
 * Begin to read a stored value by its pointer.  Its relation is opened where
 * it is needed, or is the caller's, who may change it to others meanwhile.
 */
void
ga_array_open_stored(GaArray *array, const struct varatt_external *pointer,
					 GaElementType type, GaToastRelation *relation)
{
	ga_array_init(array, type);
	ga_array_stored_open(array, pointer, relation, HEAD_PIECE_BYTES);
}

/* The first n bytes behind the length of a compressed value. */
static struct varlena *
decompress_head(const GaArray *array, int32 n)
{
	char datum[TOAST_POINTER_SIZE];
	struct varlena *head;

	SET_VARTAG_EXTERNAL(datum, VARTAG_ONDISK);
	memcpy(VARDATA_EXTERNAL(datum), &array->pointer, sizeof(array->pointer));
	head = detoast_attr_slice((struct varlena *) datum, 0, n);
	if (VARSIZE_ANY_EXHDR(head) < n)
		ga_report_bad_array("It is shorter than its TOAST pointer says.");
	return head;
}

/*
 * Begin to read a stored value whose elements are probably not needed, only
 * its shape and which of them are NULL: a compressed one is decompressed no
 * further than that, until they are needed after all.
 */
void
ga_array_open_shape(GaArray *array, const struct varatt_external *pointer,
					GaElementType type)
{
	int32 size = pointer->va_rawsize - VARHDRSZ;
	struct varlena *head;
	int32 bitmap_at;

	if (!VARATT_EXTERNAL_IS_COMPRESSED(*pointer))
	{
		ga_array_open_stored(array, pointer, type, NULL);
		return;
	}
	ga_array_init(array, type);
	array->pointer = *pointer;
	array->relation = NULL;
	array->context = CurrentMemoryContext;
	array->is_compressed = true;
	head = decompress_head(array, Min(size, (int32) GA_HEAD_BYTES));
	bitmap_at = ga_array_open_head(array, VARDATA(head), size);
	if (bitmap_at > 0)
	{
		pfree(head);
		head = decompress_head(array, array->data_at);
		array->copy = head;
	}
	ga_array_count(array, bitmap_at > 0 ? VARDATA(head) + bitmap_at : NULL,
				   size);
	if (bitmap_at == 0)
		pfree(head);
}

/* Its elements are needed after all. */
void
ga_array_stored_decompress(GaArray *array)
{
	MemoryContext caller = MemoryContextSwitchTo(array->context);
	void *head = array->copy;

	array->is_compressed = false;
	array->copy = NULL;
	open_whole(array);
	if (head != NULL)
		pfree(head);
	MemoryContextSwitchTo(caller);
}

/* As ga_array_next_run. */
int
ga_array_stored_next_run(GaArray *array, const void **run)
{
	int32 size = ga_element_size(array->type);
	int32 at = array->data_at + array->n_given * size;
	int n = array->n_values - array->n_given;

	if (n == 0)
		return 0;
	if (at < array->piece_at ||
		at + size > array->piece_at + array->piece_bytes)
		take_piece(array, at, Min(n, GA_PIECE_BYTES / size) * size);
	n = Min(n, (array->piece_at + array->piece_bytes - at) / size);
	*run = array->piece + (at - array->piece_at);
	array->n_given += n;
	return n;
}

/* Copy bytes of the stored value: what is at hand, and what is not. */
void
ga_array_stored_read(GaArray *array, int32 at, int32 n, char *to)
{
	int32 end = array->piece_at + array->piece_bytes;

	if (at >= array->piece_at && at < end)
	{
		int32 n_here = Min(n, end - at);

		memcpy(to, array->piece + (at - array->piece_at), n_here);
		at += n_here;
		to += n_here;
		n -= n_here;
	}
	if (n > 0)
		read_bytes(array, at, n, to);
}
