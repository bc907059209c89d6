/*
 * exit.h
 *		How gpuaggd ends, and what it says then.
 */
#ifndef GA_EXIT_H
#define GA_EXIT_H

#include "device/device.h"

/* Exit codes, by which the supervisor knows what to do. */
typedef enum GaExit
{
	GA_EXIT_STOPPED = 0, /* by a signal */
	GA_EXIT_USAGE = 2,
	GA_EXIT_NO_DRIVER = 10, /* or gpuaggd was built without CUDA */
	GA_EXIT_NO_DEVICE = 11,
	GA_EXIT_NO_STAGING = 12, /* no memory for it, or nowhere to listen */
	GA_EXIT_FAILED = 20		 /* the device did: a fresh start may help */
} GaExit;

extern void ga_exit_stopped(void) __attribute__((noreturn));
extern void ga_exit_fatal(GaExit code, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));
extern void ga_exit_refused(GaStatus status, const GaDeviceFailure *failure)
	__attribute__((noreturn));
extern void ga_exit_lost(const GaDeviceFailure *failure)
	__attribute__((noreturn));

#endif /* GA_EXIT_H */
