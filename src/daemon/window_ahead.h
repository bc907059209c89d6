/*
 * window_ahead.h
 *		Buckets of arrays that a session will come to.
 */
#ifndef GA_WINDOW_AHEAD_H
#define GA_WINDOW_AHEAD_H

#include "request.h"

extern void ga_window_add_ahead(GaActiveRequest *active);
extern void ga_window_name_ahead(GaActiveRequest *active);

#endif /* GA_WINDOW_AHEAD_H */
