/*
 * server_counters.h
 *		The counters of all sessions, and those of a session's workers.
 */
#ifndef GA_SERVER_COUNTERS_H
#define GA_SERVER_COUNTERS_H

#include "counters.h"
#include "datatype/timestamp.h"

extern void ga_server_publish(const GaCounters *process);
extern void ga_server_add_workers(GaCounters *to);
extern TimestampTz ga_server_read(GaCounters *to);
extern void ga_server_reset(void);

/* What a session leaves for its workers: a number, or 0. */
extern bool ga_server_leave(uint32 number);
extern uint32 ga_server_left(void);

#endif /* GA_SERVER_COUNTERS_H */
