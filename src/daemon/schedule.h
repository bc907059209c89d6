/*
 * schedule.h
 *		When to look at which request that is on a device.
 */
#ifndef GA_SCHEDULE_H
#define GA_SCHEDULE_H

#include "request.h"

extern void ga_schedule_begin(GaActiveRequest *work);
extern void ga_schedule_notified(GaActiveRequest *work);
extern void ga_schedule_poll(void);
extern bool ga_schedule_is_busy(void);
extern int ga_schedule_timeout_ms(int64_t now_ns);

#endif /* GA_SCHEDULE_H */
