/*
 * emulated_window.h
 *		The emulated device's values of windows.
 */
#ifndef GA_EMULATED_WINDOW_H
#define GA_EMULATED_WINDOW_H

#include "device/device.h"

/* Returns false if there is no memory. */
extern bool ga_emulated_window(GaWindowRequest *request);

#endif /* GA_EMULATED_WINDOW_H */
