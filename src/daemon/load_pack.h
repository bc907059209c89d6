/*
 * load_pack.h
 *		Packing of arrays whose last segment was loaded.
 */
#ifndef GA_LOAD_PACK_H
#define GA_LOAD_PACK_H

#include "request.h"

extern GaStatus ga_pack_advance(GaActiveRequest *active,
								GaDeviceFailure *failure);
extern bool ga_pack_forgives(GaActiveRequest *active, GaStatus status,
							 const GaDeviceFailure *failure);
extern void ga_pack_end(GaActiveRequest *active);

#endif /* GA_LOAD_PACK_H */
