/*
 * moving_state.c
 *		A window that moves over an array, batch by batch.
 *
 * Items that are NULL are read as an element that changes nothing: -0 or 0 for
 * sums, the one of the lowest rank for extremes.  The number of others in the
 * window is counted, which tells where a result is NULL, and what to divide by.
 *
 * The caller owns the GaMovingCall.  Called by moving.c alone.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "exact/int_moving.h"
#include "extension/error.h"
#include "extension/settings.h"
#include "moving.h"

/* Items that are kept in memory until they leave, at most. */
#define MOST_KEPT_ITEMS (1 << 16)

static inline bool
is_extreme(const GaMovingCall *call)
{
	return call->kind == GA_MOVING_MIN || call->kind == GA_MOVING_MAX;
}

/* Are outputs integers that become numeric? */
bool
ga_moving_is_numeric(const GaMovingCall *call)
{
	return (call->kind == GA_MOVING_SUM && call->type == GA_int8) ||
		   (call->kind == GA_MOVING_AVG && !ga_element_is_float(call->type));
}

/* Return the bytes of an output of ga_moving_compute(). */
Size
ga_moving_size(const GaMovingCall *call)
{
	if (is_extreme(call))
		return ga_element_size(call->type);
	if (call->type == GA_int8)
		return sizeof(GaInt128);
	return call->type == GA_float4 && call->kind == GA_MOVING_SUM ?
			   sizeof(float4) :
			   sizeof(int64);
}

/* Store the element that a NULL is read as. */
static void
null_element(const GaMovingCall *call, void *to)
{
	if (is_extreme(call))
		ga_extreme_neutral(call->type, call->kind == GA_MOVING_MAX, to);
	else if (call->type == GA_float4)
		*(float4 *) to = -0.0f;
	else if (call->type == GA_float8)
		*(float8 *) to = -0.0;
	else
		*(int64 *) to = 0;
}

/* Begin with an empty window. */
static void
begin_state(GaMovingCall *call)
{
	const int n_items = call->items.shape.n_items;

	if (is_extreme(call))
	{
		Size bytes = (Size) call->window * ga_element_size(call->type);

		ga_moving_extreme_init(
			&call->state.extreme, call->type, call->kind == GA_MOVING_MAX,
			call->window,
			call->window < n_items ?
				MemoryContextAllocHuge(CurrentMemoryContext, bytes) :
				NULL);
	}
	else if (ga_element_is_float(call->type))
		ga_moving_init(&call->state.floats);
	else if (call->type == GA_int8)
		call->state.int16 = 0;
	else
		call->state.int8 = 0;
}

/*
 * Have what leaves a window of sums be read: it is kept in memory if the window
 * is short, and otherwise read from the array again, since new memory costs
 * more.  Extremes keep what they need.
 */
static void
begin_leaving(GaMovingCall *call, Datum array, const GaPart *part)
{
	const bool leaves =
		!is_extreme(call) && call->window < call->items.shape.n_items;
	double element;

	null_element(call, &element);
	call->reads_again =
		leaves && call->items.items == NULL && call->window > MOST_KEPT_ITEMS;
	if (call->reads_again)
	{
		ga_items_open(&call->again, array, call->type, part);
		ga_items_keep(&call->again, 0, &element);
	}
	ga_items_keep(&call->items, leaves && !call->reads_again ? call->window : 0,
				  &element);
}

/*
 * Begin to move a window over an array, or a part of it, in memory of the
 * current context.  Errors: 22023 for a negative number of items; as
 * ga_array_open.
 */
void
ga_moving_begin(GaMovingCall *call, GaMovingKind kind, Datum array,
				GaElementType type, int preceding, const GaPart *part)
{
	call->kind = kind;
	call->type = type;
	ga_items_open(&call->items, array, type, part);
	call->window = ga_moving_window(preceding, call->items.shape.n_items);
	call->may_have_nulls = ga_items_may_have_nulls(&call->items);
	call->n_not_null = 0;
	begin_leaving(call, array, part);
	begin_state(call);
}

