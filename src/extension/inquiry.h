/*
 * inquiry.h
 *		What views ask gpuaggd.
 */
#ifndef GA_INQUIRY_H
#define GA_INQUIRY_H

#include "protocol.h"

extern bool ga_inquire(const GaRequest *request, GaReply *reply);
extern int	ga_inquire_devices(GaDeviceRow **rows);
extern int64 ga_inquire_cache(GaCacheRow **rows);

#endif							/* GA_INQUIRY_H */
