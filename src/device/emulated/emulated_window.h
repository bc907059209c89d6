/*
 * emulated_window.h
 *		The emulated device's values of windows.
 */
#ifndef GA_EMULATED_WINDOW_H
#define GA_EMULATED_WINDOW_H

#include "device/device.h"

extern void ga_emulated_window(GaWindowRequest *request);

#endif /* GA_EMULATED_WINDOW_H */
