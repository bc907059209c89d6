/*
 * engine_totals.h
 *		Running totals, by the engine that the settings choose.
 */
#ifndef GA_ENGINE_TOTALS_H
#define GA_ENGINE_TOTALS_H

#include "extension/offload/totals.h"

/* Totals that are computed ahead of their reader, if the device does it. */
#define GA_TOTALS_AHEAD (1 << 16)

extern void ga_totals_begin(GaTotalsState *totals, GaElementType type,
							GaReason reason);
extern void ga_totals_begin_array(GaTotalsState *totals, GaArray *array,
								  Datum given, GaReason reason);
extern int ga_totals_next_run(GaTotalsState *totals, GaArray *array,
							  const void **run);
extern size_t ga_totals_compute(GaTotalsState *totals, const void *in, size_t n,
								void *out);

#endif /* GA_ENGINE_TOTALS_H */
