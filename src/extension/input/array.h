/*
 * array.h
 *		From an array value to runs of plain elements.
 */
#ifndef GA_ARRAY_H
#define GA_ARRAY_H

#include "utils/array.h"

#include "exact/element.h"
#include "toast.h"

/* Elements that are gathered at a time from an expanded array. */
#define GA_GATHER 512

/* Bytes of a stored array that are read at a time. */
#define GA_PIECE_BYTES (256 * 1024)

/*
 * An array that is being read.  Its elements that are not NULL come in runs, in
 * storage order.  Only the needed parts are copied: one in the row, with a
 * short header or without, and an expanded one are read where they lie; one
 * that is stored out of line comes in pieces; a compressed one is
 * decompressed.
 */
typedef struct GaArray
{
	GaElementType type;
	int n_items; /* elements, with NULLs */
	int n_dims;
	int dims[MAXDIM];
	int lower_bounds[MAXDIM];

	/* flat or stored */
	int n_values;		/* elements that are not NULL */
	int n_given;		/* of those, so many in runs so far */
	int32 data_at;		/* their place in the bytes without length */
	const char *data;	/* flat: the elements, maybe unaligned */
	const char *bitmap; /* NULL if there are no NULLs */
	void *copy;			/* of what data or bitmap is in, or NULL */

	/* stored: read in pieces */
	bool is_stored;
	bool is_compressed; /* ... and only its head was decompressed */
	struct varatt_external pointer;
	GaToastRelation *relation; /* the caller's, or NULL */
	MemoryContext context;	   /* of the following */
	char *room;
	int32 room_bytes;
	char *piece; /* the bytes at hand, in room */
	int32 piece_at;
	int32 piece_bytes;
	TransactionId xmin; /* see ga_array_xmin */
	bool is_settled;	/* see ga_array_is_settled */

	/* expanded into Datums */
	const Datum *datums; /* NULL if not */
	const bool *nulls;	 /* NULL if there are none */
	int next;
	union
	{
		double align;
		char bytes[GA_GATHER * sizeof(int64)];
	} gathered;
} GaArray;

extern void ga_array_open(GaArray *array, Datum value, GaElementType type);
extern void ga_array_open_stored(GaArray *array,
								 const struct varatt_external *pointer,
								 GaElementType type, GaToastRelation *relation);
extern void ga_array_open_shape(GaArray *array,
								const struct varatt_external *pointer,
								GaElementType type);
extern int ga_array_next_run(GaArray *array, const void **run);
extern void ga_array_read(GaArray *array, int from, int n, void *to);
extern void ga_array_close(GaArray *array);

/* Elements that are not NULL, in all; not of an expanded array. */
static inline int
ga_array_n_values(const GaArray *array)
{
	Assert(array->datums == NULL);
	return array->n_values;
}

/*
 * The raw xmin of a stored value's first chunk, as it was when the array's
 * head was read; InvalidTransactionId if it is not known.
 */
static inline TransactionId
ga_array_xmin(const GaArray *array)
{
	return array->xmin;
}

/* Was that chunk committed then, and nobody about to delete it? */
static inline bool
ga_array_is_settled(const GaArray *array)
{
	return array->is_settled;
}

/* May item i be NULL for any i? */
static inline bool
ga_array_may_have_nulls(const GaArray *array)
{
	return array->bitmap != NULL || array->nulls != NULL;
}

/* Is item i NULL (0 <= i < n_items)? */
static inline bool
ga_array_is_null(const GaArray *array, int i)
{
	if (array->bitmap != NULL)
		return (array->bitmap[i / BITS_PER_BYTE] & (1 << i % BITS_PER_BYTE)) ==
			   0;
	return array->nulls != NULL && array->nulls[i];
}

/* For array_stored.c, whose functions ga_array_... call. */
#define GA_HEAD_BYTES (sizeof(int32) * (3 + 2 * MAXDIM)) /* at most */
extern void ga_array_init(GaArray *array, GaElementType type);
extern void ga_array_open_flat(GaArray *array, const struct varlena *value);
extern int32 ga_array_open_head(GaArray *array, const char *stored, Size size);
extern void ga_array_count(GaArray *array, const char *bitmap, Size size);

/* For array.c. */
extern void ga_array_stored_decompress(GaArray *array);
extern void ga_array_stored_open(GaArray *array,
								 const struct varatt_external *pointer,
								 GaToastRelation *relation, int32 n_first);
extern int ga_array_stored_next_run(GaArray *array, const void **run);
extern void ga_array_stored_read(GaArray *array, int32 at, int32 n, char *to);

#endif /* GA_ARRAY_H */
