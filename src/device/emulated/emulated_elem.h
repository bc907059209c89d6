/*
 * emulated_elem.h
 *		The emulated device's sums by position, by the CPU engine.
 */
#ifndef GA_EMULATED_ELEM_H
#define GA_EMULATED_ELEM_H

#include "device/device.h"

extern void ga_emulated_elem(GaElemRequest *request);

#endif /* GA_EMULATED_ELEM_H */
