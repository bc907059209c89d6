/*
 * elem_state.h
 *		The aggregate state of sums position by position.
 */
#ifndef GA_ELEM_STATE_H
#define GA_ELEM_STATE_H

#include "fmgr.h"

#include "engine_elem.h"
#include "exact/elem_sum.h"
#include "extension/input/array_result.h"

/* Without an array it has no shape, and no memory but its own. */
typedef struct GaElemState
{
	GaElementType type;
	bool has_shape;
	GaArrayShape shape;
	MemoryContext context;
	GaElemSum sum; /* if it has a shape */
	GaElemNoted noted;
} GaElemState;

#define GA_SHAPE_MAX_BYTES (1 + 16 * MAXDIM)

extern GaElemState *ga_elem_create(MemoryContext context, GaElementType type);
extern void ga_elem_set_shape(GaElemState *state, const GaArrayShape *shape);
extern uint8 *ga_shape_write(const GaArrayShape *shape, uint8 *to);
extern bool ga_shape_read(GaArrayShape *shape, const uint8 **from,
						  const uint8 *end);
extern bytea *ga_elem_allocate_bytes(Size n_bytes);
extern Datum ga_elem_apply(FunctionCallInfo fcinfo, GaElementType type, int by);
extern GaElemState *ga_elem_state_arg(FunctionCallInfo fcinfo, int i);

/* elem_batch.c */
extern void ga_elem_add_group(void *owner, GaStoredKey *keys, uint32 n);

#endif /* GA_ELEM_STATE_H */
