/*
 * device_request.h
 *		What a device is asked for: requests, and their results.
 */
#ifndef GA_DEVICE_REQUEST_H
#define GA_DEVICE_REQUEST_H

#include "exact/elem_form.h"
#include "exact/element.h"
#include "exact/packed.h"
#include "exact/partial_sum.h"
#include "exact/reduction.h"
#include "exact/window.h"

/* An address in the device's memory, in bytes; 0 is none. */
typedef uint64_t GaDeviceAddress;

/* Sums by position, where reductions have a bit each. */
#define GA_ELEM_SUMS GA_N_ALL_REDUCTIONS

/* Values of windows, likewise. */
#define GA_WINDOW_VALUES (GA_ELEM_SUMS + 1)

/* Packed vectors, likewise. */
#define GA_PACKED_VECTORS (GA_WINDOW_VALUES + 1)

/* Return the bit of a form, where reductions have one each. */
static inline int
ga_elem_reduction(GaElemForm form)
{
	return form == GA_FORM_MIN ? (int) GA_REDUCE_MIN :
		   form == GA_FORM_MAX ? (int) GA_REDUCE_MAX :
								 (int) GA_ELEM_SUMS;
}

/* Most elements of an array; longer ones are sent in segments. */
#define GA_DEVICE_MAX_ELEMENTS UINT32_C(0x3fffffff)

/*
 * Most device memory that a queue allocates as workspace for requests of no
 * more than some megabytes.  It is freed when the queue is closed.
 */
#define GA_DEVICE_WORKSPACE_BYTES (UINT64_C(6) << 20)

/* Most arrays of a request. */
#define GA_DEVICE_MAX_ARRAYS (1 << 24)

/*
 * Elements of the request's type in device memory, without NULLs, with the
 * alignment of an element.  All requests but those that pack read packed
 * elements, too, if the address is one of ga_packed_address().
 */
typedef struct GaDeviceArray
{
	GaDeviceAddress data; /* any address if n is 0 */
	uint64_t n;
} GaDeviceArray;

/*
 * The sum of each of many arrays.  The request and all memory that it points to
 * belong to the caller, and must stay in place until it is finished.
 */
typedef struct GaSumRequest
{
	GaElementType type;
	uint32_t n_arrays;
	const GaDeviceArray *arrays;
	GaPartialSum *results; /* one for each array */

	/*
	 * Full records for the sums that need them.  Those that do not fit become
	 * GA_PARTIAL_NO_CAPACITY; the caller submits their arrays again.
	 */
	GaFullRecord *full;
	uint32_t full_capacity;

	/*
	 * Results, besides: the sums that need a full record, which have NaN or
	 * infinities, or digits more than some 160 bits apart; and the time on the
	 * device, < 0 if not measured.
	 */
	uint32_t n_full;
	double device_ms;
} GaSumRequest;

/*
 * A reduction other than the sum of each of many arrays, or pairs of arrays,
 * which may lie in memory in several parts.  As for a GaSumRequest, all memory
 * is the caller's.
 */
typedef struct GaReduceRequest
{
	GaReduction reduction; /* not GA_REDUCE_SUM */
	GaElementType type;
	uint32_t n_parts;
	const GaDeviceArray *parts;
	const GaDeviceArray *others; /* of pairs: for each part one as long */

	/*
	 * The first n_parts_of[0] parts are of the first result, and so on.  A
	 * result is of GA_DEVICE_MAX_ELEMENTS at most.
	 */
	uint32_t n_results;
	const uint32_t *n_parts_of; /* they add up to n_parts; none is 0 */
	GaPartialSum *results;		/* ga_reduction_records() for each */
	double device_ms;			/* as in GaSumRequest */
} GaReduceRequest;

/*
 * Arrays of one length are reduced position by position: element i of all
 * arrays, for each i of a range.  The arrays may lie in memory in pieces, which
 * end at the same positions in all of them: piece p has n_of[p] positions, and
 * those of array r are at arrays[p * n_arrays + r], with the alignment of an
 * element.  As for a GaSumRequest, all memory is the caller's.
 */
typedef struct GaElemRequest
{
	GaElementType type;
	uint32_t n_arrays; /* not 0 */
	uint32_t n_pieces;
	const uint32_t *n_of; /* none is 0 */
	const GaDeviceAddress *arrays;

	GaElemForm form; /* that the type has: ga_elem_has_form() */

	/*
	 * Memory of the device, aligned to 16 bytes, for the results of all
	 * positions, of ga_elem_all_bytes().
	 */
	GaDeviceAddress out;
	double device_ms; /* as in GaSumRequest */
} GaElemRequest;

/*
 * The values of windows over an array, which may lie in memory in pieces, or of
 * buckets of several: as for a GaSumRequest, all memory is the caller's.
 * ga_windows_fault() says which windows a form may have.
 */
