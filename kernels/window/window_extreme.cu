/*
 * window_extreme.cu
 *		The least or greatest elements of windows.
 */
#include "elem/extreme_column.cuh"
#include "reduce_window.cuh"

cudaError_t
launch_window_extremes(GaElementType type, bool is_max,
					   const WindowParams &params, cudaStream_t stream)
{
	return for_extreme(type, is_max,
					   [&](auto column)
					   {
						   using C = decltype(column);
						   return launch_windows<typename C::Element, C>(
							   params, stream);
					   });
}
