/*
 * choice.h
 *		The choice of an engine, by the settings and an array's size.
 */
#ifndef GA_CHOICE_H
#define GA_CHOICE_H

#include "reason.h"
#include "extension/settings.h"

extern GaReason ga_choose_engine(Datum array, bool is_alone, uint64 n_bytes);
extern bool ga_choose_is_small(uint64 n_bytes, uint64 array_bytes);

/* Return why the CPU computes a function that the device does not know. */
static inline GaReason
ga_reason_of_function(void)
{
	return ga_engine == GA_ENGINE_CPU ? GA_REASON_SETTING : GA_REASON_FUNCTION;
}

/* Does everything go to the device, plain columns too? */
static inline bool
ga_engine_is_gpu(void)
{
	return unlikely(ga_engine == GA_ENGINE_GPU);
}

#endif /* GA_CHOICE_H */
