/*
 * runtime.h
 *		What the files of cuda_runtime.h share.
 */
#ifndef RUNTIME_H
#define RUNTIME_H

#include <mutex>

#include "cuda_runtime.h"

/* Held by each function of cuda_runtime.h, and while a grid runs. */
extern std::recursive_mutex cpu_runtime_lock;

#define RUNTIME_LOCK() \
	std::lock_guard<std::recursive_mutex> guard(cpu_runtime_lock)

/* Return the error, which cudaGetLastError() then returns, too. */
extern cudaError_t cpu_set_error(cudaError_t error);

/* Wait for all streams, as freeing memory does. */
extern void cpu_synchronize(void);

/* May this be launched?  Sets max_resident. */
extern cudaError_t cpu_check_launch(const void *kernel, CpuGrid *grid);

#endif /* RUNTIME_H */
