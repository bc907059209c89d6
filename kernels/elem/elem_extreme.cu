/*
 * elem_extreme.cu
 *		The kernels of the least or greatest elements by position.
 */
#include "extreme_column.cuh"

/*
 * Make the value of a position by each thread, of the records of all shares.
 * Grid: blocks of kElemThreads.
 */
template <typename T, bool kIsMax>
static __global__ void
__launch_bounds__(kElemThreads)
	make_values(const __grid_constant__ ExtremeRecords of)
{
	const uint32_t position = blockIdx.x * kElemThreads + threadIdx.x;
	const int64_t *record = of.records + position;
	int64_t top;

	if (position >= of.n_positions)
		return;
	top = *record;
	for (uint32_t s = 1; s < of.n_shares; s++)
	{
		record += of.n_positions;
		top = *record > top ? *record : top;
	}
	of.values[position] = value_of_record<T, kIsMax>(top);
}

template <typename T, bool kIsMax>
static cudaError_t
launch_values(const ExtremeRecords &records, cudaStream_t stream)
{
	const uint32_t n_blocks =
		(records.n_positions + kElemThreads - 1) / kElemThreads;

	make_values<T, kIsMax><<<n_blocks, kElemThreads, 0, stream>>>(records);
	return cudaGetLastError();
}

cudaError_t
launch_elem_extremes(GaElementType type, bool is_max, const ElemParams &params,
					 cudaStream_t stream)
{
	return for_extreme(type, is_max,
					   [&](auto column)
					   {
						   using C = decltype(column);
						   return launch_shares<typename C::Element, C>(params,
																		stream);
					   });
}

cudaError_t
launch_extreme_values(GaElementType type, bool is_max,
					  const ExtremeRecords &records, cudaStream_t stream)
{
	return for_extreme(type, is_max,
					   [&](auto column)
					   {
						   using C = decltype(column);
						   return launch_values<typename C::Element, C::kOfMax>(
							   records, stream);
					   });
}
