/*
 * exit.h
 *		How gpuaggd ends.
 */
#ifndef GA_EXIT_H
#define GA_EXIT_H

#include "device/device.h"
#include "wire/exit_codes.h"

extern void ga_exit_set_hooks(void (*device_lost)(const GaDeviceFailure *),
							  void (*at_exit)(void));
extern void ga_exit_stopped(void) __attribute__((noreturn));
extern void ga_exit_idle(void) __attribute__((noreturn));
extern void ga_exit_fatal(GaExit code, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));
extern void ga_exit_refused(GaStatus status, const GaDeviceFailure *failure)
	__attribute__((noreturn));
extern void ga_exit_lost(const GaDeviceFailure *failure)
	__attribute__((noreturn));

#endif /* GA_EXIT_H */
