/*
 * settings.h
 *		The settings gpuagg.*, all in one room.
 */
#ifndef GA_SETTINGS_H
#define GA_SETTINGS_H

#include "cpu.h"

/* The CPU implementation in use; gpuagg.cpu_engine chooses it. */
extern const GaCpuEngine *ga_cpu;

extern void ga_settings_init(void);

#endif							/* GA_SETTINGS_H */
