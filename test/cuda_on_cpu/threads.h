/*
 * threads.h
 *		The threads of a kernel on the CPU, as the code of kernels sees them.
 *
 * Each thread of a block is a fiber (fiber.h).  A fiber runs until it waits for
 * others: at a barrier, at a function of its warp, or in a loop.  Then another
 * one runs, which random numbers choose from a seed: GPUAGG_CPU_KERNELS_SEED in
 * the environment, or 1.  All functions are for kernels, but cpu_run_grid() and
 * cpu_seed().  One grid runs at a time.
 */
#ifndef THREADS_H
#define THREADS_H

#include <stddef.h>
#include <stdint.h>

#include <functional>

struct uint3
{
	unsigned x, y, z;
};

struct dim3
{
	unsigned x, y, z;

	constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
		: x(x), y(y), z(z)
	{
	}
};

/* Of the thread that runs. */
extern uint3 threadIdx;
extern uint3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;

constexpr int warpSize = 32;
constexpr unsigned kCpuMaxThreads = 1024; /* of a block */
constexpr unsigned kCpuBarriers = 16;	  /* that a block has, by number */

/* What the lanes of a mask do together. */
enum CpuCollective
{
	kCpuSync,
	kCpuBallot,
	kCpuShuffle,
	kCpuAdd,
	kCpuAnd,
	kCpuOr,
	kCpuXor,
	kCpuMin,
	kCpuMax,
	kCpuMinSigned,
	kCpuMaxSigned
};

/*
 * Wait for all lanes of the mask, and return the result: a ballot, the value of
 * the source lane, or a reduction of 32 bits.
 */
extern uint64_t cpu_collect(CpuCollective what, unsigned mask,
							uint64_t value = 0, unsigned source = 0);

/*
 * Wait at a barrier of the block for so many threads, or for all that have not
 * ended if n_threads is 0.  Returns whether the value of any of them is true.
 */
extern bool cpu_barrier(unsigned number, unsigned n_threads,
						bool value = false);

/* Let other threads run, perhaps; at any access that is seen by them. */
extern void cpu_pause(void);

/* Let other threads run; in a loop that waits for them. */
extern void cpu_spin(void);

/* Return the block's shared memory, dynamic or that of a variable. */
extern unsigned char *cpu_shared(void);
extern void *cpu_shared_variable(const void *variable, size_t n_bytes);

/* Shared memory as addresses of 32 bits. */
extern unsigned cpu_shared_address(const void *p);
extern void *cpu_shared_pointer(unsigned address, size_t n_bytes);
extern const void *cpu_read_shared(unsigned address, size_t n_bytes);
extern void cpu_fence_reads(void);

/*
 * Copies that go on beside the thread that begins them: it takes them in groups
 * (cp.async), or a barrier in shared memory counts their bytes (bulk).  Each is
 * made at a time that random numbers choose.
 */
extern void cpu_copy_async(void *to, const void *from, size_t n_bytes);
extern void cpu_copy_commit(void);
extern void cpu_copy_wait(unsigned n_groups_left);
extern void cpu_copy_bulk(unsigned to, const void *from, unsigned n_bytes,
						  unsigned barrier);

/* Barriers in shared memory: mbarrier of PTX. */
extern void cpu_mbarrier_init(unsigned barrier, unsigned n_arrivals);
extern void cpu_mbarrier_arrive(unsigned barrier, unsigned n_bytes);
extern void cpu_mbarrier_wait(unsigned barrier, unsigned parity);

/* Return a random number below n. */
extern unsigned cpu_random(unsigned n);
extern unsigned long cpu_seed(void);

/* Print what a kernel did wrong, and where, and end the program. */
extern void cpu_fault(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

struct CpuGrid
{
	const char *name; /* of the kernel */
	dim3 grid;
	dim3 block;
	size_t shared_bytes;
	unsigned max_resident; /* blocks that may run at once */
	std::function<void()> thread;
};

/* Run all threads of a grid. */
extern void cpu_run_grid(const CpuGrid &grid);

#endif /* THREADS_H */
