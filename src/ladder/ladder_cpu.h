/*
 * ladder_cpu.h
 *		What the CPU makes of a ladder's elements: plainly, and exactly.
 *
 * The plain loop is what the ladder's tables compare with, and the exact code
 * is what all kernels are measured against.  Both go piece by piece, so that
 * the caller can look up in between, and need not have all elements at once.
 */
#ifndef GA_LADDER_CPU_H
#define GA_LADDER_CPU_H

#include "exact/exact_sum.h"
#include "exact/int_sum.h"
#include "ladder.h"

/*
 * The types that ladders take.  X(name, family, ctype): as in element.h, but
 * sums of integers wrap around, as they do on a device.
 */
#define GA_LADDER_TYPES(X)  \
	X(int4, int, uint32_t)  \
	X(int8, int, uint64_t)  \
	X(float4, float, float) \
	X(float8, float, double)

/* They as a set: GaRung.types of what takes them all. */
#define X(name, family, ctype) | UINT32_C(1) << GA_##name
enum
{
	GA_LADDER_ALL_TYPES = 0 GA_LADDER_TYPES(X)
};
#undef X

/* A sum or a running total, of the elements' type. */
typedef union GaLadderTotal
{
#define X(name, family, ctype) ctype name;
	GA_LADDER_TYPES(X)
#undef X
} GaLadderTotal;

/* How far a loop is. */
typedef struct GaLadderLoop
{
	GaLadder ladder;
	GaElementType type;
	GaLadderTotal total; /* of the elements so far */
	/* of the exact ones: */
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
