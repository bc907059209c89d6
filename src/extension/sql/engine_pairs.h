/*
 * engine_pairs.h
 *		Sums of products of two arrays, by the engine that is chosen.
 */
#ifndef GA_ENGINE_PAIRS_H
#define GA_ENGINE_PAIRS_H

#include "extension/engine/reduction_state.h"

extern void ga_engine_add_pairs(GaState state, Datum x, Datum y);
extern void *ga_engine_note_pairs(GaState state, Datum x, Datum y,
								  MemoryContext context, bool is_partial);

#endif /* GA_ENGINE_PAIRS_H */
