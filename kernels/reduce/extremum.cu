/*
 * extremum.cu
 *		The least and the largest element: the reductions, and their kernels.
 *
 * The only word of a result is an unsigned key (order.cuh), in reverse for the
 * least one, so that the larger of two words is the one of both, and zero is
 * none.
 */
#include "array_source.cuh"
#include "order.cuh"
#include "mixed_source.cuh"
#include "reduce.cuh"

template <typename T, bool kIsMax, typename S = ArraySource<T>>
struct Extremum
{
	using Source = S;
	using Mixed = Extremum<T, kIsMax, HeaderSource<T>>;
	using Key = typename Order<T>::Key;
	static constexpr int kWords = 1;
	static constexpr int kRecords = 1;
	static constexpr bool kTakesVectors = false;
	static constexpr bool kHasRuns = false;

	Key best;
	bool has_any;

	static __device__ __forceinline__ T
	outside()
	{
		return kIsMax ? Order<T>::least() : Order<T>::largest();
	}

	__device__ __forceinline__ void
	init()
	{
		best = Order<T>::key(outside());
		has_any = false;
	}

	__device__ __forceinline__ void
	add(const Items<T> &items, unsigned long long *)
	{
		has_any = true;
#pragma unroll
		for (int i = 0; i < kItemsPerThread<T>; i++)
		{
			const Key key = Order<T>::key(items.item(i));

			best = (kIsMax ? key > best : key < best) ? key : best;
		}
	}

	/* Only lane 0 need know that there is any: it has the first header. */
	__device__ __forceinline__ void
	add_header(const GaPackedHeader &header)
	{
		const Key key = Key(kIsMax ? header.largest : header.least);

		has_any = true;
		best = (kIsMax ? key > best : key < best) ? key : best;
	}

	__device__ __forceinline__ void
	flush(unsigned long long *words)
	{
		/* ~ reverses the order of integers */
		const int64_t top = warp_max(kIsMax ? best : Key(~best));

		if (lane_id() == 0 && has_any)
			atomicMax_block(words, (unsigned long long) (top ^ INT64_MIN));
		init();
	}

	static __device__ __forceinline__ void
	combine(unsigned long long *to, unsigned long long word)
	{
		atomicMax(to, word);
	}

	static __device__ __forceinline__ void
	finish(const unsigned long long *words, GaPartialSum *record)
	{
		const int64_t top = int64_t(words[0]) ^ INT64_MIN;

		if (lane_id() == 0)
			record->limb[0] = Order<T>::value(kIsMax ? top : ~top);
	}
};

const ReductionKernels *
extremum_kernels(GaReduction reduction, GaElementType type)
{
	const bool is_max = reduction == GA_REDUCE_MAX;

	switch (type)
	{
#define X(name, family, ctype)                             \
	case GA_##name:                                        \
		return is_max ? &kKernels<Extremum<ctype, true>> : \
						&kKernels<Extremum<ctype, false>>;
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return nullptr;
	}
}
