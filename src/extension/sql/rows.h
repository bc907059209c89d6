/*
 * rows.h
 *		The rows of a set-returning function with a fixed list of columns.
 */
#ifndef GA_ROWS_H
#define GA_ROWS_H

#include "postgres.h"
#include "fmgr.h"
#include "funcapi.h"

#include "extension/error.h"
#include "extension/pg_compat.h"

/*
 * Begin to return rows of so many columns; return where they go.  SQL objects
 * of another version than the library, between an upgrade of the files and
 * ALTER EXTENSION UPDATE, may have other columns: an error.
 */
static inline ReturnSetInfo *
ga_begin_rows(FunctionCallInfo fcinfo, int n_columns)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	if (result->setDesc->natts != n_columns)
		ga_report_other_version(GA_VERSION);
	return result;
}

/* Add a row. */
static inline void
ga_put_row(ReturnSetInfo *result, const Datum *values, const bool *nulls)
{
	tuplestore_putvalues(result->setResult, result->setDesc, (Datum *) values,
						 (bool *) nulls);
}

#endif /* GA_ROWS_H */
