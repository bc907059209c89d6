/*
 * window_extreme.cu
 *		The least or greatest elements of windows.
 */
#include "moving_extreme.cuh"

cudaError_t
launch_window_extremes(GaElementType type, bool is_max,
					   const WindowParams &params, cudaStream_t stream)
{
	return for_extreme(type, is_max,
					   [&](auto column)
					   {
						   using C = decltype(column);
						   if (are_moving(params.windows))
							   return launch_moving_extremes<C>(params, stream);
						   return launch_windows<typename C::Element, C>(
							   params, stream);
					   });
}
