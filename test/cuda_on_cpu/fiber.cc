/*
 * fiber.cc
 *		Fibers: stacks, and switches from one to another.
 *
 * A switch saves the registers that a function call keeps, on the stack, and
 * takes the other stack: some ten instructions, where swapcontext() makes a
 * system call.
 */
#include "fiber.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

constexpr size_t kStackBytes = 128 << 10;
constexpr size_t kGuardBytes = 4096;

extern "C" void fiber_switch_stacks(void **from, void *to);

#if defined(__x86_64__)

constexpr size_t kSavedWords = 6;
constexpr size_t kEntryWord = 6; /* the address of return */
constexpr size_t kFrameWords = 8;

__asm__(".text\n"
		".globl fiber_switch_stacks\n"
		".hidden fiber_switch_stacks\n"
		".type fiber_switch_stacks, @function\n"
		"fiber_switch_stacks:\n"
		"	pushq %rbp\n"
		"	pushq %rbx\n"
		"	pushq %r12\n"
		"	pushq %r13\n"
		"	pushq %r14\n"
		"	pushq %r15\n"
		"	movq %rsp, (%rdi)\n"
		"	movq %rsi, %rsp\n"
		"	popq %r15\n"
		"	popq %r14\n"
		"	popq %r13\n"
		"	popq %r12\n"
		"	popq %rbx\n"
		"	popq %rbp\n"
		"	ret\n"
		".size fiber_switch_stacks, . - fiber_switch_stacks\n");

#elif defined(__aarch64__)

constexpr size_t kEntryWord = 11; /* x30, the link register */
constexpr size_t kFrameWords = 20;

__asm__(".text\n"
		".globl fiber_switch_stacks\n"
		".hidden fiber_switch_stacks\n"
		".type fiber_switch_stacks, @function\n"
		"fiber_switch_stacks:\n"
		"	sub sp, sp, #160\n"
		"	stp x19, x20, [sp, #0]\n"
		"	stp x21, x22, [sp, #16]\n"
		"	stp x23, x24, [sp, #32]\n"
		"	stp x25, x26, [sp, #48]\n"
		"	stp x27, x28, [sp, #64]\n"
		"	stp x29, x30, [sp, #80]\n"
		"	stp d8, d9, [sp, #96]\n"
		"	stp d10, d11, [sp, #112]\n"
		"	stp d12, d13, [sp, #128]\n"
		"	stp d14, d15, [sp, #144]\n"
		"	mov x9, sp\n"
		"	str x9, [x0]\n"
		"	mov sp, x1\n"
		"	ldp x19, x20, [sp, #0]\n"
		"	ldp x21, x22, [sp, #16]\n"
		"	ldp x23, x24, [sp, #32]\n"
		"	ldp x25, x26, [sp, #48]\n"
		"	ldp x27, x28, [sp, #64]\n"
		"	ldp x29, x30, [sp, #80]\n"
		"	ldp d8, d9, [sp, #96]\n"
		"	ldp d10, d11, [sp, #112]\n"
		"	ldp d12, d13, [sp, #128]\n"
		"	ldp d14, d15, [sp, #144]\n"
		"	add sp, sp, #160\n"
		"	ret\n"
		".size fiber_switch_stacks, . - fiber_switch_stacks\n");

#else
#error "no fibers for this processor"
#endif

char *
fiber_stacks(size_t n)
{
	void *stacks =
		mmap(nullptr, n * kStackBytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (stacks == MAP_FAILED)
	{
		perror("mmap");
		abort();
	}
	for (size_t i = 0; i < n; i++)
		(void) mprotect((char *) stacks + i * kStackBytes, kGuardBytes,
						PROT_NONE);
	return (char *) stacks;
}

void
fiber_init(Fiber *fiber, char *stacks, size_t index, void (*entry)(void))
{
	/* stacks begin at different places of the caches */
	char *top = stacks + (index + 1) * kStackBytes - index % 61 * 192;
	uint64_t *frame = (uint64_t *) top - kFrameWords;

	for (size_t i = 0; i < kFrameWords; i++)
		frame[i] = 0;
	frame[kEntryWord] = (uint64_t) entry;
	fiber->stack_pointer = frame;
}

void
fiber_switch(Fiber *from, const Fiber *to)
{
	fiber_switch_stacks(&from->stack_pointer, to->stack_pointer);
}
