/*
 * array_format.h
 *		An array that is being read, and the format of its bytes.
 */
#ifndef GA_ARRAY_FORMAT_H
#define GA_ARRAY_FORMAT_H

#include "utils/array.h"

#include "exact/element.h"
#include "toast.h"

/*
 * A part of an array: the subscripts of its first dimension from first to last,
 * as in array[first:last].  What is outside of the array is cut off.
 */
typedef struct GaPart
{
	int first;
	int last;
} GaPart;

#define GA_WHOLE ((GaPart){PG_INT32_MIN, PG_INT32_MAX})

/* Does a part have all subscripts that there can be? */
static inline bool
ga_part_is_whole(GaPart part)
{
	return part.first == PG_INT32_MIN && part.last == PG_INT32_MAX;
}

/* Elements that are gathered at a time from an expanded array. */
#define GA_GATHER 512

/*
 * An array that is being read.  Its elements that are not NULL come in runs, in
 * storage order.  Only the needed parts are copied: an array in the row, with
 * any header, and an expanded one are read where they are; a stored one is read
 * through a buffer; a compressed one is decompressed.  If only a part is
 * wanted, nothing behind it is read, not even the NULL bitmap.
 */
typedef struct GaArray
{
	GaElementType type; /* but of numeric, see numeric_array.h */
	Oid element_oid;
	int32 element_bytes; /* of each; of numeric, the fewest */
	int n_items;		 /* elements, with NULLs */
	int n_dims;
	int dims[MAXDIM];
	int lower_bounds[MAXDIM];
	GaPart part; /* that it was opened for */
	int next;	 /* first item of the runs; expanded: of the next run */
	int end;	 /* behind their last item */

	/* flat or stored */
	int n_not_null;		  /* elements not NULL, up to the part's end */
	int n_returned;		  /* of those, so many in runs so far or skipped */
	int n_limit;		  /* runs end behind so many of them */
	int32 data_at;		  /* their place in the bytes without length */
	const char *data;	  /* flat: the elements, maybe unaligned ... */
	const char *data_end; /* ... and the end of the array */
	const char *bitmap;	  /* NULL if there are no NULLs */
	void *copy;			  /* that data or bitmap points into, or NULL */

	/* stored: read through the buffer */
	bool is_stored;
	bool is_compressed;			  /* only its head was decompressed */
	const struct varlena *packed; /* compressed in the row, or NULL */
	struct varatt_external pointer;
	GaToastRelation *relation; /* the caller's, or NULL */
	MemoryContext context;	   /* of the following */
	char *buffer;			   /* NULL at first */
	int32 capacity;			   /* of the buffer */
	char *buffered;			   /* bytes of the array, in the buffer ... */
	int32 buffered_at;		   /* ... from this one on ... */
	int32 n_buffered;		   /* ... and so many */
	TransactionId xmin;		   /* see ga_array_xmin */
	bool is_settled;		   /* see ga_array_is_settled */

	/* expanded into Datums */
	const Datum *datums; /* NULL if not */
	const bool *nulls;	 /* NULL if there are none */
	union
	{
		double align;
		char bytes[GA_GATHER * sizeof(int64)];
	} gathered;
} GaArray;

/* The most bytes of a head: an array's fields without the NULL bitmap. */
#define GA_HEAD_BYTES (sizeof(int32) * (3 + 2 * MAXDIM))

extern void ga_array_init(GaArray *array, GaElementType type);
extern void ga_array_init_other(GaArray *array, Oid element_oid,
								int32 element_bytes);
extern void ga_array_check_type(const GaArray *array, Oid found);
extern void ga_array_select(GaArray *array);
extern int32 ga_array_read_head(GaArray *array, const char *bytes, Size size);
extern int ga_array_n_before(const GaArray *array, int n);
extern int32 ga_array_bitmap_bytes(const GaArray *array);
extern void ga_array_count(GaArray *array, const char *bitmap, Size size);
extern void ga_array_open_flat(GaArray *array, const struct varlena *value);

#endif /* GA_ARRAY_FORMAT_H */
