/*
 * emulated_pack.h
 *		The emulated device's requests that survey and pack arrays.
 */
#ifndef GA_EMULATED_PACK_H
#define GA_EMULATED_PACK_H

#include "device/device.h"

extern void ga_emulated_survey(GaPackRequest *request);
extern void ga_emulated_pack(GaPackRequest *request);

#endif /* GA_EMULATED_PACK_H */
