/*
 * engine_resident.h
 *		Functions of stored arrays, by the engine that the settings choose.
 */
#ifndef GA_ENGINE_RESIDENT_H
#define GA_ENGINE_RESIDENT_H

#include "extension/offload/resident.h"

extern GaReason ga_resident_choose(Datum array, bool is_alone, uint64 n_bytes,
								   GaStoredKey *key);
extern GaReason ga_resident_compute(GaResidentRun *run);

#endif /* GA_ENGINE_RESIDENT_H */
