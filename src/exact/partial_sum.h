/*
 * partial_sum.h
 *		The sum of one array, as a device hands it over.
 *
 * A record of fixed size for each array, whatever its type.  The few sums
 * that do not fit in 192 bits, or have NaN or infinities among their inputs,
 * lie in a second list of larger records.  Merging them into a GaExactSum or
 * GaIntSum is exact and commutes, so host and device share the work of a sum
 * in any way.
 *
 * How many inputs there were is not in it: who asked knows.
 */
#ifndef GA_PARTIAL_SUM_H
#define GA_PARTIAL_SUM_H

#include "exact_sum.h"
#include "int_sum.h"

#define GA_PARTIAL_LIMBS 3

typedef enum GaPartialKind
{
	GA_PARTIAL_NARROW = 0, /* the value is in limb[] */
	GA_PARTIAL_FULL,	   /* it is wide[limb[0]] */
	GA_PARTIAL_NO_CAPACITY /* there was no room left in wide[] */
} GaPartialKind;

typedef struct GaPartialSum
{
	uint64_t limb[GA_PARTIAL_LIMBS]; /* two's complement, lowest first; in
										 * units of 2^(32 * first - 1074) for
										 * floats, of 1 for integers */
	uint32_t n_neg_zero;			 /* inputs that are minus zero */
	uint8_t first;					 /* index of the lowest cell; floats only */
	uint8_t kind;					 /* a GaPartialKind */
	uint16_t unused;
} GaPartialSum;

/* The same in full; finite inputs are in cells as GaExactSum has them. */
typedef struct GaFullRecord
{
	int64_t n_nan;
	int64_t n_pos_inf;
	int64_t n_neg_inf;
	int64_t cells[GA_MAX_CELLS]; /* each below 2^52 in magnitude */
} GaFullRecord;

extern GaStatus ga_partial_merge(GaExactSum *sum, int64_t n,
								 const GaPartialSum *partial,
								 const GaFullRecord *wide);
extern void ga_partial_merge_int(GaIntSum *sum, int64_t n,
								 const GaPartialSum *partial);
extern bool ga_partial_from_sum(GaPartialSum *partial, const GaExactSum *sum);
extern void ga_full_record_from_sum(GaFullRecord *wide, const GaExactSum *sum);

#endif /* GA_PARTIAL_SUM_H */
