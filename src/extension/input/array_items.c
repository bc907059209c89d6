/*
 * array_items.c
 *		The items of an array, or of a part of it, one after another.
 *
 * Functions of positions need NULLs at their places, and some need the items
 * before: a window, or the last one.  Runs (array.h) have neither.
 *
 * Owns a GaItems from ga_items_open() to ga_items_close(); its memory is in the
 * caller's context.  The buffer has the history and a batch, and twice the
 * history at most, so that items are moved seldom; never more than all items.
 */
#include "postgres.h"
#include "utils/memutils.h"

#include "array_items.h"
#include "extension/element_datum.h"

/* Return the shape of an array; what it does not use is zero. */
GaArrayShape
ga_shape_of(const GaArray *array)
{
	GaArrayShape shape = {.n_items = array->n_items};

	if (array->n_items == 0)
		return shape;
	shape.n_dims = array->n_dims;
	memcpy(shape.dims, array->dims, sizeof(int) * array->n_dims);
	memcpy(shape.lower_bounds, array->lower_bounds,
		   sizeof(int) * array->n_dims);
	return shape;
}

/* Return the shape of n items in one dimension, as ga_shape_of() would. */
GaArrayShape
ga_shape_line(int n_items)
{
	GaArrayShape shape = {.n_items = n_items};

	if (n_items == 0)
		return shape;
	shape.n_dims = 1;
	shape.dims[0] = n_items;
	shape.lower_bounds[0] = 1;
	return shape;
}

/*
 * Begin to read an array argument, or a part of it, as ga_array_open_in() does.
 * No history is kept.
 */
void
ga_items_open(GaItems *items, Datum array, GaElementType type,
			  const GaPart *part)
{
	items->relation = (GaToastRelation) GA_TOAST_CLOSED;
	ga_array_open_part(&items->array, array, type, part ? *part : GA_WHOLE,
					   &items->relation);
	items->first = items->array.next;
	items->n_not_null = ga_array_n_selected(&items->array);
	if (part != NULL)
		ga_array_reshape(&items->array);
	items->shape = ga_shape_of(&items->array);
	items->next = 0;
	items->n_run = 0;
	items->buffer = NULL;
	items->history = 0;
	items->items = NULL;
	if (items->array.data != NULL && !ga_items_may_have_nulls(items))
		items->items = items->array.data + items->first * ga_element_size(type);
}

/*
 * Have so many items before a batch stay in memory, as far as there are so
 * many, and have NULLs be read as another element.  To be called before the
 * first batch.
 */
void
ga_items_keep(GaItems *items, int history, const void *null_as)
{
	Assert(items->next == 0 && history >= 0);
	items->history = Min(history, items->shape.n_items);
	memcpy(items->null_as.bytes, null_as, ga_element_size(items->array.type));
}

/* Make room in the buffer for a batch, with the history before it. */
static void
make_room(GaItems *items)
{
	const Size size = ga_element_size(items->array.type);
	const Size history = Min((Size) items->history, items->n_buffered);

	if (items->buffer == NULL)
	{
		items->capacity = Min(2 * (Size) items->history + GA_BATCH_ITEMS,
							  (Size) items->shape.n_items);
		items->buffer = MemoryContextAllocHuge(CurrentMemoryContext,
											   items->capacity * size);
		items->n_buffered = 0;
		return;
	}
	if (items->capacity == (Size) items->shape.n_items ||
		items->capacity - items->n_buffered >= GA_BATCH_ITEMS)
		return;
	memmove(items->buffer, items->buffer + (items->n_buffered - history) * size,
			history * size);
	items->n_buffered = history;
}

/* Copy n elements that are not NULL, of which there are so many. */
static void
copy_elements(GaItems *items, int n, char *to)
{
	const Size size = ga_element_size(items->array.type);

	while (n > 0)
	{
		int n_here;

		if (items->n_run == 0)
		{
			const void *run;

			items->n_run = ga_array_next_run(&items->array, &run);
			items->run = run;
			Assert(items->n_run > 0);
		}
		n_here = Min(n, items->n_run);
		memcpy(to, items->run, n_here * size);
		items->run += n_here * size;
		items->n_run -= n_here;
		to += n_here * size;
		n -= n_here;
	}
}

/* Copy the next n items, NULLs as the element that stands for them. */
static void
copy_items(GaItems *items, int n, char *to)
{
	const Size size = ga_element_size(items->array.type);
	int i, end;

	if (!ga_items_may_have_nulls(items))
	{
		copy_elements(items, n, to);
		return;
	}
	for (i = 0; i < n; i = end)
	{
		const bool is_null = ga_items_is_null(items, items->next + i);

		for (end = i + 1; end < n; end++)
		{
			if (ga_items_is_null(items, items->next + end) != is_null)
				break;
		}
		if (!is_null)
			copy_elements(items, end - i, to + i * size);
		else
		{
			for (; i < end; i++)
				memcpy(to + i * size, items->null_as.bytes, size);
		}
	}
}

/*
 * Return the number of items in the next batch, of so many and GA_BATCH_ITEMS
 * at most; 0 behind the last one.  They are at *batch, maybe unaligned, and the
 * history is before them, as far as there is one.  Valid until the next call.
 */
int
ga_items_next(GaItems *items, int most, const char **batch)
{
	const Size size = ga_element_size(items->array.type);
	const int n =
		Min(Min(most, GA_BATCH_ITEMS), items->shape.n_items - items->next);
	char *to;

	if (n == 0)
		return 0;
	if (items->items != NULL)
		*batch = items->items + items->next * size;
	else
	{
		make_room(items);
		to = items->buffer + items->n_buffered * size;
		copy_items(items, n, to);
		items->n_buffered += n;
		*batch = to;
	}
	items->next += n;
	return n;
}

/* Free the memory of reading. */
void
ga_items_close(GaItems *items)
{
	ga_array_close(&items->array);
	ga_toast_close(&items->relation);
	if (items->buffer != NULL)
		pfree(items->buffer);
}
