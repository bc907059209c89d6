/*
 * health.h
 *		Watching gpuaggd, and keeping sessions from waiting for a hung one.
 */
#ifndef GA_HEALTH_H
#define GA_HEALTH_H

#include "daemon_process.h"
#include "heartbeat.h"

/* What a look at gpuaggd found. */
typedef enum GaHealthChange
{
	GA_HEALTH_SAME = 0,
	GA_HEALTH_SILENT, /* it does not answer: sessions avoid it from now on */
	GA_HEALTH_BACK,	  /* it answers again */
	GA_HEALTH_HUNG,	  /* it has to be ended */
	GA_HEALTH_CUT_OFF /* its socket was removed: no session can reach it */
} GaHealthChange;

extern void ga_health_reset(void);
extern GaHealthChange ga_health_look(const GaDaemonProcess *daemon);
extern bool ga_health_has_unread(void);

#endif /* GA_HEALTH_H */
