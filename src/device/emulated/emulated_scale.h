/*
 * emulated_scale.h
 *		Which grid does for running totals of floats.
 */
#ifndef GA_EMULATED_SCALE_H
#define GA_EMULATED_SCALE_H

#include "device/device.h"

extern uint32_t ga_emulated_try_scales(const GaScanRequest *request,
									   const GaScanArray *array,
									   GaScanResult *result);

#endif /* GA_EMULATED_SCALE_H */
