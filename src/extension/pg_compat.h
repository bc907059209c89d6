/*
 * pg_compat.h
 *		What differs between the releases of PostgreSQL, 15 to 19.
 *
 * The only place for version guards.  Each has a note of what changed.
 */
#ifndef GA_PG_COMPAT_H
#define GA_PG_COMPAT_H

#if PG_VERSION_NUM < 150000
#error "gpuagg needs PostgreSQL 15 or later"
#endif

/* 16 moved the macros for TOAST and varlena headers out of postgres.h. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 18 has the word before the declaration, and not pg_attribute_noreturn(). */
#if PG_VERSION_NUM >= 180000
#define GA_NORETURN pg_noreturn
#else
#define GA_NORETURN pg_attribute_noreturn()
#endif

/* 18 lets a module tell its name and version. */
#if PG_VERSION_NUM >= 180000
#define GA_MODULE_MAGIC \
	PG_MODULE_MAGIC_EXT(.name = "gpuagg", .version = GA_VERSION)
#else
#define GA_MODULE_MAGIC PG_MODULE_MAGIC
#endif

/* 17 estimates an array's length by statistics, and needs the root for it. */
#if PG_VERSION_NUM >= 170000
#define ga_estimate_array_length(root, node) estimate_array_length(root, node)
#else
#define ga_estimate_array_length(root, node) \
	((void) (root), estimate_array_length(node))
#endif

/* 18 returns the snapshot of detoasting; before, the caller had the memory. */
#if PG_VERSION_NUM >= 180000
#define ga_toast_snapshot(memory) ((void) (memory), get_toast_snapshot())
#else
#define ga_toast_snapshot(memory) (init_toast_snapshot(memory), (memory))
#endif

/*
 * 18 counts index searches for EXPLAIN, where there is one.  19 takes flags of
 * the scan of the table.
 */
#if PG_VERSION_NUM >= 190000
#define ga_index_beginscan(table, index, snapshot, n_keys) \
	index_beginscan(table, index, snapshot, NULL, n_keys, 0, 0)
#elif PG_VERSION_NUM >= 180000
#define ga_index_beginscan(table, index, snapshot, n_keys) \
	index_beginscan(table, index, snapshot, NULL, n_keys, 0)
#else
#define ga_index_beginscan(table, index, snapshot, n_keys) \
	index_beginscan(table, index, snapshot, n_keys, 0)
#endif

/* 16 has one function for the rights on all kinds of objects. */
#if PG_VERSION_NUM >= 160000
#define ga_may_execute(function)                                 \
	(object_aclcheck(ProcedureRelationId, function, GetUserId(), \
					 ACL_EXECUTE) == ACLCHECK_OK)
#else
#define ga_may_execute(function) \
	(pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK)
#endif

/* 16 gave the place of a relation's file another name. */
#if PG_VERSION_NUM >= 160000
#define ga_relation_locator(relation) ((relation)->rd_locator)
#else
#define ga_relation_locator(relation) ((relation)->rd_node)
#endif

/* 19 counts the use of a buffer that ReadRecentBuffer() finds. */
#if PG_VERSION_NUM >= 190000
#define GA_RECENT_BUFFER_IS_COUNTED 1
#else
#define GA_RECENT_BUFFER_IS_COUNTED 0
#endif

/* 18 runs every plan but a cursor's once, and says so no more. */
#if PG_VERSION_NUM >= 180000
#define GA_EXECUTOR_RUN_ARGS   ScanDirection direction, uint64 count
#define GA_EXECUTOR_RUN_PASSED direction, count
#else
#define GA_EXECUTOR_RUN_ARGS \
	ScanDirection direction, uint64 count, bool execute_once
#define GA_EXECUTOR_RUN_PASSED direction, count, execute_once
#endif

/* 18 lets a module add options to EXPLAIN, and print them for each node. */
#if PG_VERSION_NUM >= 180000
#define GA_HAS_EXPLAIN_OPTIONS 1
#else
#define GA_HAS_EXPLAIN_OPTIONS 0
#endif

/*
 * 19 asks for a check of values in auto_explain.log_extension_options; it has
 * one for options that are on or off.
 */
#if PG_VERSION_NUM >= 190000
#define ga_add_explain_option(name, handler) \
	RegisterExtensionExplainOption(name, handler, GUCCheckBooleanExplainOption)
#else
#define ga_add_explain_option(name, handler) \
	RegisterExtensionExplainOption(name, handler)
#endif

/* 19 gave handlers of signals another argument, so SIG_IGN needs a cast. */
#if PG_VERSION_NUM >= 190000
#define GA_SIG_IGN PG_SIG_IGN
#else
#define GA_SIG_IGN SIG_IGN
#endif

/*
 * 19 has IGNORE NULLS for window functions, and a function that cannot do it
 * has to say so.  Errors: 0A000.
 */
#if PG_VERSION_NUM >= 190000
#define ga_window_refuse_ignore_nulls(window, fcinfo) \
	WinCheckAndInitializeNullTreatment(window, false, fcinfo)
#else
#define ga_window_refuse_ignore_nulls(window, fcinfo) ((void) 0)
#endif

/*
 * 16 has input functions return errors to a context, where there is one; the
 * caller of a macro here includes what the functions in it need, if every
 * release has it.
 */
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#define ga_soft_error_context(fcinfo)	((fcinfo)->context)
#define ga_soft_error_occurred(context) SOFT_ERROR_OCCURRED(context)
#define ga_ereturn(context, value, ...) ereturn(context, value, __VA_ARGS__)
#define ga_hex_decode(from, n, to, context) \
	hex_decode_safe(from, n, to, context)
#define ga_float8_in(string, type, context) \
	float8in_internal(string, NULL, type, string, context)
#else
#define ga_soft_error_context(fcinfo)		((void) (fcinfo), NULL)
#define ga_soft_error_occurred(context)		((void) (context), false)
#define ga_ereturn(context, value, ...)		ereport(ERROR, __VA_ARGS__)
#define ga_hex_decode(from, n, to, context) hex_decode(from, n, to)
#define ga_float8_in(string, type, context) \
	float8in_internal(string, NULL, type, string)
#endif

/* 19 asks a function for a subquery to have in FROM instead of its call. */
#if PG_VERSION_NUM >= 190000
#define GA_HAS_INLINE_IN_FROM 1
#else
#define GA_HAS_INLINE_IN_FROM 0
#endif

/* 17 has one form of name for the kinds of processes. */
#if PG_VERSION_NUM >= 170000
#define ga_is_autovacuum() AmAutoVacuumWorkerProcess()
#else
#include "postmaster/autovacuum.h"
#define ga_is_autovacuum() IsAutoVacuumWorkerProcess()
#endif

/* 17 lets a module name its wait events. */
#if PG_VERSION_NUM >= 170000
#define ga_wait_event_new(name) WaitEventExtensionNew(name)
#else
#define ga_wait_event_new(name) ((void) (name), PG_WAIT_EXTENSION)
#endif

/* 17 gave the counters of transactions and OIDs another name. */
#if PG_VERSION_NUM >= 170000
#define ga_transam_variables TransamVariables
#else
#define ga_transam_variables ShmemVariableCache
#endif

/* 16 lets a module find a setting; before, the settings are an array. */
#if PG_VERSION_NUM >= 160000
#define GA_HAS_FIND_OPTION 1
#else
#define GA_HAS_FIND_OPTION 0
#endif

#endif /* GA_PG_COMPAT_H */
