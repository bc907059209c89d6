/*
 * wait_event.h
 *		Names of what gpuagg waits for, as pg_stat_activity shows them.
 */
#ifndef GA_WAIT_EVENT_H
#define GA_WAIT_EVENT_H

typedef enum GaWaitEvent
{
	GA_WAIT_START = 0, /* a session, for gpuaggd to start */
	GA_WAIT_ANSWER,	   /* a session, for gpuaggd: a lease, a view */
	GA_WAIT_DEVICE,	   /* a session, for a device to answer a request */
	GA_WAIT_CLEAR,	   /* a session, for resident arrays to be removed */
	GA_WAIT_LOCK,	   /* a supervisor, for the one before it to end */
	GA_WAIT_MAIN,	   /* the supervisor, in its main loop */
	GA_N_WAIT_EVENTS
} GaWaitEvent;

extern uint32 ga_wait_event(GaWaitEvent event);

#endif /* GA_WAIT_EVENT_H */
