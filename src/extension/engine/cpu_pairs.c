/*
 * cpu_pairs.c
 *		Reductions of pairs of arrays by the CPU, position by position.
 *
 * Two arrays of the same dimensions are read at the same time.  Where neither
 * has NULLs, their runs are given as they come, cut at the shorter one; where
 * one has, the pairs without NULL are gathered.
 *
 * Called by the SQL functions, and for pairs that were noted.  Keeps nothing
 * between two calls; no relation stays open.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "extension/input/array.h"
#include "cpu_pairs.h"
#include "session_counters.h"

/*
 * Pairs that are added between two looks for a cancellation, at most: floats of
 * all exponents take some 20 ns each.
 */
#define CANCEL_PAIRS (1 << 18)

/* An array as a stream of elements that are not NULL. */
typedef struct Stream
{
	GaArray array;
	GaToastRelation relation;
	const char *next; /* in the run */
	int left;		  /* elements of the run */
} Stream;

/* The pairs of two streams, and what they are added to. */
typedef struct Pairs
{
	Stream x;
	Stream y;
	GaPairReduction add;
	void *state;
	GaElementType type;
	int64 n; /* pairs so far */
} Pairs;

static void
open_stream(Stream *stream, Datum value, GaElementType type)
{
	stream->relation = (GaToastRelation) GA_TOAST_CLOSED;
	stream->next = NULL;
	stream->left = 0;
	ga_array_open_in(&stream->array, value, type, &stream->relation);
}

static void
close_stream(Stream *stream)
{
	ga_array_close(&stream->array);
	ga_toast_close(&stream->relation);
}

/* Have a run of elements at hand; false behind the last one. */
static inline bool
fill_stream(Stream *stream)
{
	const void *run;

	if (stream->left == 0)
	{
		stream->left = ga_array_next_run(&stream->array, &run);
		stream->next = run;
	}
	return stream->left > 0;
}

static inline void
advance_stream(Stream *stream, GaElementType type, int n)
{
	stream->next += n * ga_element_size(type);
	stream->left -= n;
}

static void
add_pairs(Pairs *pairs, const void *x, const void *y, int n)
{
	CHECK_FOR_INTERRUPTS();
	pairs->state = pairs->add(pairs->state, pairs->type, x, y, n);
	pairs->n += n;
}

/* Add all pairs of arrays without NULLs. */
static void
add_plain(Pairs *pairs)
{
	while (fill_stream(&pairs->x) && fill_stream(&pairs->y))
	{
		const int n = Min(Min(pairs->x.left, pairs->y.left), CANCEL_PAIRS);

		add_pairs(pairs, pairs->x.next, pairs->y.next, n);
		advance_stream(&pairs->x, pairs->type, n);
		advance_stream(&pairs->y, pairs->type, n);
	}
}

/* Copy the next element to a place, or skip it if that is NULL. */
static inline void
take_element(Stream *stream, GaElementType type, char *to)
{
	if (!fill_stream(stream))
		return;
	if (to != NULL)
		memcpy(to, stream->next, ga_element_size(type));
	advance_stream(stream, type, 1);
}

/* Add the pairs of arrays of which one has NULLs. */
static void
add_with_nulls(Pairs *pairs)
{
	const size_t size = ga_element_size(pairs->type);
	char x[GA_GATHER * sizeof(int64)];
	char y[GA_GATHER * sizeof(int64)];
	int n = 0;
	int i;

	for (i = 0; i < pairs->x.array.n_items; i++)
	{
		const bool has_x = !ga_array_is_null(&pairs->x.array, i);
		const bool has_y = !ga_array_is_null(&pairs->y.array, i);
		const bool has_both = has_x && has_y;

		if (has_x)
			take_element(&pairs->x, pairs->type,
						 has_both ? x + n * size : NULL);
		if (has_y)
			take_element(&pairs->y, pairs->type,
						 has_both ? y + n * size : NULL);
		n += has_both;
		if (n == GA_GATHER)
		{
			add_pairs(pairs, x, y, n);
			n = 0;
		}
	}
	if (n > 0)
		add_pairs(pairs, x, y, n);
}

/*
 * Return why the device cannot add the pairs of two arrays, by their heads, or
 * GA_NO_REASON.  Errors: as ga_array_open, and 2202E if the dimensions
 * differ.
 */
GaReason
ga_pairs_reason(Datum x, Datum y, GaElementType type)
{
	GaReason reason = GA_NO_REASON;
	GaArray arrays[2];

	ga_array_open_items(&arrays[0], x, type, GA_WHOLE);
	ga_array_open_items(&arrays[1], y, type, GA_WHOLE);
	ga_array_check_pair(&arrays[0], &arrays[1]);
	if (arrays[0].n_items == 0)
		reason = GA_REASON_SMALL;
	else if (ga_array_may_have_nulls(&arrays[0]) ||
			 ga_array_may_have_nulls(&arrays[1]))
		reason = GA_REASON_NULLS;
	ga_array_close(&arrays[0]);
	ga_array_close(&arrays[1]);
	return reason;
}

/*
 * Add the pairs of two arrays to a state, and return the state, which may have
 * moved.  Pairs with a NULL are skipped.  Counts both arrays with the reason,
 * and for an aggregate node, unless its counters are NULL.  Errors: 2202E if
 * their dimensions differ; as ga_array_open; and if the query is cancelled.
 */
void *
ga_cpu_reduce_pairs(GaPairReduction add, void *state, GaElementType type,
					Datum x, Datum y, GaReason reason, GaCounters *counters)
{
	Pairs pairs;

	pairs.add = add;
	pairs.state = state;
	pairs.type = type;
	pairs.n = 0;
	open_stream(&pairs.x, x, type);
	open_stream(&pairs.y, y, type);
	ga_array_check_pair(&pairs.x.array, &pairs.y.array);
	if (ga_array_may_have_nulls(&pairs.x.array) ||
		ga_array_may_have_nulls(&pairs.y.array))
		add_with_nulls(&pairs);
	else
		add_plain(&pairs);
	close_stream(&pairs.x);
	close_stream(&pairs.y);
	ga_session_count(counters, reason, type, 2, 2 * pairs.n);
	return pairs.state;
}
