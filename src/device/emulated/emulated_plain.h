/*
 * emulated_plain.h
 *		Plain copies of packed arrays, for the CPU engine.
 */
#ifndef GA_EMULATED_PLAIN_H
#define GA_EMULATED_PLAIN_H

#include "device/device.h"

typedef struct GaEmulatedPlain
{
	/* Those that were given, or a list with copies of the packed ones. */
	const GaDeviceArray *arrays;
	void *memory; /* of the list and the copies; or NULL */
} GaEmulatedPlain;

extern bool ga_emulated_make_plain(GaEmulatedPlain *plain, GaElementType type,
								   const GaDeviceArray *arrays, uint32_t n);
extern void ga_emulated_free_plain(GaEmulatedPlain *plain);

#endif /* GA_EMULATED_PLAIN_H */
