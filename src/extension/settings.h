/*
 * settings.h
 *		The settings gpuagg.*.
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

/* The CPU engine that gpuagg.cpu_engine chooses. */
extern const GaCpuEngine *ga_cpu;

extern bool ga_allow_device;   /* the user may use a device */
extern int ga_engine;		   /* a GaEngineChoice */
extern int ga_min_gpu_size;	   /* kB; -1 is never */
extern int ga_request_timeout; /* ms */
extern char *ga_device;		   /* auto, none, emulated, or ordinals */

/*
 * The number of the execution whose workers start; 0 is none.  A double holds
 * its 53 bits: those of a process id, and of a count within the process.
 */
#define GA_EXECUTION_COUNT_BITS 31
extern double ga_execution;

/* The names of those that gpuaggd is started with, up to a NULL. */
extern const char *const ga_daemon_settings[];

extern void ga_settings_init(void);
extern void ga_settings_share_execution(uint64 id);

#endif /* GA_SETTINGS_H */
