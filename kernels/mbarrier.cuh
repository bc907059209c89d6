/*
 * mbarrier.cuh
 *		Barriers in shared memory (mbarrier): arriving apart from waiting.
 *
 * From compute capability 8.0 on; with copies from 9.0 on.  A phase completes
 * when the number of arrivals given at initialization and the announced bytes
 * of copies are complete.  Phases have parity 0 and 1 in turn.  Barriers are
 * given by their address in shared memory; any thread of the block may arrive
 * or wait.
 */
#ifndef GA_MBARRIER_CUH
#define GA_MBARRIER_CUH

#include "common.cuh"

static __device__ __forceinline__ unsigned
shared_address(const void *p)
{
	return unsigned(__cvta_generic_to_shared(p));
}

static __device__ __forceinline__ void
mbarrier_init(unsigned barrier, unsigned n_arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier),
				 "r"(n_arrivals)
				 : "memory");
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

#endif /* GA_MBARRIER_CUH */
