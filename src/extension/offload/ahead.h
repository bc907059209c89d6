/*
 * ahead.h
 *		Results of arrays that the device made before they were asked for.
 */
#ifndef GA_AHEAD_H
#define GA_AHEAD_H

#include "fmgr.h"

#include "exact/element.h"
#include "wire/protocol.h"

/* What a call of a function makes of an array. */
typedef struct GaAheadUse
{
	GaElementType type;
	uint32 result; /* a GaElemForm of buckets, or a GaReduction */
	uint32 width;  /* of buckets, or 0 */
} GaAheadUse;

typedef struct GaAhead GaAhead;

extern GaAhead *ga_ahead_of(FmgrInfo *function, GaAheadUse use);
extern const void *ga_ahead_take(GaAhead *ahead, const GaStoredKey *key,
								 uint32 *n);
extern uint32 ga_ahead_plan(GaAhead *ahead);
extern uint32 ga_ahead_ask(GaAhead *ahead, const GaOidSample *sample);
extern bool ga_ahead_begin(GaAhead *ahead, uint32 n_arrays, Size n_bytes);
extern void ga_ahead_add(GaAhead *ahead, const GaStoredKey *key, uint32 n,
						 const void *result, Size n_bytes);
extern void ga_ahead_failed(GaAhead *ahead);

#endif /* GA_AHEAD_H */
