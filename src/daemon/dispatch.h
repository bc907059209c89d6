/*
 * dispatch.h
 *		Begins each request of the protocol.
 */
#ifndef GA_DISPATCH_H
#define GA_DISPATCH_H

#include "session.h"

extern void ga_dispatch(GaSession *session, const GaRequest *request);

#endif /* GA_DISPATCH_H */