/* Return the next batch of items, as ga_items_next() does. */
int
ga_moving_next(GaMovingCall *call, const char **batch)
{
	return ga_items_next(&call->items, GA_BATCH_ITEMS, batch);
}

/* Count what is not NULL in the windows of n items, from one on. */
static void
count(GaMovingCall *call, int from, int n)
{
	const GaItems *items = &call->items;
	int i;

	for (i = 0; i < n; i++)
	{
		const int leaving = from + i - call->window;

		call->n_not_null +=
			!call->may_have_nulls || !ga_items_is_null(items, from + i);
		if (leaving >= 0)
			call->n_not_null -=
				!call->may_have_nulls || !ga_items_is_null(items, leaving);
		call->counts[i] = call->n_not_null;
		call->divisors[i] = Max(call->n_not_null, 1);
	}
}

/* Move the window of extremes over n elements. */
static void
compute_extremes(GaMovingCall *call, const char *in, int n, char *out)
{
	const Size size = ga_element_size(call->type);
	Size done = 0;

	while (done < n)
	{
		CHECK_FOR_INTERRUPTS();
		done += ga_moving_extreme(&call->state.extreme, in + done * size,
								  n - done, out + done * size);
	}
}

/*
 * Move the window of sums over n elements; element i leaves from leaving + i,
 * or none does.  Errors: 22003.
 */
static void
compute_sums(GaMovingCall *call, const char *in, const char *leaving, int n,
			 const double *divisors, void *out)
{
	size_t n_out = n;

	switch (call->type)
	{
		case GA_float4:
			n_out = ga_cpu->moving_float4(&call->state.floats, in, leaving, n,
										  divisors, out);
			break;
		case GA_float8:
			n_out = ga_cpu->moving_float8(&call->state.floats, in, leaving, n,
										  divisors, out);
			break;
		case GA_int2:
			ga_int_moving_int2(&call->state.int8, in, leaving, n, out);
			break;
		case GA_int4:
			ga_int_moving_int4(&call->state.int8, in, leaving, n, out);
			break;
		default:
			ga_int_moving_int8(&call->state.int16, in, leaving, n, out);
			break;
	}
	if (n_out < n)
		ga_report(GA_OVERFLOW, call->type);
}

/* Return what leaves as the next n elements enter, which are at `entering`. */
static const char *
leaving(GaMovingCall *call, const char *entering, int n)
{
	const char *batch;

	if (!call->reads_again)
		return entering - call->window * ga_element_size(call->type);
	if (ga_items_next(&call->again, n, &batch) != n)
		Assert(false);
	return batch;
}

/*
 * Compute the outputs of the batch that was read last: totals or extremes, and
 * means of floats, in their own format.  Sets counts[] if there may be NULLs,
 * or for means.  Errors: 22003.
 */
void
ga_moving_compute(GaMovingCall *call, const char *batch, int n, void *out)
{
	const Size size = ga_element_size(call->type);
	const int from = call->items.next - n;
	const int n_growing = Max(Min(call->window - from, n), 0);
	const double *divisors = NULL;

	if (call->may_have_nulls || call->kind == GA_MOVING_AVG)
		count(call, from, n);
	if (is_extreme(call))
	{
		compute_extremes(call, batch, n, out);
		return;
	}
	if (call->kind == GA_MOVING_AVG && ga_element_is_float(call->type))
		divisors = call->divisors;
	if (n_growing > 0)
		compute_sums(call, batch, NULL, n_growing, divisors, out);
	if (n_growing < n)
	{
		batch += n_growing * size;
		compute_sums(call, batch, leaving(call, batch, n - n_growing),
					 n - n_growing,
					 divisors != NULL ? divisors + n_growing : NULL,
					 (char *) out + n_growing * ga_moving_size(call));
	}
}

/* Free the memory of reading and of the state. */
void
ga_moving_end(GaMovingCall *call)
{
	if (is_extreme(call) && call->state.extreme.section != NULL)
		pfree(call->state.extreme.section);
	ga_items_close(&call->items);
	if (call->reads_again)
		ga_items_close(&call->again);
}
