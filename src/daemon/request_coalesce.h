/*
 * request_coalesce.h
 *		Requests of several sessions, in one for the device.
 */
#ifndef GA_REQUEST_COALESCE_H
#define GA_REQUEST_COALESCE_H

#include "request.h"

extern bool ga_coalesce_takes(GaActiveRequest *work);
extern void ga_coalesce_add(GaActiveRequest *work);
extern void ga_coalesce_flush(void);
extern void ga_coalesce_share(GaActiveRequest *leader);

#endif /* GA_REQUEST_COALESCE_H */
