/*
 * loop.h
 *		The one loop of gpuaggd: sleep until there is something to do.
 */
#ifndef GA_LOOP_H
#define GA_LOOP_H

#include <stdint.h>

/* What has a descriptor that may become ready; the first member of its own. */
typedef struct GaSource
{
	void (*ready)(struct GaSource *source, uint32_t events);
} GaSource;

extern void ga_loop_open(void);
extern int ga_loop_add(GaSource *source, int fd, uint32_t events);
extern void ga_loop_change(GaSource *source, int fd, uint32_t events);
extern void ga_loop_run(void) __attribute__((noreturn));

#endif /* GA_LOOP_H */
