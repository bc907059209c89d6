/*
 * ladder_cpu.h
 *		The CPU's loops over a ladder's elements: plain, and exact.
 *
 * The ladder's tables compare with the plain loop; the exact one gives the
 * answers that errors are measured against.  Both work segment by segment, so
 * that the caller can do something else in between, and need not have all
 * elements at once.
 */
#ifndef GA_LADDER_CPU_H
#define GA_LADDER_CPU_H

#include "cpu/cpu.h"
#include "exact/exact_sum.h"
#include "exact/int_sum.h"
#include "ladder.h"

/* A sum or a running total, of the elements' type. */
typedef union GaLadderTotal
{
#define X(name, family, ctype) ctype name;
	GA_LADDER_TYPES(X)
#undef X
} GaLadderTotal;

/* The state of a loop between two segments. */
typedef struct GaLadderLoop
{
	GaLadder ladder;
	GaElementType type;
	GaLadderTotal total; /* of the elements so far */
	/* of exact loops: */
	const GaCpuEngine *engine; /* the best one after ga_ladder_begin() */
	GaIntSum ints;
	GaFullSum floats;
} GaLadderLoop;

extern void ga_ladder_fill(GaElementType type, uint64_t first, size_t n,
						   void *to);
extern void ga_ladder_begin(GaLadderLoop *loop, GaLadder ladder,
							GaElementType type);
extern void ga_ladder_plain(GaLadderLoop *loop, const void *in, size_t n,
							void *out);
extern void ga_ladder_exact(GaLadderLoop *loop, const void *in, size_t n,
							void *out);
extern double ga_ladder_error(GaLadderLoop *exact, const void *in, size_t n,
							  const void *out);
extern double ga_ladder_distance(GaElementType type, const void *a,
								 const void *b);
extern double ga_ladder_larger(double a, double b);
extern uint64_t ga_ladder_hash(uint64_t hash, GaElementType type,
							   const void *data, size_t n);
extern double ga_ladder_median(double *ms, uint32_t n);

#endif /* GA_LADDER_CPU_H */
