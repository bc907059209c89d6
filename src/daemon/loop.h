/*
 * loop.h
 *		The event loop of gpuaggd.
 */
#ifndef GA_LOOP_H
#define GA_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* The owner of a descriptor in the loop; the first member of its struct. */
typedef struct GaSource
{
	void (*ready)(struct GaSource *source, uint32_t events);
} GaSource;

extern void ga_loop_open(void);
extern int ga_loop_add(GaSource *source, int fd, uint32_t events);
extern void ga_loop_change(GaSource *source, int fd, uint32_t events);
extern void ga_loop_remove(int fd);
extern void ga_loop_run(int (*timeout_ms)(int64_t now_ns),
						bool (*is_polling)(void), void (*end_turn)(void))
	__attribute__((noreturn));

#endif /* GA_LOOP_H */
