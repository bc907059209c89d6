/*
 * elem_add.h
 *		Adding arrays to sums position by position, by the CPU engine.
 */
#ifndef GA_ELEM_ADD_H
#define GA_ELEM_ADD_H

#include "cpu.h"

extern void ga_elem_add(const GaCpuEngine *cpu, GaElemSum *sum, size_t at,
						const void *data, size_t n, int by);
extern void ga_elem_add_nulls(GaElemSum *sum, size_t at, const bool *nulls,
							  size_t n, int by);

#endif /* GA_ELEM_ADD_H */
