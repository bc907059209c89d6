/*
 * dispatch.h
 *		Begins each request of the protocol.
 */
#ifndef GA_DISPATCH_H
#define GA_DISPATCH_H

#include "session.h"

extern void ga_dispatch(GaSession *session, GaQueuedRequest *queued);

#endif /* GA_DISPATCH_H */
