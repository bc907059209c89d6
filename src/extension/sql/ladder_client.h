/*
 * ladder_client.h
 *		The rows of a ladder, from gpuaggd.
 */
#ifndef GA_LADDER_CLIENT_H
#define GA_LADDER_CLIENT_H

#include "ladder/ladder.h"

/* Takes a row; `to` is the caller's. */
typedef void (*GaTakeLadderRow)(const GaLadderRow *row, void *to);

extern void ga_ladder_fetch(const GaLadderCall *call, GaTakeLadderRow take,
							void *to);

#endif /* GA_LADDER_CLIENT_H */
