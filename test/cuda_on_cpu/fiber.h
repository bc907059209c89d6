/*
 * fiber.h
 *		Fibers: stacks, and switches from one to another, within one thread of
 *		the operating system.
 */
#ifndef FIBER_H
#define FIBER_H

#include <stddef.h>

/* Where a fiber that does not run goes on. */
struct Fiber
{
	void *stack_pointer;
};

/* Memory for n stacks, a page that nothing may touch below each. */
extern char *fiber_stacks(size_t n);

/* Prepare a fiber on one of these stacks; entry() must never return. */
extern void fiber_init(Fiber *fiber, char *stacks, size_t index,
					   void (*entry)(void));

/* Run another fiber until one switches back to this. */
extern void fiber_switch(Fiber *from, const Fiber *to);

#endif /* FIBER_H */
