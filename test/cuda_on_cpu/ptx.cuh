/*
 * ptx.cuh
 *		The functions of kernels/ptx.cuh on the CPU.
 *
 * Kernels are compiled for a compute capability (__CUDA_ARCH__), and use what
 * it has.
 */
#ifndef GA_PTX_CUH
#define GA_PTX_CUH

#include "cuda_runtime.h"

static inline int4
load_once(const void *from)
{
	return *(const int4 *) from;
}

static inline int
sign_extend(uint32_t x, unsigned bits)
{
	const unsigned n_left = 32 - bits % 32;

	return n_left == 32 ? 0 : int32_t(x << n_left) >> n_left;
}

/* Reads it: it must be memory. */
static inline void
prefetch_l2(uintptr_t at)
{
	(void) *(const volatile char *) at;
}

static inline int
reload_lane_id()
{
	return int(threadIdx.x) % warpSize;
}

static inline unsigned
reload_thread()
{
	return threadIdx.x;
}

/* The next kernel of a stream starts when this one has ended. */
static inline void
launch_dependents()
{
}

static inline void
wait_for_previous_kernel()
{
}

template <int kBarrier, int kThreads>
static inline void
sync_threads()
{
	static_assert(kBarrier < int(kCpuBarriers) && kThreads % warpSize == 0,
				  "as PTX has it");
	(void) cpu_barrier(kBarrier, kThreads);
}

/* Others may see one word before the other. */
static inline void
store_pair(uint64_t *to, uint64_t a, uint64_t b)
{
	to[0] = a;
	cpu_pause();
	to[1] = b;
	cpu_pause();
}

static inline void
load_pair(const uint64_t *from, uint64_t &a, uint64_t &b)
{
	a = from[0];
	cpu_pause();
	b = from[1];
	cpu_pause();
}

static inline unsigned long long
load_relaxed(const unsigned long long *word)
{
	cpu_spin();
	return *word;
}

static inline void
store_relaxed_sys(uint64_t *to, uint64_t word)
{
	*to = word;
	cpu_pause();
}

static inline unsigned
shared_address(const void *p)
{
	return cpu_shared_address(p);
}

template <typename T>
static inline T *
kept_pointer(T *p)
{
	return p;
}

static inline int4
load_shared(unsigned from)
{
	return *(const int4 *) cpu_read_shared(from, sizeof(int4));
}

static inline void
mbarrier_init(unsigned barrier, unsigned n_arrivals)
{
	cpu_mbarrier_init(barrier, n_arrivals);
}

static inline void
fence_mbarrier_init()
{
}

static inline void
mbarrier_arrive(unsigned barrier)
{
	cpu_mbarrier_arrive(barrier, 0);
}

static inline void
mbarrier_expect(unsigned barrier, unsigned n_bytes)
{
	cpu_mbarrier_arrive(barrier, n_bytes);
}

static inline void
mbarrier_wait(unsigned barrier, unsigned parity)
{
	cpu_mbarrier_wait(barrier, parity);
}

static inline void
copy_once(unsigned to, const void *from, unsigned n_bytes, unsigned barrier)
{
	cpu_copy_bulk(to, from, n_bytes, barrier);
}

static inline void
fence_copies()
{
	cpu_fence_reads();
}

#endif /* GA_PTX_CUH */
