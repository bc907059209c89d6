/*
 * request_coalesce.h
 *		Requests of several sessions, submitted to the device as one.
 */
#ifndef GA_REQUEST_COALESCE_H
#define GA_REQUEST_COALESCE_H

#include "request.h"

extern void ga_coalesce_init(GaActiveRequest *active);
extern bool ga_coalesce(GaActiveRequest *active);
extern void ga_coalesce_flush(void);
extern void ga_coalesce_finish_members(GaActiveRequest *primary);

#endif /* GA_REQUEST_COALESCE_H */
