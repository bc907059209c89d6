/*
 * emulated_request.h
 *		What the emulated device answers to requests, by the CPU code.
 */
#ifndef GA_EMULATED_REQUEST_H
#define GA_EMULATED_REQUEST_H

#include "device/device.h"

/* Addresses are pointers as integers. */
static inline void *
ga_emulated_pointer(GaDeviceAddress address)
{
	return (void *) (uintptr_t) address;
}

extern void ga_emulated_sum(GaSumRequest *request);
extern void ga_emulated_scan(GaScanRequest *request);

#endif /* GA_EMULATED_REQUEST_H */
