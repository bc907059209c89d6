/*
 * explain.h
 *		EXPLAIN (ANALYZE, GPUAGG), where servers let modules add options.
 */
#ifndef GA_EXPLAIN_H
#define GA_EXPLAIN_H

extern void ga_explain_init(void);

#endif /* GA_EXPLAIN_H */
