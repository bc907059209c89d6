/*
 * request_pool.h
 *		What requests are executed with, on each device.
 */
#ifndef GA_REQUEST_POOL_H
#define GA_REQUEST_POOL_H

#include "request.h"

extern void ga_request_pool_open(uint32_t n_most);
extern uint64_t ga_request_pool_bytes(void);
extern GaStatus ga_request_pool_take(const GaOpenDevice *device,
									 bool uses_memory, GaActiveRequest **active,
									 GaDeviceFailure *failure);
extern void ga_request_pool_put(GaActiveRequest *active);
extern void ga_request_pool_lose(void);
extern bool ga_request_pool_has_new(void);

#endif /* GA_REQUEST_POOL_H */
