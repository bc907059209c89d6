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

#ifdef __SANITIZE_ADDRESS__
constexpr size_t kStackBytes = 128 << 10;
#else
constexpr size_t kStackBytes = 32 << 10;
#endif
constexpr size_t kHugePage = 2 << 20;
constexpr uint64_t kLowestWord = 0x5afe5afe5afe5afe; /* of a stack */

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

/*
 * In large pages, where there are such: there are more stacks than the
 * processor has entries for small ones.
 */
char *
fiber_stacks(size_t n)
{
	const size_t n_bytes = (n * kStackBytes + kHugePage - 1) & -kHugePage;
	char *stacks = (char *) aligned_alloc(kHugePage, n_bytes);

	if (stacks == nullptr)
	{
		perror("stacks of fibers");
		abort();
	}
	(void) madvise(stacks, n_bytes, MADV_HUGEPAGE);
	return stacks;
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
	fiber->lowest = (uint64_t *) (stacks + index * kStackBytes);
	*fiber->lowest = kLowestWord;
}

bool
fiber_has_overflowed(const Fiber *fiber)
{
	return *fiber->lowest != kLowestWord;
}

void
fiber_switch(Fiber *from, const Fiber *to)
{
	fiber_switch_stacks(&from->stack_pointer, to->stack_pointer);
}
