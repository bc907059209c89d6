/*
 * cpu_moments.h
 *		Moments of arrays by the CPU, of any element type.
 */
#ifndef GA_CPU_MOMENTS_H
#define GA_CPU_MOMENTS_H

#include "exact/element.h"

extern void *ga_cpu_add_moments(void *moments, GaElementType type,
								const void *data, size_t n);

#endif /* GA_CPU_MOMENTS_H */
