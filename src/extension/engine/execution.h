/*
 * execution.h
 *		The execution of a query that is running, by a number.
 */
#ifndef GA_EXECUTION_H
#define GA_EXECUTION_H

#include "nodes/execnodes.h"

extern void ga_execution_init(void);
extern uint64 ga_execution_id(void);
extern void ga_execution_join(uint64 id);
extern PlanState *ga_execution_plan(void);

#endif /* GA_EXECUTION_H */
