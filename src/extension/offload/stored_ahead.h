/*
 * stored_ahead.h
 *		The arrays that follow the only one of a lookup slot.
 */
#ifndef GA_STORED_AHEAD_H
#define GA_STORED_AHEAD_H

#include "ahead.h"
#include "slots.h"

extern GaAhead *ga_stored_ahead(int i);
extern void ga_stored_keep_ahead(GaAhead *ahead, int i, uint32 n_arrays);

#endif /* GA_STORED_AHEAD_H */
