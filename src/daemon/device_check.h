/*
 * device_check.h
 *		What every kind of device asks of a request, and how it tells why not.
 */
#ifndef GA_DEVICE_CHECK_H
#define GA_DEVICE_CHECK_H

#include "device.h"

extern void ga_device_failure(GaDeviceFailure *failure, const char *call,
							  const char *format,...)
			__attribute__((format(printf, 3, 4)));
extern size_t ga_scan_total_size(GaElementType type, GaScanTotals totals);
extern GaStatus ga_check_sum_request(const GaSumRequest *request,
									 GaDeviceFailure *failure);
extern GaStatus ga_check_scan_request(const GaScanRequest *request,
									  GaDeviceFailure *failure);

#endif							/* GA_DEVICE_CHECK_H */
