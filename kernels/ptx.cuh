/*
 * ptx.cuh
 *		The instructions for which CUDA C++ has no function: all of the PTX.
 *
 * A function for each, and nothing else, because test/cuda_on_cpu/ptx.cuh
 * defines the same functions for kernels that run on the CPU.  Which compute
 * capability has them is where they are used.  The file includes nothing of
 * ours.
 */
#ifndef GA_PTX_CUH
#define GA_PTX_CUH

#include <stdint.h>

#include "cuda_compat.cuh"

/*
 * Load 16 bytes that are read once: do not evict the threads' local data from
 * the L1 cache.
 */
template <typename T>
static __device__ __forceinline__ int4
load_once(const T *from)
{
	int4 v;

	asm("ld.global.nc.L1::no_allocate.v4.s32 {%0, %1, %2, %3}, [%4];"
		: "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
		: "l"(from));
	return v;
}

/* Return the lowest bits % 32 bits of x as a number with a sign. */
static __device__ __forceinline__ int
sign_extend(uint32_t x, unsigned bits)
{
	int result;

	asm("szext.wrap.s32 %0, %1, %2;" : "=r"(result) : "r"(x), "r"(bits));
	return result;
}

/* Have the line of 128 bytes at an address come to the L2 cache. */
static __device__ __forceinline__ void
prefetch_l2(uintptr_t at)
{
	asm volatile("prefetch.global.L2 [%0];" : : "l"(at));
}

/*
 * Return the lane's number, read from its register again: behind a long loop
 * the compiler would otherwise keep lane_id() in a register or in local
 * memory.
 */
static __device__ __forceinline__ int
reload_lane_id()
{
	int lane;

	asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
	return lane;
}

/* Return threadIdx.x, read from its register again. */
static __device__ __forceinline__ unsigned
reload_thread()
{
	unsigned thread;

	asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
	return thread;
}

/*
 * Programmatic dependent launch: a kernel calls launch_dependents() to let the
 * next kernel of the stream start; that calls wait_for_previous_kernel() before
 * it reads what this one writes.  Does nothing before compute capability 9.0.
 */
static __device__ __forceinline__ void
launch_dependents()
{
#if __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.launch_dependents;");
#endif
}

static __device__ __forceinline__ void
wait_for_previous_kernel()
{
#if __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Synchronise kThreads threads at a barrier of the block; whole warps. */
template <int kBarrier, int kThreads>
static __device__ __forceinline__ void
sync_threads()
{
	asm volatile("barrier.sync %0, %1;"
				 :
				 : "n"(kBarrier), "n"(kThreads)
				 : "memory");
}

/* Store and load two words that other blocks load and store, relaxed. */
static __device__ __forceinline__ void
store_pair(uint64_t *to, uint64_t a, uint64_t b)
{
	asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};"
				 :
				 : "l"(to), "l"(a), "l"(b)
				 : "memory");
}

static __device__ __forceinline__ void
load_pair(const uint64_t *from, uint64_t &a, uint64_t &b)
{
	asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
				 : "=l"(a), "=l"(b)
				 : "l"(from)
				 : "memory");
}

/* Load a word that other blocks store, relaxed. */
static __device__ __forceinline__ unsigned long long
load_relaxed(const unsigned long long *word)
{
	unsigned long long total;

	asm volatile("ld.relaxed.gpu.u64 %0, [%1];"
				 : "=l"(total)
				 : "l"(word)
				 : "memory");
	return total;
}

/* Store a word that the host loads, relaxed. */
static __device__ __forceinline__ void
store_relaxed_sys(uint64_t *to, uint64_t word)
{
	asm volatile("st.relaxed.sys.global.u64 [%0], %1;"
				 :
				 : "l"(to), "l"(word)
				 : "memory");
}

/* Addresses in shared memory, which the rest of this file takes. */
static __device__ __forceinline__ unsigned
shared_address(const void *p)
{
	return unsigned(__cvta_generic_to_shared(p));
}

/*
 * Return a pointer to shared memory that the compiler keeps in a register.  It
 * would compute the address again in each turn of a loop, from the block's
 * number in its cluster, which is slow to read.  A whole warp.
 */
template <typename T>
static __device__ __forceinline__ T *
kept_pointer(T *p)
{
	return static_cast<T *>(__cvta_shared_to_generic(
		__shfl_sync(0xffffffffu, shared_address(p), 0)));
}

static __device__ __forceinline__ int4
load_shared(unsigned from)
{
	int4 v;

	asm volatile("ld.shared.v4.s32 {%0, %1, %2, %3}, [%4];"
				 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
				 : "r"(from)
				 : "memory");
	return v;
}

/*
 * Barriers in shared memory (mbarrier): arriving apart from waiting, from
 * compute capability 8.0 on; with copies from 9.0 on.  A phase completes when
 * the number of arrivals given at initialization and the announced bytes of
 * copies are complete.  Phases have parity 0 and 1 in turn.  Any thread of the
 * block may arrive or wait.
 */
static __device__ __forceinline__ void
mbarrier_init(unsigned barrier, unsigned n_arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier),
				 "r"(n_arrivals)
				 : "memory");
}

/* Order this thread's mbarrier_init() before copies and other threads. */
static __device__ __forceinline__ void
fence_mbarrier_init()
{
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ __forceinline__ void
mbarrier_arrive(unsigned barrier)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier)
				 : "memory");
}

/* Arrive, and announce a copy of n_bytes to this barrier. */
static __device__ __forceinline__ void
mbarrier_expect(unsigned barrier, unsigned n_bytes)
{
	asm volatile(
		"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
		"r"(n_bytes)
		: "memory");
}

/* Wait until the phase with this parity has completed. */
static __device__ __forceinline__ void
mbarrier_wait(unsigned barrier, unsigned parity)
{
	unsigned is_done;

	do
	{
		asm volatile("{\n"
					 ".reg .pred p;\n"
#if __CUDA_ARCH__ >= 900
					 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
#else
					 "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n"
#endif
					 "selp.u32 %0, 1, 0, p;\n"
					 "}"
					 : "=r"(is_done)
					 : "r"(barrier), "r"(parity)
					 : "memory");
	} while (!is_done);
}

/*
 * Issue a bulk copy to shared memory of data that is read once: the L2 cache
 * evicts it first.
 */
static __device__ __forceinline__ void
copy_once(unsigned to, const void *from, unsigned n_bytes, unsigned barrier)
{
	uint64_t policy;

	asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;"
				 : "=l"(policy));
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
				 "::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(to),
				 "l"(from), "r"(n_bytes), "r"(barrier), "l"(policy)
				 : "memory");
}

/*
 * Order what this thread has read from and written to shared memory before bulk
 * copies there that are issued later, by this thread or by one that waits for
 * it at a barrier.  A barrier alone does not: a copy can overtake loads that
 * are under way.
 */
static __device__ __forceinline__ void
fence_copies()
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#endif /* GA_PTX_CUH */
