/*
 * engine_elem.h
 *		Sums position by position, by the engine that the settings choose.
 */
#ifndef GA_ENGINE_ELEM_H
#define GA_ENGINE_ELEM_H

#include "elem_state.h"
#include "exact/elem_form.h"
#include "extension/engine/reason.h"

extern GaReason ga_elem_choose(Datum array, GaStoredKey *key);
extern void ga_elem_note(GaElemState *state, const GaStoredKey *key);
extern void ga_elem_finish(GaElemState *state);
extern bool ga_elem_values(GaElemState *state, GaElemForm form, char *values);

#endif /* GA_ENGINE_ELEM_H */
