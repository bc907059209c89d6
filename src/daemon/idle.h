/*
 * idle.h
 *		The end of a gpuaggd that no session uses.
 */
#ifndef GA_IDLE_H
#define GA_IDLE_H

#include <stdint.h>

extern void ga_idle_used(void);
extern int ga_idle_timeout_ms(int64_t now_ns);
extern void ga_idle_check(void);

#endif /* GA_IDLE_H */
