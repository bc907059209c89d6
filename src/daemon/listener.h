/*
 * listener.h
 *		The socket on which gpuaggd accepts connections.
 */
#ifndef GA_LISTENER_H
#define GA_LISTENER_H

#include <stdint.h>

extern void ga_listener_open(const char *path);
extern void ga_listener_close(void);
extern void ga_listener_resume(void);
extern int ga_listener_timeout_ms(int64_t now_ns);

#endif /* GA_LISTENER_H */
