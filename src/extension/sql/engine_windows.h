/*
 * engine_windows.h
 *		Values of windows, by the engine that the settings choose.
 */
#ifndef GA_ENGINE_WINDOWS_H
#define GA_ENGINE_WINDOWS_H

#include "extension/input/array_items.h"
#include "extension/offload/windows.h"

extern bool ga_windows_begin(GaWindowsRun *run, GaElementType type,
							 GaElemForm form, const GaItems *items);
extern GaReason ga_windows_compute(GaWindowsRun *run);
extern const void *ga_windows_take(GaAhead *ahead, const GaStoredKey *key,
								   uint32 *n);

#endif /* GA_ENGINE_WINDOWS_H */
