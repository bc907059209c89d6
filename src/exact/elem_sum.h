/*
 * elem_sum.h
 *		Exact sums position by position, of arrays of one shape.
 *
 * Position i has the sum of element i of all arrays that were added.  It is a
 * fixed-point number of digits that stand GA_ELEM_DIGIT bits apart, each a
 * signed word of 64 bits: an addition changes one or two words, and carries are
 * propagated once in GA_ELEM_MAX_PENDING additions.  Adding, merging and
 * removing are exact, so they commute and undo one another.
 *
 * Positions are in blocks of GA_ELEM_BLOCK.  Those of a block have their digits
 * at the same places, and digit j of all is a plane: n words side by side, so
 * that one array is added to a plane by vector instructions (cpu_lanes_elem.h).
 * A block has the planes that its elements need: one or two for usual data, all
 * of them for exponents over the whole range.  Floats begin where the block's
 * first elements are; integers have their units at place 0.
 *
 * NULLs, NaN, infinities and negative zeros are counted position by position,
 * so that they can be removed, too; a block has counts of those that occurred.
 *
 * Called by the CPU engine, which adds (cpu/elem_add.h), and by backends.  The
 * memory is the caller's, who gives functions that provide and release it.
 * Nothing here locks, and floating-point operations must be IEEE's.
 * doc/numerics.md has the proof.
 */
#ifndef GA_ELEM_SUM_H
#define GA_ELEM_SUM_H

#include "element.h"
#include "exact_sum.h"
#include "int_sum.h"
#include "partial_sum.h"

#define GA_ELEM_BLOCK		256 /* positions */
#define GA_ELEM_DIGIT		52	/* bits from a digit to the next one */
#define GA_ELEM_MAX_PENDING 256 /* additions to a word between two carries */

/* Arrays of a state that is read or merged, so that no count overflows. */
#define GA_ELEM_MAX_N (INT64_C(1) << 56)

/* What is counted apart from the sum. */
typedef enum GaElemCount
{
	GA_ELEM_NULLS,
	GA_ELEM_NANS,
	GA_ELEM_POS_INFS,
	GA_ELEM_NEG_INFS,
	GA_ELEM_NEG_ZEROS,
	GA_ELEM_N_COUNTS
} GaElemCount;

typedef struct GaElemBlock
{
	int16_t n;			/* positions */
	int16_t place;		/* plane 0 counts in 2^(place - 1074) */
	uint8_t n_planes;	/* 0 before any element that is not zero */
	uint8_t hot;		/* the lowest plane that vectors are added to ... */
	uint8_t n_hot;		/* ... and their number, up to GA_ELEM_MAX_HOT */
	uint16_t n_pending; /* additions since the last carry */

	/* Word i of plane j is words[j * n + i]. */
	int64_t *words;

	/* Of each position; NULL if all are zero. */
	int64_t *counts[GA_ELEM_N_COUNTS];
} GaElemBlock;

#define GA_ELEM_MAX_HOT 3

/*
 * Where the memory comes from.  It is zeroed; there is always enough.  These
 * functions may throw: the sums can only be released then.
 */
typedef struct GaElemMemory
{
	void *context;
	void *(*provide)(void *context, size_t n_bytes);
	void (*release)(void *memory);
	void (*pause)(void); /* called between blocks; may be NULL */
} GaElemMemory;

typedef struct GaElemSum
{
	GaElementType type;
	int64_t n_arrays;
	size_t n; /* positions */
	size_t n_blocks;
	GaElemBlock *blocks;
	GaElemMemory memory;
} GaElemSum;

/* The bits of floats, as places: bit b of an element counts 2^(b - 1074). */
typedef struct GaElemRange
{
	int low;		 /* the lowest bit that is set */
	int end;		 /* above the highest one; low == end: all are zero */
	bool is_special; /* are there NaN or infinities? */
} GaElemRange;

extern void ga_elem_init(GaElemSum *sum, GaElementType type, size_t n,
						 GaElemMemory memory);
extern void ga_elem_release(GaElemSum *sum);
extern void ga_elem_extend(GaElemSum *sum, GaElemBlock *block, int below,
						   int above);
extern void ga_elem_carry(GaElemSum *sum, GaElemBlock *block);
extern int64_t *ga_elem_counts(GaElemSum *sum, GaElemBlock *block,
							   GaElemCount which);
extern void ga_elem_merge(GaElemSum *sum, const GaElemSum *other);

/* Sums of a device (elem_sum_records.c). */
extern bool ga_elem_is_record(GaElementType type, int64_t n_arrays,
							  const GaPartialSum *record);
extern void ga_elem_add_records(GaElemSum *sum, size_t at,
								const GaPartialSum *records, size_t n);

/* Floats that vectors do not add; data may be unaligned. */
extern GaElemRange ga_elem_range(GaElementType type, const char *data, int n);
extern bool ga_elem_aim(GaElemSum *sum, GaElemBlock *block,
						const GaElemRange *range);
extern void ga_elem_add_slowly(GaElemSum *sum, GaElemBlock *block, int at,
							   const char *data, int n, int by,
							   const GaElemRange *range);
extern void ga_elem_count_neg_zeros(GaElemSum *sum, GaElemBlock *block, int at,
									const char *data, int n, int by);

/* Results of position i of a block. */
extern GaInt128 ga_elem_int_total(const GaElemBlock *block, int i);
extern GaStatus ga_elem_float(const GaElemSum *sum, const GaElemBlock *block,
							  int i, bool is_mean, double *result);
extern GaStatus ga_elem_float4(const GaElemSum *sum, const GaElemBlock *block,
							   int i, float *result);

/* The sums as bytes (elem_sum_io.c). */
extern size_t ga_elem_max_bytes(const GaElemSum *sum);
extern size_t ga_elem_serialize(const GaElemSum *sum, uint8_t *bytes);
extern GaStatus ga_elem_deserialize(GaElemSum *sum, const uint8_t *bytes,
									size_t n_bytes);

/* Let the caller look whether to go on. */
static inline void
ga_elem_pause(const GaElemSum *sum)
{
	if (sum->memory.pause != NULL)
		sum->memory.pause();
}

static inline int
ga_elem_floor_digit(int bits)
{
	return bits >= 0 ? bits / GA_ELEM_DIGIT :
					   -((GA_ELEM_DIGIT - 1 - bits) / GA_ELEM_DIGIT);
}

/* Return the inputs of position i of a block that are not NULL. */
static inline int64_t
ga_elem_n_inputs(const GaElemSum *sum, const GaElemBlock *block, int i)
{
	const int64_t *nulls = block->counts[GA_ELEM_NULLS];

	return sum->n_arrays - (nulls ? nulls[i] : 0);
}

/* Return x as -x if by is negative. */
static inline int64_t
ga_elem_signed(int64_t x, int by)
{
	return by < 0 ? -x : x;
}

#endif /* GA_ELEM_SUM_H */
