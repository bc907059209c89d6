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
		int group;

		done += add_vectors(cpu, sum, block, at + done, from, n - done, by);
		if (done == n)
			break;
		from = data + done * size;

		/* look at all that is there for a block's first levels */
		group = n - done;
		if (block->n_planes > 0 && group > GROUP)
			group = GROUP;
		if (tried != done)
		{
			tried = done;
			range = ga_elem_range(sum->type, from, group);
			if (!range.is_special)
			{
				ga_elem_aim(sum, block, &range);
				if (block->n_hot > 0)
					continue;
			}
		}
		ga_elem_add_slowly(sum, block, at + done, from, group, by);
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

/* Count NULLs at the positions from one on. */
void
ga_elem_add_nulls(GaElemSum *sum, size_t at, const bool *nulls, size_t n,
				  int by)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		if (nulls[i])
			ga_elem_counts(sum, &sum->blocks[(at + i) / GA_ELEM_BLOCK],
						   GA_ELEM_NULLS)[(at + i) % GA_ELEM_BLOCK] += by;
	}
}
