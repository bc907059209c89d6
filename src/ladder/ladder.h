/*
 * ladder.h
 *		What the ladder of teaching kernels works on, and how much of it.
 *
 * The elements are made from their index, so whoever measures or checks a
 * kernel, on the host or on a device, can make the same ones.  Integers are
 * small, so that sums of them fit into their own type, as the classic kernels
 * have it; floats have all bits that they can have, so that kernels that round
 * show it.
 */
#ifndef GA_LADDER_H
#define GA_LADDER_H

#include "exact/element.h"

typedef enum GaLadder
{
	GA_LADDER_REDUCE = 0,
	GA_LADDER_SCAN, /* inclusive */
	GA_LADDER_EXCLUSIVE_SCAN,
	GA_N_LADDERS
} GaLadder;

/* Elements, and runs of each kernel, at most. */
#define GA_LADDER_ELEMENTS (UINT64_C(1) << 28)
#define GA_LADDER_REPEATS  1000

/* A kernel of a ladder, or a yardstick beside it. */
typedef struct GaRung
{
	char name[32];	 /* "interleaved" */
	char title[96];	 /* one line: what it does */
	bool is_exact;	 /* the correctly rounded sum, the same bits always */
	bool is_step;	 /* a step of the ladder, not a yardstick */
	bool is_managed; /* it reads memory that host and device share */
	uint32_t types;	 /* 1 << GaElementType of those it takes */
	uint32_t passes; /* over the elements, that it cannot do without:
								 * 1 to read them, 2 to read and write */
} GaRung;

/* 64 bits that look like chance (splitmix64). */
static inline GA_HOST_DEVICE uint64_t
ga_ladder_bits(uint64_t i)
{
	uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Element i of an integer array: -128 to 127. */
static inline GA_HOST_DEVICE int32_t
ga_ladder_int(uint64_t i)
{
	return (int32_t) (ga_ladder_bits(i) >> 56) - 128;
}

/* Element i of a float4 array: 0 up to 1. */
static inline GA_HOST_DEVICE float
ga_ladder_float4(uint64_t i)
{
	return (float) (ga_ladder_bits(i) >> 40) * 0x1p-24f;
}

/* Element i of a float8 array: 0 up to 1. */
static inline GA_HOST_DEVICE double
ga_ladder_float8(uint64_t i)
{
	return (double) (ga_ladder_bits(i) >> 11) * 0x1p-53;
}

#endif /* GA_LADDER_H */
