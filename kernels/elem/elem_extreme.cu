/*
 * elem_extreme.cu
 *		The kernels of the least or greatest elements by position.
 *
 * The record of a share has a key (order.cuh), in reverse for the least one, so
 * that the larger of two is the one of both.
 */
#include "elem_share.cuh"
#include "order.cuh"

template <typename T, bool kIsMax>
struct ExtremeColumn
{
	using Record = int64_t;
	using Key = typename Order<T>::Key;

	Key best;

	static __device__ __forceinline__ T
	outside()
	{
		return kIsMax ? Order<T>::least() : Order<T>::largest();
	}

	__device__ __forceinline__ void
	clear()
	{
		best = Order<T>::key(outside());
	}

	__device__ __forceinline__ bool
	add(const ColumnItems<T> &items)
	{
#pragma unroll
		for (int i = 0; i < kTileArrays; i++)
		{
			const Key key = Order<T>::key(items.item(i));

			best = (kIsMax ? key > best : key < best) ? key : best;
		}
		return true;
	}

	static __device__ __forceinline__ ExtremeColumn
	add_again(ExtremeColumn column, ColumnPlace, Record *)
	{
		return column;
	}

	__device__ __forceinline__ void
	finish(Record *record) const
	{
		*record = kIsMax ? best : Key(~best);
	}
};

/* Find the extremes of all shares, a position by each thread. */
template <typename T, bool kIsMax>
static __global__ void
__launch_bounds__(kElemThreads)
	combine_extremes(const __grid_constant__ ElemParams params)
{
	const uint32_t position = blockIdx.x * kElemThreads + threadIdx.x;
	const int64_t *key =
		static_cast<const int64_t *>(params.records) + position;
	int64_t top;

	if (position >= params.n_positions)
		return;
	top = *key;
	for (uint32_t s = 1; s < params.n_shares; s++)
	{
		key += params.n_positions;
		top = *key > top ? *key : top;
	}
	static_cast<uint64_t *>(params.results)[position] =
		Order<T>::value(kIsMax ? top : ~top);
}

template <typename T, bool kIsMax>
static cudaError_t
launch(const ElemParams &params, cudaStream_t stream)
{
	const uint32_t n_blocks =
		(params.n_positions + kElemThreads - 1) / kElemThreads;
	const cudaError_t error =
		launch_shares<T, ExtremeColumn<T, kIsMax>>(params, stream);

	if (error != cudaSuccess)
		return error;
	combine_extremes<T, kIsMax><<<n_blocks, kElemThreads, 0, stream>>>(params);
	return cudaGetLastError();
}

cudaError_t
launch_elem_extremes(GaElementType type, bool is_max, const ElemParams &params,
					 cudaStream_t stream)
{
	switch (type)
	{
#define X(name, family, ctype)                                \
	case GA_##name:                                           \
		return is_max ? launch<ctype, true>(params, stream) : \
						launch<ctype, false>(params, stream);
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}
