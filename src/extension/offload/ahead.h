/*
 * ahead.h
 *		Results of arrays that the device made before they were asked for.
 */
#ifndef GA_AHEAD_H
#define GA_AHEAD_H

#include "fmgr.h"

#include "exact/element.h"
#include "owner.h"
#include "wire/protocol.h"

/* What a call of a function makes of an array. */
typedef struct GaAheadUse
{
	GaElementType type;
	uint32 result; /* a GaElemForm of buckets, or a GaReduction */
	uint32 width;  /* of buckets, or 0 */
} GaAheadUse;

/* An array, and how many elements it has. */
typedef struct GaAheadArray
{
	GaStoredKey key;
	uint32 n;
} GaAheadArray;

/* Return the reduction of whole arrays that a use asks for. */
static inline GaReduction
ga_ahead_reduction(GaAheadUse use)
{
	return use.width == 0 ? (GaReduction) use.result : GA_REDUCE_SUM;
}

typedef struct GaAhead GaAhead;
typedef struct GaAheadBatch GaAheadBatch;

extern GaAhead *ga_ahead_of(FmgrInfo *function, GaAheadUse use);
extern GaAheadUse ga_ahead_use_of(const GaAhead *ahead);
extern GaOwner *ga_ahead_owner(GaAhead *ahead);
extern const void *ga_ahead_take(GaAhead *ahead, const GaStoredKey *key,
								 uint32 *n);
extern void ga_ahead_came_to(GaAhead *ahead, const GaStoredKey *key);
extern GaStoredKey ga_ahead_previous(const GaAhead *ahead, uint32 device);
extern uint32 ga_ahead_plan(GaAhead *ahead, const GaStoredKey *key);
extern bool ga_ahead_expects_many(const GaAhead *ahead, const GaStoredKey *key);
extern void ga_ahead_plan_many(GaAhead *ahead, const GaStoredKey *key,
							   uint32 behind);
extern GaAheadWanted ga_ahead_wanted(const GaAhead *ahead);
extern bool ga_ahead_last(const GaAhead *ahead, bool is_under_way,
						  GaAheadArray *last);
extern void ga_ahead_plan_behind(GaAhead *ahead, uint32 behind);
extern GaAheadBatch *ga_ahead_begin(GaAhead *ahead, const GaOidSample *sample,
									uint32 n_arrays, Size n_bytes);
extern void *ga_ahead_add(GaAhead *ahead, GaAheadBatch *batch,
						  GaAheadArray array, Size n_bytes);
extern void ga_ahead_failed(GaAhead *ahead);

#endif /* GA_AHEAD_H */
