/*
 * supervisor_lock.h
 *		The lock file: one supervisor at a time, and one gpuaggd.
 */
#ifndef GA_SUPERVISOR_LOCK_H
#define GA_SUPERVISOR_LOCK_H

extern int ga_supervisor_lock_open(void);
extern bool ga_supervisor_lock_try(int lock);
extern bool ga_supervisor_lock_try_daemon(int lock);
extern bool ga_supervisor_lock_wait_daemon(int lock);
extern bool ga_supervisor_lock_find(int *holder, char *trouble, size_t size);

#endif /* GA_SUPERVISOR_LOCK_H */
