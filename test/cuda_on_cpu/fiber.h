/*
 * fiber.h
 *		Fibers: stacks, and switches from one to another, within one thread of
 *		the operating system.
 */
#ifndef FIBER_H
#define FIBER_H

#include <stddef.h>
#include <stdint.h>

/* Where a fiber that does not run goes on. */
struct Fiber
{
	void *stack_pointer;
	uint64_t *lowest; /* word of its stack */
};

/* Memory for n stacks. */
extern char *fiber_stacks(size_t n);

/* Prepare a fiber on one of these stacks; entry() must never return. */
extern void fiber_init(Fiber *fiber, char *stacks, size_t index,
					   void (*entry)(void));

/* Has it used more than its stack?  Then it has spoiled another one. */
extern bool fiber_has_overflowed(const Fiber *fiber);

/* Run another fiber until one switches back to this. */
extern void fiber_switch(Fiber *from, const Fiber *to);

#endif /* FIBER_H */
