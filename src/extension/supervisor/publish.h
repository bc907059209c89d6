/*
 * publish.h
 *		What the supervisor lets sessions know about gpuaggd.
 */
#ifndef GA_PUBLISH_H
#define GA_PUBLISH_H

#include "daemon_status.h"

extern void ga_publish_init(void);
extern void ga_publish(GaDaemonState state, int daemon_pid, const char *reason);
extern void ga_publish_restart(int daemon_pid, bool has_failed);
extern void ga_publish_giving_up(const char *reason, bool is_absent);
extern void ga_publish_idle_end(void);
extern void ga_publish_retry(void);
extern long ga_publish_wait_ms(long ms);
extern bool ga_publish_is_done(void);
extern bool ga_publish_is_old_news(void);
extern void ga_publish_exit(void);

#endif /* GA_PUBLISH_H */
