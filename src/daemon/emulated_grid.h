/*
 * emulated_grid.h
 *		Which grid does for running totals of floats.
 */
#ifndef GA_EMULATED_GRID_H
#define GA_EMULATED_GRID_H

#include "device.h"

extern uint32_t ga_emulated_try_grids(const GaScanRequest *request,
									  const GaScanArray *array,
									  GaScanResult *result);

#endif							/* GA_EMULATED_GRID_H */
