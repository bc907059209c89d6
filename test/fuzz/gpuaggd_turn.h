/*
 * gpuaggd_turn.h
 *		gpuaggd in this process, a turn of its loop at a time.
 */
#ifndef GPUAGGD_TURN_H
#define GPUAGGD_TURN_H

#include <stdbool.h>
#include <stdint.h>

/* What clients greet it with. */
#define GPUAGGD_BOOT_TOKEN 77

/* Time that has passed; an input may add to it. */
extern int64_t gpuaggd_passed_ns;

extern void gpuaggd_turn(void);
extern bool gpuaggd_is_busy(void);

#endif /* GPUAGGD_TURN_H */
