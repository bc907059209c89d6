/*
 * choice.h
 *		The choice of an engine, by the settings and an array's size.
 */
#ifndef GA_CHOICE_H
#define GA_CHOICE_H

#include "reason.h"
#include "extension/settings.h"

extern GaReason ga_choose_engine(Datum array, bool is_alone);

/* Does everything go to the device, plain columns too? */
static inline bool
ga_engine_is_gpu(void)
{
	return unlikely(ga_engine == GA_ENGINE_GPU);
}

#endif /* GA_CHOICE_H */
