/*
 * batch.h
 *		Many arrays for one request, and checks of the device's results.
 *
 * A batch is an image of device memory on the host with arrays in it; the bytes
 * between them would make any sum wrong.  batch_check_sums() and
 * batch_check_scans() copy it to the device, and compare each result with the
 * CPU engine bit by bit, some with MPFR, too.  Failures belong to the current
 * test.
 */
#ifndef BATCH_H
#define BATCH_H

#include "elements.h"
#include "rig.h"

typedef struct BatchArray
{
	const char *name; /* of its family, for messages */
	size_t n;
	size_t at;	   /* where its elements are in the image */
	size_t out_at; /* where its totals will be in theirs */
	void *before;  /* a GaExactSum or GaIntSum, or NULL */
	size_t before_bytes;
	size_t n_before; /* before is the sum of so many elements right
								 * before this piece in the image; or 0 */
} BatchArray;

typedef struct Batch
{
	GaElementType type;
	GaScanTotals totals; /* of scans */
	int mpfr_one_in;	 /* one in so many is compared with MPFR; 0: none */
	BatchArray *arrays;
	uint32_t n_arrays;
	uint32_t capacity;
	char *image;
	size_t n_bytes;
	size_t image_capacity;
	size_t out_bytes;
	GaScanHint *hints; /* of scans, one for each array: what the device
								 * is told, and then what it says; or NULL */
} Batch;

/* Offsets are bytes from an address that is a multiple of BATCH_ALIGNMENT. */
#define BATCH_ALIGNMENT 256
#define BATCH_PACKED	(-1) /* as near to the one before as is allowed */

extern void batch_init(Batch *batch, GaElementType type);
extern void batch_clear(Batch *batch);
extern void batch_free(Batch *batch);

/* The ways to scan: a GaElementType, or int8 with totals of 128 bits. */
#define SCAN_INT128	 GA_N_ELEMENT_TYPES
#define SCAN_N_MODES (GA_N_ELEMENT_TYPES + 1)

extern void batch_init_scan(Batch *batch, int mode);
extern void batch_set_mode(Batch *batch, int mode);
extern const char *batch_mode_name(int mode);

/* A new array; returns where its elements belong, until the next one. */
extern void *batch_add(Batch *batch, const char *name, size_t n, int offset,
					   int out_offset);
/* n elements from an offset in an array that is there, as another array. */
extern void batch_add_part(Batch *batch, uint32_t of, size_t from, size_t n);
extern void *batch_elements(const Batch *batch, uint32_t i);
/* A new array of random elements, of any family or of the i-th. */
extern void batch_add_random(Batch *batch, Rng *rng, size_t n, int offset,
							 int out_offset);
extern void batch_add_family(Batch *batch, Rng *rng, int family, size_t n);
/* A new array of these doubles or integers. */
extern void batch_add_doubles(Batch *batch, const char *name, const double *x,
							  size_t n);
extern void batch_add_ints(Batch *batch, const char *name, const int64_t *x,
						   size_t n);

/* An array that is there once more, cut into segments, up to an overflow. */
extern void batch_add_segments(Batch *batch, Rng *rng, uint32_t of);

/* Hints for all arrays that there are: none, yet; and wrong ones for most. */
extern void batch_add_hints(Batch *batch);
extern void batch_spoil_hints(Batch *batch, Rng *rng);

/* What came before the last array that was added; copied. */
extern void batch_before_float(Batch *batch, const GaExactSum *sum);
extern void batch_before_int(Batch *batch, const GaIntSum *sum);

/*
 * Let the device compute all of it in one request, and compare.  Scans return
 * how often a grid was refused.
 */
extern void batch_check_sums(Rig *rig, const Batch *batch);
extern uint32_t batch_check_scans(Rig *rig, const Batch *batch);

/* What a check is made of. */
extern GaDeviceAddress batch_copy_in(Rig *rig, const Batch *batch);
extern void batch_check_sum(const Batch *batch, uint32_t i,
							const GaPartialSum *partial,
							const GaFullRecord *full);
extern size_t batch_expect(const Batch *batch, uint32_t i, char *to);
extern bool batch_wants_mpfr(const Batch *batch, uint32_t i);
extern size_t batch_total_size(const Batch *batch);

#endif /* BATCH_H */
