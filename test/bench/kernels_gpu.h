/*
 * kernels_gpu.h
 *		What `make bench-kernels` has run on the device itself: the data, the
 *		looks at results, and CUB.
 *
 * Each function queues work on a stream, and waits for nothing.  Addresses are
 * of device memory.  The rest of the program is plain C and knows no kernels.
 */
#ifndef KERNELS_GPU_H
#define KERNELS_GPU_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "exact/element.h"

struct GaDeviceQueue;

#ifdef __cplusplus
extern "C"
{
#endif

	/* Element i depends on nothing but type, data and i. */
	typedef enum BenchData
	{
		BENCH_UNIFORM = 0, /* floats in [-1, 1); integers, their range */
		BENCH_NORMAL,	   /* floats, normally distributed */
		BENCH_WHOLE,	   /* floats, finite, all exponents alike */
		BENCH_40_BITS,	   /* int8 in [-2^40, 2^40) */

		/* What packs well, of float8. */
		BENCH_PRICES,		/* 2 places, in [0, 1000) */
		BENCH_WALK,			/* prices, each near the one before */
		BENCH_TEMPERATURES, /* 1 place, of days and years */
		BENCH_RAIN,			/* 1 place, 85 % zeros */
		BENCH_OUTLIERS,		/* prices, 0.3 % with all bits */

		/* And of integers: in [0, 10^6), [0, 1000), [0, 2^31). */
		BENCH_MILLION,
		BENCH_THOUSAND,
		BENCH_31_BITS
	} BenchData;

	/* kernels_data.cu */
	extern cudaError_t bench_fill(void *to, GaElementType type, BenchData data,
								  size_t n, cudaStream_t stream);
	extern cudaError_t bench_read(const void *from, size_t n_bytes,
								  uint64_t *sink, cudaStream_t stream);
	extern cudaError_t bench_digest(const void *from, size_t n_bytes,
									uint64_t *digest, cudaStream_t stream);
	extern cudaError_t bench_count_apart(const void *a, const void *b,
										 GaElementType type, size_t n,
										 double tolerance, uint64_t *count,
										 cudaStream_t stream);

	/* A kernel that takes that long, and leaves the memory alone. */
	extern cudaError_t bench_spin(unsigned us, cudaStream_t stream);

	/*
	 * kernels_queue.cu: the stream behind the interface, to put a lead there.
	 */
	extern cudaStream_t bench_stream_of(struct GaDeviceQueue *queue);

	/*
 * kernels_cub.cu.  With temp NULL, *temp_bytes is set and nothing queued.
 * Totals are of int8 for integers, or of 128 bits, and of their type for
 * floats; the least and the largest element are of the element's type.
 */
	extern cudaError_t bench_cub_sum(void *temp, size_t *temp_bytes,
									 GaElementType type, const void *in,
									 void *out, size_t n, cudaStream_t stream);
	extern cudaError_t bench_cub_extremum(void *temp, size_t *temp_bytes,
										  bool is_max, GaElementType type,
										  const void *in, void *out, size_t n,
										  cudaStream_t stream);
	extern cudaError_t bench_cub_scan(void *temp, size_t *temp_bytes,
									  GaElementType type, bool int128,
									  const void *in, void *out, size_t n,
									  cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* KERNELS_GPU_H */
