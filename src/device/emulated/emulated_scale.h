/*
 * emulated_scale.h
 *		The scale on which running totals of floats can be made.
 */
#ifndef GA_EMULATED_SCALE_H
#define GA_EMULATED_SCALE_H

#include "device/device.h"

extern void ga_emulated_try_scales(GaScanRequest *request);

#endif /* GA_EMULATED_SCALE_H */
