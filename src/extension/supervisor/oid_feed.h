/*
 * oid_feed.h
 *		The supervisor's samples of the OID counter, for gpuaggd at rest.
 */
#ifndef GA_OID_FEED_H
#define GA_OID_FEED_H

#include "daemon_process.h"

extern void ga_oid_feed(const GaDaemonProcess *daemon, bool is_up);
extern long ga_oid_feed_wait_ms(void);

#endif /* GA_OID_FEED_H */
