/*
 * partial_sum.h
 *		The sum of one array, as a device returns it.
 *
 * There is a compact record of fixed size for each array, whatever its type.
 * The few sums that do not fit in 192 bits, or have NaN or infinities among
 * their inputs, have a full record besides, in a second list.  Merging a record
 * into a GaExactSum or GaIntSum is exact and commutes, so any part of a sum can
 * be computed by the host or by the device.
 *
 * Written by devices, read by backends and by gpuaggd.  The number of inputs is
 * not recorded; the requester knows it.
 */
#ifndef GA_PARTIAL_SUM_H
#define GA_PARTIAL_SUM_H

#include "exact_sum.h"
#include "int_sum.h"

#define GA_PARTIAL_LIMBS 3

typedef enum GaPartialKind
{
	GA_PARTIAL_COMPACT = 0, /* the total is in limb[] */
	GA_PARTIAL_FULL,		/* the total is the full record limb[0] */
	GA_PARTIAL_NO_CAPACITY, /* the list of full records was too short */
	GA_PARTIAL_REFUSED		/* the device cannot compute it; the CPU can */
} GaPartialKind;

typedef struct GaPartialSum
{
	/*
	 * Two's complement, the lowest limb first; in units of
	 * 2^(32 * first - 1074) for floats, of 1 for integers.
	 */
	uint64_t limb[GA_PARTIAL_LIMBS];
	uint32_t n_neg_zero; /* inputs that are minus zero */
	uint8_t first;		 /* index of the lowest cell; floats only */
	uint8_t kind;		 /* a GaPartialKind */
	uint16_t unit;		 /* of products (reduction.h); or 0 */
} GaPartialSum;

/* A sum with all cells of a GaExactSum and the counts of special inputs. */
typedef struct GaFullRecord
{
	int64_t n_nan;
	int64_t n_pos_inf;
	int64_t n_neg_inf;
	int64_t cells[GA_MAX_CELLS]; /* each below 2^52 in magnitude */
} GaFullRecord;

extern bool ga_partial_is_int(const GaPartialSum *partial, int64_t n);
extern bool ga_partial_is_float(const GaPartialSum *partial, int64_t n,
								const GaFullRecord *full);
extern GaStatus ga_partial_merge(GaExactSum *sum, int64_t n,
								 const GaPartialSum *partial,
								 const GaFullRecord *full);
extern void ga_partial_merge_int(GaIntSum *sum, int64_t n,
								 const GaPartialSum *partial);
extern bool ga_partial_from_sum(GaPartialSum *partial, const GaExactSum *sum);
extern GaPartialSum ga_partial_from_int_sum(const GaIntSum *sum);
extern void ga_partial_store(GaPartialSum *partial, const GaExactSum *sum,
							 GaFullRecord *full, uint32_t full_capacity,
							 uint32_t *n_full);
extern void ga_full_record_from_sum(GaFullRecord *full, const GaExactSum *sum);

#endif /* GA_PARTIAL_SUM_H */
