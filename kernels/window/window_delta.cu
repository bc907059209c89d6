/*
 * window_delta.cu
 *		The differences of neighbors, as the operator - of their type.
 */
#include "reduce_window.cuh"

/* Subtract integers; false if the type does not have the difference. */
template <typename T, bool kIsFloat = std::is_floating_point<T>::value>
struct Delta
{
	static __device__ __forceinline__ bool
	subtract(T x, T before, uint64_t *value)
	{
		const uint64_t difference = uint64_t(int64_t(x)) - uint64_t(before);
		/* of int64 the signs tell */
		const bool overflows = sizeof(T) == 8 ?
								   (x < 0) != (before < 0) &&
									   (int64_t(difference) < 0) != (x < 0) :
								   T(difference) != int64_t(difference);

		*value = difference;
		return !overflows;
	}
};

/* Subtract floats; false if that overflows, or gives NaN. */
template <typename T>
struct Delta<T, true>
{
	static __device__ __forceinline__ bool
	subtract(T x, T before, uint64_t *value)
	{
		const double difference = T(x - before);

		*value = uint64_t(__double_as_longlong(difference));
		return !isnan(difference) &&
			   (!isinf(difference) || isinf(x) || isinf(before));
	}
};

/* Grid: blocks of kWindowThreads for all windows. */
template <typename T, typename Cursor>
static __global__ void
__launch_bounds__(kWindowThreads)
	subtract_neighbors(const __grid_constant__ WindowParams params,
					   unsigned long long *values)
{
	const uint32_t i = blockIdx.x * kWindowThreads + threadIdx.x;
	const uint32_t k = params.first + i;
	uint64_t value = 0;

	if (i >= params.n_windows)
		return;
	if (k + 1 < params.windows.n)
	{
		Cursor cursor(params, k);
		const T before = cursor.template load<T>(k);

		if (!Delta<T>::subtract(cursor.template load<T>(k + 1), before, &value))
		{
			value = 0;
			atomicAdd(values + params.n_windows, 1ull);
		}
	}
	values[i] = value;
}

template <typename T>
static cudaError_t
launch(const WindowParams &params, unsigned long long *values,
	   cudaStream_t stream)
{
	const uint32_t n_blocks =
		(params.n_windows + kWindowThreads - 1) / kWindowThreads;

	return launch_with_cursor(params,
							  [&](auto *cursor)
							  {
								  using Cursor = CursorOf<decltype(cursor)>;

								  subtract_neighbors<T, Cursor>
									  <<<n_blocks, kWindowThreads, 0, stream>>>(
										  params, values);
							  });
}

cudaError_t
launch_window_deltas(GaElementType type, const WindowParams &params,
					 unsigned long long *values, cudaStream_t stream)
{
	switch (type)
	{
#define X(name, family, ctype) \
	case GA_##name:            \
		return launch<ctype>(params, values, stream);
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}