typedef struct GaWindowRequest
{
	GaElementType type;
	uint32_t n_pieces;
	const GaDeviceArray *pieces; /* none is empty */

	/*
	 * Several arrays, of which all buckets are wanted: the first n_pieces_of[0]
	 * pieces are of the first, and so on.  Or 0: the pieces are one array.
	 */
	uint32_t n_arrays;
	const uint32_t *n_pieces_of; /* they add up to n_pieces; none is 0 */
	GaWindows windows;			 /* n as the pieces have it */
	uint32_t first;				 /* of the windows that are wanted */
	uint32_t n;					 /* how many are */

	GaElemForm form; /* that the type has: ga_window_has_form() */

	/*
	 * Host memory for the results of the n windows, aligned to 8 bytes, of
	 * ga_elem_all_bytes().  If it is not pinned, submitting may block.
	 */
	void *out;
	double device_ms; /* as in GaSumRequest */
} GaWindowRequest;

/*
 * Plain elements that are to be packed, as exact/packed.h says: some of an
 * array, from one of its vectors on.  All pieces of an array but the last one
 * have a multiple of GA_PACKED_VECTOR elements.
 */
typedef struct GaPackPiece
{
	GaDeviceAddress data; /* aligned to 16 bytes */
	uint32_t n;			  /* not 0 */

	/* Memory for the headers of its vectors, aligned to their size. */
	GaDeviceAddress headers;
} GaPackPiece;

/*
 * An array that is to be packed, and the memory for its payloads: pages of
 * GA_PACKED_PAGE_BYTES.
 */
typedef struct GaPackArray
{
	uint32_t n_pieces; /* not 0 */

	/* Where the first page is free from, a multiple of 16; or its end. */
	uint32_t at;

	/* What a survey found: pages, and the bytes of all payloads. */
	uint32_t n_pages;
	uint64_t n_bytes;

	/* For packing: the address of each page, aligned to 256 bytes. */
	const GaDeviceAddress *pages;
} GaPackArray;

/*
 * Arrays that are packed in two steps.  A survey chooses the form of each
 * vector, and places its payload: it writes headers that have a place among the
 * pages.  Packing writes payloads, and headers that have addresses, and decodes
 * what it wrote: if any element is not what it was, the packed arrays are of no
 * use.  The plain elements remain as they are.  As for a GaSumRequest, all
 * memory is the caller's.
 */
typedef struct GaPackRequest
{
	GaElementType type;
	uint32_t n_arrays;
	GaPackArray *arrays;
	const GaPackPiece *pieces; /* of all arrays, one after the other */
	uint32_t n_pieces;
	uint64_t n_wrong; /* what packing found: vectors that do not decode */
	double device_ms; /* as in GaSumRequest */
} GaPackRequest;

/* The type of totals; for int2 and int4 it is int64_t, for floats their own. */
typedef enum GaScanTotals
{
	GA_TOTALS_PLAIN = 0, /* for int8: int64_t, as long as they fit */
	GA_TOTALS_INT128	 /* for int8 only: GaInt128 */
} GaScanTotals;

/*
 * What a device learned when it made the running totals of an array of floats:
 * the scale on which it did, or that there is none.  Given with the same array
 * the next time, it saves the search.  Only devices look into it; all zero
 * is no hint.  The totals have the same bits whatever the hint is: a wrong hint
 * costs time.
 */
typedef struct GaScanHint
{
	int16_t unit;	   /* exponent of the unit of the first level */
	uint16_t n_levels; /* of the scale; 0 and 1: none to try; or
						* GA_SCAN_NO_SCALE */
} GaScanHint;

#define GA_SCAN_NO_SCALE UINT16_MAX

/*
 * The inclusive running totals of one array, or of a segment of it: total i is
 * that of the prefix and of the elements 0 to i.  Exclusive totals are these,
 * moved on by one place.
 */
typedef struct GaScanRequest
{
	GaElementType type;
	GaScanTotals totals;
	GaDeviceAddress in;	 /* as in GaDeviceArray */
	GaDeviceAddress out; /* memory for n totals, aligned to their size, but
						  * GaInt128 to 8 bytes; must not overlap in */
	uint64_t n;

	/*
	 * The sum of all elements before this segment: a GaExactSum or a GaIntSum
	 * in host memory; NULL is none.  It may be beyond the type of the totals:
	 * whether the first total fits is what counts.
	 */
	const void *prefix;
	GaScanHint hint;

	/* the answer */
	GaPartialSum sum;	  /* of the n elements, without the prefix; has no
						   * meaning after an overflow */
	GaFullRecord full;	  /* the sum, if its kind is GA_PARTIAL_FULL */
	uint64_t n_totals;	  /* n, or the index of the first total beyond the
						   * type; totals from there on have no meaning */
	GaScanHint next_hint; /* to be given with the same array next time */
	uint32_t n_refused;	  /* scales that did not do; decimals count, too */
	double device_ms;	  /* as in GaSumRequest */
} GaScanRequest;

#endif /* GA_DEVICE_REQUEST_H */
