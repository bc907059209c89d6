/*
 * ladder.h
 *		The ladder of teaching kernels: elements, and rows of its table.
 *
 * Included by gpuagg-ladder, which runs the ladder, its kernels, gpuaggd, which
 * starts it, and the functions in SQL that return the table.
 *
 * The elements are made from their index, so that each program, on the host or
 * on a device, makes the same ones.  Integers are small, so that sums of them
 * fit into their own type, as the classic kernels have it; floats use all bits
 * of their fraction, so that rounding errors show.
 */
#ifndef GA_LADDER_H
#define GA_LADDER_H

#include <stddef.h>

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

/*
 * The types that ladders take.  X(name, family, ctype): as in element.h, but
 * sums of integers wrap around, as they do on a device.
 */
#define GA_LADDER_TYPES(X)  \
	X(int4, int, uint32_t)  \
	X(int8, int, uint64_t)  \
	X(float4, float, float) \
	X(float8, float, double)

/* They as a set: GaRung.types of a rung that takes them all. */
#define X(name, family, ctype) | UINT32_C(1) << GA_##name
enum
{
	GA_LADDER_ALL_TYPES = 0 GA_LADDER_TYPES(X)
};
#undef X

/* A kernel of a ladder, or a yardstick beside it. */
typedef struct GaRung
{
	char name[32];	 /* "interleaved" */
	char title[96];	 /* one line: what it does */
	bool is_exact;	 /* the correctly rounded sum, the same bits always */
	bool is_step;	 /* a step of the ladder, not a yardstick */
	bool is_managed; /* it reads memory that host and device share */
	uint32_t types;	 /* 1 << GaElementType of those it takes */
	uint32_t passes; /* over the elements, at least: 1 to read them, 2 to
					  * read and write */
} GaRung;

/* A request for the table of a ladder. */
typedef struct GaLadderCall
{
	uint32_t ladder;  /* a GaLadder */
	uint32_t type;	  /* a GaElementType */
	uint32_t repeats; /* 1 to GA_LADDER_REPEATS */
	uint32_t managed; /* with the rungs on managed memory */
	uint64_t n;		  /* 1 to GA_LADDER_ELEMENTS */
} GaLadderCall;

/* A rung that was timed. */
typedef struct GaLadderRow
{
	GaRung rung;
	double ms;			/* the median run */
	double max_error;	/* of the sum or any total, against the exact one */
	uint32_t same_bits; /* all runs had the first one's result */
} GaLadderRow;

/* What happens while a table is made. */
typedef enum GaLadderEvent
{
	GA_LADDER_END = 0, /* of all rungs, or by a failure */
	GA_LADDER_ALIVE,   /* a run, or a part of one, is over */
	GA_LADDER_STARTS,  /* the rung of this name is next */
	GA_LADDER_ROW	   /* the rung that started was timed */
} GaLadderEvent;

/* Return what is wrong with a request for a table, or NULL. */
static inline const char *
ga_ladder_call_fault(const GaLadderCall *call)
{
	if (call->ladder >= GA_N_LADDERS)
		return "no such ladder";
	if (call->type >= GA_N_ELEMENT_TYPES ||
		(GA_LADDER_ALL_TYPES >> call->type & 1) == 0)
		return "a type that no ladder takes";
	if (call->n == 0 || call->n > GA_LADDER_ELEMENTS)
		return "the number of elements is out of range";
	if (call->repeats == 0 || call->repeats > GA_LADDER_REPEATS)
		return "the number of repeats is out of range";
	return NULL;
}

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
