/*
 * clear.h
 *		GA_CLEAR: removing resident arrays for sessions.
 */
#ifndef GA_CLEAR_H
#define GA_CLEAR_H

#include "session.h"

extern GaStatus ga_clear_start(GaSession *session, uint32_t relation,
							   GaDeviceFailure *failure);
extern void ga_clear_step(void);
extern int ga_clear_timeout_ms(void);
extern bool ga_clear_is_running(void);

#endif /* GA_CLEAR_H */
