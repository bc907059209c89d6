/*
 * read_later.h
 *		Stored arrays that can be read as long as a query runs.
 */
#ifndef GA_READ_LATER_H
#define GA_READ_LATER_H

#include "nodes/execnodes.h"

extern bool ga_may_read_later(const EState *estate, Datum array);

#endif /* GA_READ_LATER_H */
