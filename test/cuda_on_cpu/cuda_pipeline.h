/*
 * cuda_pipeline.h
 *		CUDA's copies to shared memory by threads, on the CPU.
 */
#ifndef CUDA_PIPELINE_H
#define CUDA_PIPELINE_H

#include "cuda_runtime.h"

static inline void
__pipeline_memcpy_async(void *to, const void *from, size_t n_bytes)
{
	if (n_bytes != 4 && n_bytes != 8 && n_bytes != 16)
		cpu_fault("a copy of %zu bytes", n_bytes);
	if ((uintptr_t) to % n_bytes != 0 || (uintptr_t) from % n_bytes != 0)
		cpu_fault("a copy is not aligned");
	cpu_copy_async(to, from, n_bytes);
}

static inline void
__pipeline_commit(void)
{
	cpu_copy_commit();
}

static inline void
__pipeline_wait_prior(unsigned n_groups)
{
	cpu_copy_wait(n_groups);
}

#endif /* CUDA_PIPELINE_H */
