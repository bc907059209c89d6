/*
 * emulated_request.h
 *		Computing the requests of the emulated device by the CPU engine.
 */
#ifndef GA_EMULATED_REQUEST_H
#define GA_EMULATED_REQUEST_H

#include "device/device.h"

/* They return false if there is no memory. */
extern bool ga_emulated_sum(GaSumRequest *request);
extern bool ga_emulated_scan(GaScanRequest *request);

#endif /* GA_EMULATED_REQUEST_H */
