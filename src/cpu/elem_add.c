/*
 * elem_add.c
 *		Adding arrays to sums position by position, by the CPU engine.
 *
 * Called by backends and by tests.  Keeps no state but the sums.
 */
#include "elem_add.h"

/* Floats that are looked at when the vectors do not fit. */
#define GROUP 32

/* Prepare the levels of a block for elements from a position on. */
static void
prepare_levels(GaElemLevels *levels, const GaElemBlock *block, int at, int by)
{
	int k;

	levels->n_levels = block->n_hot;
	levels->flip = by < 0 ? GA_FLOAT8_SIGN : 0;
	for (k = 0; k < block->n_hot; k++)
	{
		const int plane = block->hot + block->n_hot - 1 - k;

		levels->anchor[k] = ga_scale_anchor(
			block->place + plane * GA_ELEM_DIGIT + GA_SCALE_LEAST);
		levels->words[k] = block->words + plane * block->n + at;
	}
}

/* Add floats by vectors; returns how many. */
static int
add_vectors(const GaCpuEngine *cpu, GaElemSum *sum, GaElemBlock *block, int at,
			const char *data, int n, int by)
{
	GaElemLevels levels;
	int done;

	if (block->n_hot == 0)
		return 0;
	prepare_levels(&levels, block, at, by);
	done = (int) (sum->type == GA_float4 ?
					  cpu->elem.add_float4(&levels, data, (size_t) n) :
					  cpu->elem.add_float8(&levels, data, (size_t) n));
	if (levels.has_neg_zero)
		ga_elem_count_neg_zeros(sum, block, at, data, done, by);
	return done;
}

/* Add floats of any exponent by digits; returns how many. */
static int
add_digits(const GaCpuEngine *cpu, GaElemSum *sum, GaElemBlock *block, int at,
		   const char *data, int n, int by)
{
	GaElemDigits digits = {.words = block->words + at,
						   .stride = block->n,
						   .place = block->place,
						   .n_planes = block->n_planes,
						   .flip = by < 0 ? GA_FLOAT8_SIGN : 0};
	int done;

	if (block->n_planes == 0)
		return 0;
	done = (int) (sum->type == GA_float4 ?
					  cpu->elem.digits_float4(&digits, data, (size_t) n) :
					  cpu->elem.digits_float8(&digits, data, (size_t) n));
	if (digits.has_neg_zero)
		ga_elem_count_neg_zeros(sum, block, at, data, done, by);
	return done;
}

/*
 * Are the exponents of a block so far apart that vectors were of no use?  They
 * are tried again after each carry.
 */
static bool
is_far_apart(const GaElemBlock *block)
{
	return block->n_hot == 0 && block->n_pending > 1;
}

static void
add_floats(const GaCpuEngine *cpu, GaElemSum *sum, GaElemBlock *block, int at,
		   const char *data, int n, int by)
{
	const size_t size = ga_element_size(sum->type);
	int tried = -1;
	int done = 0;

	for (;;)
	{
		const char *from = data + done * size;
		GaElemRange range;
		int group, n_added;

		if (is_far_apart(block))
			done += add_digits(cpu, sum, block, at + done, from, n - done, by);
		else
			done += add_vectors(cpu, sum, block, at + done, from, n - done, by);
		if (done == n)
			break;
		from = data + done * size;

		/* look at all that is there for a block's first levels */
		group = n - done;
		if (block->n_planes > 0 && group > GROUP)
			group = GROUP;
		range = ga_elem_range(sum->type, from, group);
		if (tried != done && !range.is_special &&
			ga_elem_aim(sum, block, &range))
		{
			tried = done;
			continue;
		}
		n_added = add_digits(cpu, sum, block, at + done, from, group, by);
		if (n_added < group)
			ga_elem_add_slowly(sum, block, at + done + n_added,
							   from + n_added * size, group - n_added, by,
							   &range);
		done += group;
		if (done == n)
			break;
	}
}

static void
add_ints(const GaCpuEngine *cpu, GaElemSum *sum, GaElemBlock *block, int at,
		 const char *data, int n, int by)
{
	const int n_planes = sum->type == GA_int8 ? 2 : 1;
	int64_t *low, *high;

	if (block->n_planes < n_planes)
		ga_elem_extend(sum, block, 0, n_planes - block->n_planes);
	low = block->words + at;
	high = n_planes > 1 ? low + block->n : NULL;
	if (sum->type == GA_int2)
		cpu->elem.add_int2(low, high, data, (size_t) n, by < 0 ? -1 : 0);
	else if (sum->type == GA_int4)
		cpu->elem.add_int4(low, high, data, (size_t) n, by < 0 ? -1 : 0);
	else
		cpu->elem.add_int8(low, high, data, (size_t) n, by < 0 ? -1 : 0);
}

/*
 * Add n elements to the positions from one on, or remove them (by = -1).  Data
 * may be unaligned; a NULL is a zero, not -0.  The caller counts the array and
 * the NULLs.
 */
void
ga_elem_add(const GaCpuEngine *cpu, GaElemSum *sum, size_t at, const void *data,
			size_t n, int by)
{
	const size_t size = ga_element_size(sum->type);
	const char *from = data;

	while (n > 0)
	{
		GaElemBlock *block = &sum->blocks[at / GA_ELEM_BLOCK];
		const int first = (int) (at % GA_ELEM_BLOCK);
		const int left = block->n - first;
		const int n_here = (size_t) left < n ? left : (int) n;

		if (block->n_pending >= GA_ELEM_MAX_PENDING)
			ga_elem_carry(sum, block);
		block->n_pending++;
		if (ga_element_is_float(sum->type))
			add_floats(cpu, sum, block, first, from, n_here, by);
		else
			add_ints(cpu, sum, block, first, from, n_here, by);
		from += n_here * size;
		at += (size_t) n_here;
		n -= (size_t) n_here;
	}
}

/* Count NULLs at the positions from one on; returns their number. */
size_t
ga_elem_add_nulls(GaElemSum *sum, size_t at, const bool *nulls, size_t n,
				  int by)
{
	size_t n_nulls = 0;

	while (n > 0)
	{
		GaElemBlock *block = &sum->blocks[at / GA_ELEM_BLOCK];
		const int first = (int) (at % GA_ELEM_BLOCK);
		const int left = block->n - first;
		const int n_here = (size_t) left < n ? left : (int) n;
		int64_t *counts;
		int i;

		if (memchr(nulls, true, (size_t) n_here) != NULL)
		{
			counts = ga_elem_counts(sum, block, GA_ELEM_NULLS) + first;
			for (i = 0; i < n_here; i++)
			{
				counts[i] += nulls[i] ? by : 0;
				n_nulls += nulls[i];
			}
		}
		nulls += n_here;
		at += (size_t) n_here;
		n -= (size_t) n_here;
	}
	return n_nulls;
}
