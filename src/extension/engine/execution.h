/*
 * execution.h
 *		The execution of a query that is running, by a number.
 */
#ifndef GA_EXECUTION_H
#define GA_EXECUTION_H

extern void ga_execution_init(void);
extern uint64 ga_execution_id(void);

#endif /* GA_EXECUTION_H */
