/*
 * launch.h
 *		Launches of kernels, and CUDA's functions that are templates.
 *
 * `rewrite` turns kernel<<<grid, block, shared, stream>>>(parameters) into
 * cpu_launcher("kernel", kernel, grid, block, shared, stream)(parameters).
 */
#ifndef LAUNCH_H
#define LAUNCH_H

template <typename... Parameters>
struct CpuLauncher
{
	CpuGrid grid;
	void (*kernel)(Parameters...);
	cudaStream_t stream;

	/* Launch; the parameters are kept until the grid runs. */
	cudaError_t
	operator()(Parameters... parameters)
	{
		auto function = kernel;

		grid.thread = [=] { function(parameters...); };
		return cpu_launch((const void *) kernel, grid, stream);
	}
};

template <typename... Parameters>
static inline CpuLauncher<Parameters...>
cpu_launcher(const char *name, void (*kernel)(Parameters...), dim3 grid,
			 dim3 block, size_t shared_bytes = 0, cudaStream_t stream = nullptr)
{
	return {{name, grid, block, shared_bytes, 0, nullptr}, kernel, stream};
}

template <typename... Parameters, typename... Arguments>
static inline cudaError_t
cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
				   void (*kernel)(Parameters...), Arguments... arguments)
{
	return cpu_launcher("a kernel", kernel, config->gridDim, config->blockDim,
						config->dynamicSmemBytes, config->stream)(arguments...);
}

template <typename T>
static inline cudaError_t
cudaMalloc(T **memory, size_t n_bytes)
{
	return cpu_malloc((void **) memory, n_bytes);
}

template <typename T>
static inline cudaError_t
cudaMallocHost(T **memory, size_t n_bytes)
{
	return cpu_malloc_host((void **) memory, n_bytes);
}

template <typename T>
static inline cudaError_t
cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel)
{
	return cpu_func_attributes(attributes, (const void *) kernel);
}

template <typename T>
static inline cudaError_t
cudaFuncSetAttribute(T *kernel, cudaFuncAttribute, int n_bytes)
{
	return cpu_func_set_shared((const void *) kernel, n_bytes);
}

template <typename T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n_blocks, T *kernel,
											  int n_threads,
											  size_t shared_bytes)
{
	return cpu_func_occupancy(n_blocks, (const void *) kernel, n_threads,
							  shared_bytes);
}

#endif /* LAUNCH_H */
