/*
 * set.h
 *		Many arrays for one request, and checks of the device's results.
 *
 * A set is an image of device memory on the host with arrays in it; the bytes
 * between them would make any sum wrong.  array_set_check_sums() and
 * array_set_check_scans() copy it to the device, and compare each result with
 * the CPU engine bit by bit, some with MPFR, too.  Failures belong to the
 * current test.
 */
#ifndef ARRAY_SET_H
#define ARRAY_SET_H

#include "elements.h"
#include "fixture.h"

typedef struct ArraySetMember
{
	const char *name; /* of its family, for messages */
	size_t n;
	size_t at;	   /* where its elements are in the image */
	size_t out_at; /* where its totals will be in theirs */
	void *before;  /* a GaExactSum or GaIntSum, or NULL */
	size_t before_bytes;
	size_t n_before; /* before is the sum of so many elements right
								 * before this segment in the image; or 0 */
} ArraySetMember;

typedef struct ArraySet
{
	GaElementType type;
	GaScanTotals totals; /* of scans */
	int mpfr_one_in;	 /* one in so many is compared with MPFR; 0: none */
	ArraySetMember *arrays;
	uint32_t n_arrays;
	uint32_t capacity;
	char *image;
	size_t n_bytes;
	size_t image_capacity;
	size_t out_bytes;
	bool is_packed;	   /* the device has the image as a packed array */
	GaScanHint *hints; /* of scans, one for each array: what the device
								 * gets, and then what it returns; or NULL */
} ArraySet;

/*
 * Offsets are bytes from an address that is a multiple of ARRAY_SET_ALIGNMENT.
 */
#define ARRAY_SET_ALIGNMENT 256
#define ARRAY_SET_PACKED	(-1) /* as near to the one before as is allowed */

/* A length: short ones more often, and none here and there. */
extern size_t array_set_mixed_length(Rng *rng);
extern void array_set_init(ArraySet *set, GaElementType type);
extern void array_set_clear(ArraySet *set);
extern void array_set_free(ArraySet *set);

/* The ways to scan: a GaElementType, or int8 with totals of 128 bits. */
#define SCAN_INT128	 GA_N_ELEMENT_TYPES
#define SCAN_N_MODES (GA_N_ELEMENT_TYPES + 1)

extern void array_set_init_scan(ArraySet *set, int mode);
extern void array_set_set_mode(ArraySet *set, int mode);
extern const char *array_set_mode_name(int mode);

/* A new array; returns where its elements belong, until the next one. */
extern void *array_set_add(ArraySet *set, const char *name, size_t n,
						   int offset, int out_offset);
/* n elements from an offset in an array that is there, as another array. */
extern void array_set_add_part(ArraySet *set, uint32_t of, size_t from,
							   size_t n);
extern void *array_set_elements(const ArraySet *set, uint32_t i);
/* A new array of random elements, of any family or of the i-th. */
extern void array_set_add_random(ArraySet *set, Rng *rng, size_t n, int offset,
								 int out_offset);
extern void array_set_add_family(ArraySet *set, Rng *rng, int family, size_t n);
/* A new array of these doubles or integers. */
extern void array_set_add_doubles(ArraySet *set, const char *name,
								  const double *x, size_t n);
extern void array_set_add_ints(ArraySet *set, const char *name,
							   const int64_t *x, size_t n);

/* An array that is there once more, cut into segments, up to an overflow. */
extern void array_set_add_segments(ArraySet *set, Rng *rng, uint32_t of);

/* Hints for all arrays that there are: none, yet; and wrong ones for most. */
extern void array_set_add_hints(ArraySet *set);
extern void array_set_spoil_hints(ArraySet *set, Rng *rng);

/* What came before the last array that was added; copied. */
extern void array_set_before_float(ArraySet *set, const GaExactSum *sum);
extern void array_set_before_int(ArraySet *set, const GaIntSum *sum);

/*
 * Let the device compute all of it in one request, and compare.  Scans return
 * how often a scale was refused.
 */
extern void array_set_check_sums(Fixture *fixture, const ArraySet *set);
extern uint32_t array_set_check_scans(Fixture *fixture, const ArraySet *set);

/*
 * Let the device reduce all of it in one request, not to sums, and compare.
 * The first n_parts_of[0] arrays are of the first result, and so on; returns
 * how many results were refused.  Or each array is a result of its own, and all
 * reductions are checked.
 */
extern uint32_t array_set_check_reduction(Fixture *fixture, const ArraySet *set,
										  GaReduction reduction,
										  const uint32_t *n_parts_of,
										  uint32_t n_results);
extern void array_set_check_reductions(Fixture *fixture, const ArraySet *set);
/* The same for the sums of pairs; returns how many were refused. */
extern uint32_t array_set_check_products(Fixture *fixture, const ArraySet *set,
										 const uint32_t *n_parts_of,
										 uint32_t n_results);

/* The same for the first array and itself, from element `shift` on. */
extern void array_set_check_own_products(Fixture *fixture, ArraySet *set,
										 size_t shift);

/*
 * Sums by position, of sets of so many arrays in pieces: the entries are first
 * those of the first piece, and so on.  Add a piece to all arrays, of n
 * positions, without elements; give one position elements, one of each array,
 * or all positions random ones; have the device compute all of it in one
 * request, and compare.  The last one returns how many positions were refused.
 */
extern void array_set_add_piece(ArraySet *set, uint32_t n_arrays, size_t n,
								int offset);
extern void array_set_put_column(ArraySet *set, uint32_t n_arrays,
								 uint32_t piece, size_t position,
								 const void *column);
extern void array_set_fill_columns(ArraySet *set, Rng *rng, uint32_t n_arrays);
extern uint32_t array_set_check_elem(Fixture *fixture, const ArraySet *set,
									 uint32_t n_arrays);

/* What a check is made of. */
extern GaDeviceAddress array_set_copy_in(Fixture *fixture, const ArraySet *set);
extern void array_set_check_sum(const ArraySet *set, uint32_t i,
								const GaPartialSum *partial,
								const GaFullRecord *full);
extern size_t array_set_expect(const ArraySet *set, uint32_t i, char *to);
/* The records of one array; returns false if its moments were refused. */
extern bool array_set_check_records(const ArraySet *set, uint32_t i,
									GaReduction reduction,
									const GaPartialSum *records);
/* The second arrays of a set's pairs, a set that the caller frees. */
extern void array_set_make_others(ArraySet *others, const ArraySet *set);
/* The records of the pairs of two arrays; false if they were refused. */
extern bool array_set_check_pair(const ArraySet *set, const ArraySet *others,
								 uint32_t i, const GaPartialSum *records);
extern bool array_set_wants_mpfr(const ArraySet *set, uint32_t i);
extern size_t array_set_total_size(const ArraySet *set);

#endif /* ARRAY_SET_H */
