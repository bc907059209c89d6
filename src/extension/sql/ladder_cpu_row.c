/*
 * ladder_cpu_row.c
 *		The serial loop that a ladder's tables compare with, timed.
 *
 * In this process, by one core, on the elements that the device has, too.  They
 * are made and kept ROOM at a time, far more than a core's own caches hold; so
 * the memory is bounded, and the loop reads it all the same.  The clock stands
 * still while they are made, and while totals are looked at.
 */
#include "postgres.h"
#include "miscadmin.h"
#include "portability/instr_time.h"

#include "ladder/ladder_cpu.h"
#include "ladder_row.h"

/* Elements at once, and between two looks for a cancellation. */
#define ROOM  (1 << 23)
#define PIECE (1 << 20)

/* Runs at most, since each may take a while. */
#define MOST_RUNS 5

typedef struct Measure
{
	const GaLadderCall *call;
	size_t size; /* bytes of an element, and of a total */
	size_t room; /* elements */
	char *in;
	char *out;		   /* of a scan */
	bool is_last;	   /* run, whose totals are looked at */
	GaLadderLoop loop; /* of this run */
	GaLadderLoop exact;
	double ms;
	double error;
	uint64 hash;
} Measure;

static bool
is_scan(const Measure *measure)
{
	return measure->call->ladder != GA_LADDER_REDUCE;
}

/*
 * Make the next m elements, from one on.  The place of totals is written to as
 * well, so that no run has to wait for its memory.
 */
static void
make_elements(Measure *measure, uint64 first, size_t m)
{
	size_t at;

	for (at = 0; at < m; at += PIECE)
	{
		size_t n = Min(PIECE, m - at);

		ga_ladder_fill(measure->call->type, first + at, n,
					   measure->in + at * measure->size);
		if (first == 0 && is_scan(measure))
			memset(measure->out + at * measure->size, 0, n * measure->size);
		CHECK_FOR_INTERRUPTS();
	}
}

/* n elements that are there, from one on. */
static void
run_piece(Measure *measure, size_t at, size_t n)
{
	char *in = measure->in + at * measure->size;
	char *out = is_scan(measure) ? measure->out + at * measure->size : NULL;
	instr_time start;
	instr_time end;

	INSTR_TIME_SET_CURRENT(start);
	ga_ladder_plain(&measure->loop, in, n, out);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	measure->ms += INSTR_TIME_GET_MILLISEC(end);

	if (is_scan(measure))
		measure->hash =
			ga_ladder_hash(measure->hash, measure->call->type, out, n);
	CHECK_FOR_INTERRUPTS();
	if (!measure->is_last)
		return;
	measure->error = ga_ladder_larger(
		measure->error, ga_ladder_error(&measure->exact, in, n, out));
	CHECK_FOR_INTERRUPTS();
}

/* All elements once.  They are there if all fit and it is not the first run. */
static void
run(Measure *measure, bool is_first)
{
	const GaLadderCall *call = measure->call;
	uint64 first;

	ga_ladder_begin(&measure->loop, call->ladder, call->type);
	measure->ms = 0;
	measure->hash = 0;
	for (first = 0; first < call->n; first += measure->room)
	{
		size_t m = Min(measure->room, call->n - first);
		size_t at;

		if (is_first || call->n > measure->room)
			make_elements(measure, first, m);
		for (at = 0; at < m; at += PIECE)
			run_piece(measure, at, Min(PIECE, m - at));
	}
	measure->hash =
		ga_ladder_hash(measure->hash, call->type, &measure->loop.total, 1);
}

/* All runs: the row is complete then. */
static void
run_all(Measure *measure, GaLadderRow *row)
{
	const GaLadderCall *call = measure->call;
	uint32 n_runs = Min(call->repeats, MOST_RUNS);
	double ms[MOST_RUNS];
	uint64 first_hash = 0;
	uint32 i;

	row->same_bits = true;
	for (i = 0; i < n_runs; i++)
	{
		measure->is_last = i == n_runs - 1;
		run(measure, i == 0);
		ms[i] = measure->ms;
		if (i == 0)
			first_hash = measure->hash;
		row->same_bits = row->same_bits && measure->hash == first_hash;
	}
	row->ms = ga_ladder_median(ms, n_runs);
	row->max_error = is_scan(measure) ?
						 measure->error :
						 ga_ladder_distance(call->type, &measure->loop.total,
											&measure->exact.total);
}

/* Time the serial loop.  Throws if the query is cancelled. */
void
ga_ladder_cpu_row(const GaLadderCall *call, GaLadderRow *row)
{
	Measure *measure = palloc0(sizeof(Measure));

	memset(row, 0, sizeof(*row));
	strlcpy(row->rung.name, "cpu", sizeof(row->rung.name));
	row->rung.passes = call->ladder == GA_LADDER_REDUCE ? 1 : 2;

	measure->call = call;
	measure->size = ga_element_size(call->type);
	measure->room = Min(call->n, ROOM);
	measure->in = palloc(measure->room * measure->size);
	if (is_scan(measure))
		measure->out = palloc(measure->room * measure->size);
	ga_ladder_begin(&measure->exact, call->ladder, call->type);
	run_all(measure, row);

	pfree(measure->in);
	if (measure->out != NULL)
		pfree(measure->out);
	pfree(measure);
}
