/*
 * moving.h
 *		Functions of windows that move over an array.
 */
#ifndef GA_MOVING_H
#define GA_MOVING_H

#include "fmgr.h"

#include "cpu/cpu.h"
#include "exact/extreme.h"
#include "extension/input/array_result.h"

typedef enum GaMovingKind
{
	GA_MOVING_SUM,
	GA_MOVING_AVG,
	GA_MOVING_MIN,
	GA_MOVING_MAX
} GaMovingKind;

/* The window of an unlimited number of items before. */
#define GA_ALL_PRECEDING PG_INT32_MAX

/*
 * Return how many items a window has, of an element and so many preceding ones,
 * at most as many as there are.  Errors: 22023 for a negative number.
 */
static inline int
ga_moving_window(int preceding, int n_items)
{
	if (preceding < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of preceding elements must not be negative"),
				 errhint("0 is a window of the element alone.")));
	return (int) Min((int64) preceding + 1, Max(n_items, 1));
}

/* A window that is moving, and what a batch of items gives. */
typedef struct GaMovingCall
{
	GaMovingKind kind;
	GaElementType type;
	GaItems items;
	GaItems again;		 /* the same, to read what leaves ... */
	bool reads_again;	 /* ... unless it is before the batch in memory */
	int window;			 /* items in it, at most as many as there are */
	bool may_have_nulls; /* then there are counts */

	/* the state, by kind and type */
	union
	{
		GaMoving floats;
		int64 int8;		/* of smallint and integer */
		GaInt128 int16; /* of bigint */
		GaMovingExtreme extreme;
	} state;

	/* of a batch, and of the items before it */
	int n_not_null; /* in the window */
	int counts[GA_BATCH_ITEMS];
	double divisors[GA_BATCH_ITEMS]; /* counts, but 1 instead of 0 */
	union
	{
		int64 int8[GA_BATCH_ITEMS];
		GaInt128 int16[GA_BATCH_ITEMS];
	} out;
} GaMovingCall;

extern Size ga_moving_size(const GaMovingCall *call);
extern bool ga_moving_is_numeric(const GaMovingCall *call);
extern void ga_moving_begin(GaMovingCall *call, GaMovingKind kind, Datum array,
							GaElementType type, int preceding,
							const GaPart *part);
extern int ga_moving_next(GaMovingCall *call, const char **batch);
extern void ga_moving_compute(GaMovingCall *call, const char *batch, int n,
							  void *out);
extern void ga_moving_end(GaMovingCall *call);

#endif /* GA_MOVING_H */
