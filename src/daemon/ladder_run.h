/*
 * ladder_run.h
 *		Running gpuagg-ladder for a session.
 */
#ifndef GA_LADDER_RUN_H
#define GA_LADDER_RUN_H

#include "ladder/ladder.h"
#include "session.h"

extern void ga_ladder_open(void);
extern bool ga_ladder_is_running(void);
extern GaStatus ga_ladder_start(GaSession *session, const GaLadderCall *call,
								GaDeviceFailure *failure);

#endif /* GA_LADDER_RUN_H */
