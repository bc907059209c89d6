/*
 * elem_batch.h
 *		Arrays that are added together to sums position by position.
 */
#ifndef GA_ELEM_BATCH_H
#define GA_ELEM_BATCH_H

#include "elem_state.h"

extern void ga_elem_add_group(void *owner, GaStoredKey *keys, uint32 n);

#endif /* GA_ELEM_BATCH_H */
