/*
 * connect.h
 *		Connecting to gpuaggd, and having it started.
 */
#ifndef GA_CONNECT_H
#define GA_CONNECT_H

#include "extension/engine/reason.h"
#include "extension/supervisor/supervisor.h"

extern GaReason ga_connect(bool waits, int *fd, char *trouble,
						   Size trouble_bytes);
extern void ga_connect_failed(GaReason reason);
extern int ga_connect_if_up(void);
extern bool ga_connect_is_hung(void);
extern void ga_disconnect(int fd);

#endif /* GA_CONNECT_H */
