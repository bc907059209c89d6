/*
 * cumsum.h
 *		The running totals of an array argument, one after another.
 */
#ifndef GA_CUMSUM_H
#define GA_CUMSUM_H

#include "fmgr.h"

#include "extension/input/array.h"
#include "engine_totals.h"

/* A total, by the type of the elements. */
typedef union GaTotal
{
	float4 float4;
	float8 float8;
	int64 int8;		/* of smallint and integer */
	GaInt128 int16; /* of bigint, to be numeric */
} GaTotal;

/*
 * Running totals that are being read.  They are computed some hundreds at a
 * time; an overflow is reported when the reader comes to its total.
 */
typedef struct GaCumsum
{
	GaArray array;
	MemoryContext context; /* the reader's */
	bool exclusive;
	int first;		   /* index of the first item ... */
	int end;		   /* ... and behind the last one */
	int item;		   /* index of the next one */
	bool has_total;	   /* was there an element that is not NULL? */
	GaTotal total;	   /* of all items so far, and of the start */
	bool is_start_out; /* the total is the start's, and out of range */

	GaTotalsState totals; /* its sum is ahead of total */

	/* the run of elements at hand, and totals of its next ones */
	const char *run; /* NULL: see ga_totals_next_run */
	int n_run;
	int n_ready;
	int next_ready;
	bool overflow; /* of the total after the last that is ready */
	int capacity;  /* how many can be ready at once */
	GaTotal *many; /* their memory, if the device computes; or NULL */
	union
	{
		float4 float4[GA_GATHER];
		float8 float8[GA_GATHER];
		int64 int8[GA_GATHER];
		GaInt128 int16[GA_GATHER];
	} few;
} GaCumsum;

extern bool ga_cumsum_has_null(FunctionCallInfo fcinfo);
extern void ga_cumsum_open(GaCumsum *cumsum, FunctionCallInfo fcinfo,
						   GaElementType type);
extern bool ga_cumsum_next(GaCumsum *cumsum, bool *is_null);
extern Datum ga_cumsum_datum(const GaCumsum *cumsum);
extern GaTotal ga_total_at(const void *totals, int i, GaElementType type);
extern Datum ga_total_datum(GaTotal total, GaElementType type);
extern void ga_cumsum_close(GaCumsum *cumsum);

/* Return the type that names the range of totals, for reporting overflow. */
static inline GaElementType
ga_total_type(GaElementType type)
{
	return ga_element_is_float(type) ? type : GA_int8;
}

#endif /* GA_CUMSUM_H */
