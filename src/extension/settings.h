/*
 * settings.h
 *		The settings gpuagg.*, all in one room.
 */
#ifndef GA_SETTINGS_H
#define GA_SETTINGS_H

#include "cpu/cpu.h"

typedef enum GaEngineChoice
{
	GA_ENGINE_AUTO = 0,
	GA_ENGINE_CPU,
	GA_ENGINE_GPU
} GaEngineChoice;

/* The CPU implementation in use; gpuagg.cpu_engine chooses it. */
extern const GaCpuEngine *ga_cpu;

/* A session's own. */
extern int ga_engine;		   /* a GaEngineChoice */
extern int ga_min_gpu_size;	   /* kB; -1 is never */
extern int ga_request_timeout; /* ms */

/* The server's, for gpuaggd. */
extern char *ga_device;		/* auto, none, emulated, or ordinals */
extern int ga_cache_size;	/* MB; -1 is half of the device's memory */
extern int ga_staging_size; /* MB */
extern char *ga_emulated_faults;

extern void ga_settings_init(void);

#endif /* GA_SETTINGS_H */
