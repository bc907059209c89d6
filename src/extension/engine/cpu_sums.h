/*
 * cpu_sums.h
 *		Sums and running totals by the CPU, of any element type.
 */
#ifndef GA_CPU_SUMS_H
#define GA_CPU_SUMS_H

#include "exact/element.h"
#include "exact/partial_sum.h"

extern void ga_cpu_add(void *sum, GaElementType type, const void *data,
					   size_t n);
extern void *ga_cpu_add_growing(void *sum, GaElementType type, const void *data,
								size_t n);
extern size_t ga_cpu_scan(void *sum, GaElementType type, const void *in,
						  size_t n, void *out);
extern void ga_cpu_merge(void *sum, GaElementType type, const void *other);
extern bool ga_cpu_merge_partial(void *sum, GaElementType type, uint32 n,
								 const GaPartialSum *partial,
								 const GaFullRecord *full,
								 uint32 full_capacity);

#endif /* GA_CPU_SUMS_H */
