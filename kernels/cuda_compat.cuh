/*
 * cuda_compat.cuh
 *		What differs between the releases of CUDA, 11.8 to 13.
 *
 * The only place for guards by its version.  Each has a note of what changed.
 */
#ifndef GA_CUDA_COMPAT_CUH
#define GA_CUDA_COMPAT_CUH

#include <cuda_runtime.h>

/* 11's compiler takes an object that only a lambda uses for unused. */
#if CUDART_VERSION < 12000
#pragma nv_diag_suppress 550
#endif

/* 12 has bulk copies to shared memory. */
#define GA_HAS_BULK_COPIES (CUDART_VERSION >= 12000)

/*
 * Return a kernel's parameters, for an index that is not a constant.  11's
 * compiler generates broken code of its own ("instruction does not dominate all
 * uses") when it knows that this is the memory of parameters.
 */
template <typename Params>
static __device__ __forceinline__ const Params &
indexed_params(const Params &params)
{
#if CUDART_VERSION < 12000
	const Params *pointer = &params;

	asm("" : "+l"(pointer));
	return *pointer;
#else
	return params;
#endif
}

/* 13 has types of locations, to which managed memory can be migrated. */
static inline cudaError_t
prefetch_to_host(const void *memory, size_t n_bytes, cudaStream_t stream)
{
#if CUDART_VERSION >= 13000
	return cudaMemPrefetchAsync(memory, n_bytes,
								cudaMemLocation{cudaMemLocationTypeHost, 0}, 0,
								stream);
#else
	return cudaMemPrefetchAsync(memory, n_bytes, cudaCpuDeviceId, stream);
#endif
}

#endif /* GA_CUDA_COMPAT_CUH */
