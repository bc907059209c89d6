/*
 * elem_stubs.h
 *		A state of sums by position, for a session's side without arrays.
 */
#ifndef ELEM_STUBS_H
#define ELEM_STUBS_H

#include "postgres.h"

#include "extension/sql/elem_state.h"

/* Sums of n positions without inputs, in the current memory context. */
extern void elem_stubs_init_sums(GaElemSum *sum, GaElementType type, size_t n);

/* A state with such sums. */
extern void elem_stubs_init(GaElemState *state, GaElementType type, size_t n);

#endif /* ELEM_STUBS_H */
