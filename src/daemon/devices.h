/*
 * devices.h
 *		The devices that are open.
 */
#ifndef GA_DEVICES_H
#define GA_DEVICES_H

#include "device/self_test.h"
#include "wire/protocol.h"

typedef struct GaOpenDevice
{
	const GaDeviceKind *kind;
	GaDevice *device;
	int ordinal;
	GaDeviceInfo info;		 /* as it was described last */
	GaReductionSet wrong;	 /* what it does not compute right */
	bool is_lost;			 /* it failed, and is not used any more */
	GaDeviceFailure failure; /* then */
} GaOpenDevice;

extern void ga_devices_open(void);
extern uint32_t ga_devices_count(void);
extern const GaOpenDevice *ga_devices_get(uint32_t i);
extern GaStatus ga_devices_describe(uint32_t i, GaDeviceFailure *failure);
extern void ga_devices_lose(const GaOpenDevice *device,
							const GaDeviceFailure *failure);
extern void ga_devices_set_wrong(const GaOpenDevice *device, int reduction);
extern uint64_t ga_devices_working(void);
extern const GaOpenDevice *ga_devices_next_lost(void);
extern void ga_devices_fill(uint32_t i, GaDeviceRow *row);

#endif /* GA_DEVICES_H */
