/*
 * window_extreme.cu
 *		The least or greatest elements of windows.
 */
#include "running_extreme.cuh"

uint32_t
extreme_blocks(const WindowParams &params)
{
	return ga_windows_run(&params.windows) ?
			   running_blocks(params.first) + running_blocks(params.n_windows) :
			   0;
}

cudaError_t
launch_window_extremes(GaElementType type, bool is_max,
					   const WindowParams &params, cudaStream_t stream)
{
	return for_extreme(
		type, is_max,
		[&](auto column)
		{
			using C = decltype(column);
			if (ga_windows_run(&params.windows))
				return launch_running_extremes<C>(params, stream);
			if (are_moving(params.windows))
				return launch_moving_extremes<C>(params, stream);
			return launch_windows<typename C::Element, C>(params, stream);
		});
}
