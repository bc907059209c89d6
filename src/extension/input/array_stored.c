/*
 * array_stored.c
 *		Arrays that are stored out of line, read through a buffer.
 *
 * A large array that is detoasted is new memory, which costs more than what is
 * computed from it.  So its elements come through one buffer that fits into the
 * processor's cache.  A compressed array is decompressed as a whole, unless
 * only a part of it is wanted (array_compressed.c).
 *
 * Owns the buffer, the copy and the place of reading in a GaArray.  array.c
 * calls it for arguments, the offload for arrays that it knows by their TOAST
 * pointers.  Locks are those of toast.c.  No relation stays open between two
 * calls, unless it is the caller's: an error may end the reading at any time.
 */
#include "postgres.h"
#include "access/detoast.h"
#include "access/heaptoast.h"
#include "utils/memutils.h"

#include "array_stored.h"
#include "extension/error.h"
#include "extension/pg_compat.h"

/*
 * Bytes that are read at first where elements will be copied by ga_array_read:
 * most heads, and small arrays as a whole.
 */
#define FIRST_READ_BYTES (16 * 1024)

/* Bytes that are read at first of a part: most heads, and no second chunk. */
#define HEAD_READ_BYTES ((int32) TOAST_MAX_CHUNK_SIZE)

/* Read n bytes of the array as they are stored, from one on. */
static void
read_bytes(GaArray *array, int32 at, int32 n, char *to)
{
	GaToastRelation own = GA_TOAST_CLOSED;
	GaToastRelation *relation = array->relation ? array->relation : &own;

	ga_toast_open(relation, array->pointer.va_toastrelid);
	ga_toast_read(relation, &array->pointer, at, n, to);
	if (at == 0)
	{
		array->xmin = relation->xmin;
		array->is_settled = relation->is_settled;
	}
	ga_toast_close(&own);
}

/* Return how many bytes the array has as it is stored. */
static int32
stored_bytes(const GaArray *array)
{
	return VARATT_EXTERNAL_GET_EXTSIZE(array->pointer);
}

/* Read the array as a whole, and continue as with a flat one. */
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

/* Read n bytes into the buffer, from one on. */
static void
fill_buffer(GaArray *array, int32 at, int32 n)
{
	int32 needed = VARHDRSZ + n;

	if (array->buffer == NULL || array->capacity < needed)
	{
		if (array->buffer != NULL)
			pfree(array->buffer);
		array->buffer = MemoryContextAlloc(array->context, needed);
		array->capacity = needed;
	}

	/* elements are aligned, as they are behind the length of an array */
	array->buffered = array->buffer + (at == 0 ? VARHDRSZ : 0);
	array->buffered_at = at;
	array->n_buffered = 0;
	read_bytes(array, at, n, array->buffered);
	array->n_buffered = n;
}

/*
 * Copy the NULL bitmap up to the part's end.  It has to stay when the buffer is
 * filled again.
 */
static const char *
keep_bitmap(GaArray *array, int32 at)
{
	int32 n = ga_array_bitmap_bytes(array);

	array->copy = MemoryContextAlloc(array->context, n);
	ga_array_stored_read(array, at, n, array->copy);
	return array->copy;
}

/*
 * Begin to read a stored array, with so many bytes at first.  The relation is
 * the caller's, or NULL.  Errors as those of ga_array_open.
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
	fill_buffer(array, 0, Min(size, n_first));
	bitmap_at = ga_array_read_head(array, array->buffered, size);
	ga_array_count(array, bitmap_at > 0 ? keep_bitmap(array, bitmap_at) : NULL,
				   size);
}

/*
 * Begin to read a stored array by its TOAST pointer.  `relation` is the
 * caller's, which may open others in it between two calls; if it is NULL, the
 * relation is opened whenever it is needed.  Errors as those of ga_array_open.
 */
void
ga_array_open_stored(GaArray *array, const struct varatt_external *pointer,
					 GaElementType type, GaToastRelation *relation)
{
	ga_array_init(array, type);
	ga_array_stored_open(array, pointer, relation, FIRST_READ_BYTES);
}

/*
 * Begin to read a stored array of which only the dimensions and the NULL bitmap
 * are needed at first, with n_first bytes; a compressed one is decompressed no
 * further than that.  The relation is the caller's, or NULL.
 */
static void
open_shape(GaArray *array, const struct varatt_external *pointer,
		   GaToastRelation *relation, int32 n_first)
{
	if (VARATT_EXTERNAL_IS_COMPRESSED(*pointer))
	{
		array->pointer = *pointer;
		array->relation = relation;
		ga_array_compressed_open(array);
	}
	else
		ga_array_stored_open(array, pointer, relation, n_first);
}

/* Begin to read as much of it as has its dimensions and NULLs. */
void
ga_array_stored_open_items(GaArray *array,
						   const struct varatt_external *pointer,
						   GaToastRelation *relation)
{
	open_shape(array, pointer, relation, HEAD_READ_BYTES);
}

/*
 * Begin to read a part of a stored array that was initialized, run by run.  The
 * relation is the caller's, or NULL.
 */
void
ga_array_stored_open_part(GaArray *array, const struct varatt_external *pointer,
						  GaPart part, GaToastRelation *relation)
{
	array->part = part;
	if (ga_part_is_whole(part))
		ga_array_stored_open(array, pointer, relation, GA_READ_BYTES);
	else
		ga_array_stored_open_items(array, pointer, relation);
}

/*
 * Begin to read a stored array whose elements are probably not needed, only its
 * dimensions and NULL bitmap.
 */
void
ga_array_open_shape(GaArray *array, const struct varatt_external *pointer,
					GaElementType type)
{
	ga_array_init(array, type);
	open_shape(array, pointer, NULL, FIRST_READ_BYTES);
}

/*
 * Decompress the elements, too, of an array of which only the head was needed
 * so far.
 */
void
ga_array_stored_decompress(GaArray *array)
{
	MemoryContext caller = MemoryContextSwitchTo(array->context);
	void *head = array->copy;

	array->is_compressed = false;
	if (array->packed != NULL || !ga_part_is_whole(array->part))
		ga_array_decompress_part(array);
	else
	{
		open_whole(array);
		if (head != NULL)
			pfree(head);
	}
	MemoryContextSwitchTo(caller);
}

/* Return the next run of a stored array, which has one left. */
int
ga_array_stored_next_run(GaArray *array, const void **run)
{
	int32 size = ga_element_size(array->type);
	int32 at = array->data_at + array->n_returned * size;
	int n = array->n_limit - array->n_returned;

	if (at < array->buffered_at ||
		at + size > array->buffered_at + array->n_buffered)
		fill_buffer(array, at, Min(n, GA_READ_BYTES / size) * size);
	n = Min(n, (array->buffered_at + array->n_buffered - at) / size);
	*run = array->buffered + (at - array->buffered_at);
	array->n_returned += n;
	return n;
}

/* Copy n bytes from one on: those in the buffer, and the rest as stored. */
void
ga_array_stored_read(GaArray *array, int32 at, int32 n, char *to)
{
	int32 end = array->buffered_at + array->n_buffered;

	if (at >= array->buffered_at && at < end)
	{
		int32 n_here = Min(n, end - at);

		memcpy(to, array->buffered + (at - array->buffered_at), n_here);
		at += n_here;
		to += n_here;
		n -= n_here;
	}
	if (n > 0)
		read_bytes(array, at, n, to);
}
