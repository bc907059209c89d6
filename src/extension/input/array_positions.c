/*
 * array_positions.c
 *		Arrays as elements by position, with NULLs filled.
 *
 * For aggregates that match arrays position by position: their shapes have to
 * agree, and each position has an element.  Called by the states of such
 * aggregates; keeps nothing but in a GaPositions.
 */
#include "postgres.h"
#include "lib/stringinfo.h"

#include "array_positions.h"
#include "extension/error.h"
#include "extension/pg_compat.h"

/* Elements that are returned at a time: a millisecond of work, at most. */
#define MOST_ELEMENTS (1 << 20)

/* Return the shape of an array. */
void
ga_array_shape(const GaArray *array, GaArrayShape *shape)
{
	memset(shape, 0, sizeof(*shape));
	shape->n_items = array->n_items;
	if (array->n_items == 0)
		return;
	shape->n_dims = array->n_dims;
	memcpy(shape->dims, array->dims, sizeof(int) * array->n_dims);
	memcpy(shape->lower_bounds, array->lower_bounds,
		   sizeof(int) * array->n_dims);
}

/* Return a shape as array_dims() does. */
static char *
shape_text(const GaArrayShape *shape)
{
	StringInfoData text;
	int d;

	initStringInfo(&text);
	for (d = 0; d < shape->n_dims; d++)
		appendStringInfo(&text, "[%d:%d]", shape->lower_bounds[d],
						 shape->lower_bounds[d] + shape->dims[d] - 1);
	return shape->n_dims > 0 ? text.data : "none";
}

/* Check that shapes agree, as array_agg() does.  Errors: 2202E. */
void
ga_array_check_shape(const GaArrayShape *shape, const GaArrayShape *other)
{
	if (unlikely(memcmp(shape, other, sizeof(*shape)) != 0))
		ga_report_shapes(shape_text(shape), shape_text(other));
}

/* Begin to read an array of which nothing has been read yet. */
void
ga_positions_open(GaPositions *positions, GaArray *array, const void *fill)
{
	positions->array = array;
	positions->fill = fill;
	positions->at = 0;
	positions->n_run = 0;
}

/* Return elements of an array without NULLs, where they are. */
static int
next_plain(GaPositions *positions, const void **data)
{
	int n;

	if (positions->n_run == 0)
	{
		const void *run;

		positions->n_run = ga_array_next_run(positions->array, &run);
		positions->run = run;
	}
	n = Min(positions->n_run, MOST_ELEMENTS);
	*data = positions->run;
	positions->run += n * ga_element_size(positions->array->type);
	positions->n_run -= n;
	return n;
}

/* Return the next element that is not NULL. */
static const char *
next_element(GaPositions *positions)
{
	const char *element;

	if (positions->n_run == 0)
	{
		const void *run;

		positions->n_run = ga_array_next_run(positions->array, &run);
		if (positions->n_run == 0)
			ga_report_bad_array("It ends before its last element.");
		positions->run = run;
	}
	element = positions->run;
	positions->run += ga_element_size(positions->array->type);
	positions->n_run--;
	return element;
}

/* Return elements of an array that may have NULLs. */
static int
next_filled(GaPositions *positions, const void **data)
{
	const size_t size = ga_element_size(positions->array->type);
	const int n = Min(positions->array->n_items - positions->at, GA_FILL);
	char *to = positions->filled.bytes;
	int i;

	for (i = 0; i < n; i++, to += size)
	{
		positions->nulls[i] =
			ga_array_is_null(positions->array, positions->at + i);
		memcpy(to,
			   positions->nulls[i] ? positions->fill : next_element(positions),
			   size);
	}
	*data = positions->filled.bytes;
	return n;
}

/*
 * Give the elements of the next positions: of the type's C type, maybe
 * unaligned, valid until the next call; and which are NULL, or NULL if none
 * are.  Returns their number; 0 after the last.
 */
int
ga_positions_next(GaPositions *positions, const void **data, const bool **nulls)
{
	int n;

	if (ga_array_may_have_nulls(positions->array))
	{
		n = next_filled(positions, data);
		*nulls = positions->nulls;
	}
	else
	{
		n = next_plain(positions, data);
		*nulls = NULL;
	}
	positions->at += n;
	return n;
}
