/*
 * toast_page.c
 *		Pages of a TOAST relation, in shared buffers.
 *
 * To find a page's buffer costs more than half of what it costs to copy the
 * page: the shared hash table is seldom in the processor's cache.  But pages
 * that were written or read one after another mostly lie in buffers one after
 * another.  So the buffer is tried first that is as far from the last one as
 * its page is.
 *
 * toast_read.c calls it.  A buffer is pinned for the caller, and released by
 * the resource owner after an error.  Takes no locks but the buffer manager's
 * own.
 */
#include "postgres.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/buf_internals.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "toast_page.h"

/* Buffers that are tried: a page of the index may be between two of a value. */
#define N_GUESSES 2

/* How far from the last page a buffer is guessed. */
#define MAX_DISTANCE 256

/* The most pages that are looked up after a wrong guess, until the next. */
#define MAX_SKIP 31

/*
 * Return the strategy for pages that have to be read from disk.  Those of a
 * large relation must not evict all others, by the rule of sequential scans.
 * The session has one ring, since a new one would begin with fresh buffers.
 */
static BufferAccessStrategy
get_strategy(GaToastRelation *relation)
{
	static BufferAccessStrategy ring = NULL;

	if (relation->has_strategy)
		return relation->strategy;
	relation->strategy = NULL;
	if (!RelationUsesLocalBuffers(relation->table) &&
		RelationGetNumberOfBlocks(relation->table) > NBuffers / 4)
	{
		if (ring == NULL)
		{
			MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);

			ring = GetAccessStrategy(BAS_BULKREAD);
			MemoryContextSwitchTo(caller);
		}
		relation->strategy = ring;
	}
	relation->has_strategy = true;
	return relation->strategy;
}

/*
 * Count the use of a pinned buffer, as the buffer manager does when it looks a
 * page up, so that the page stays.  Before 19 ReadRecentBuffer does not.  If
 * another process changes the buffer's state now, that counts as well.
 */
static void
count_use(Buffer buffer, bool in_ring)
{
#if !GA_RECENT_BUFFER_IS_COUNTED
	pg_atomic_uint32 *shared = &GetBufferDescriptor(buffer - 1)->state;
	uint32 state = pg_atomic_read_u32(shared);

	if ((state & BM_LOCKED) == 0 &&
		BUF_STATE_GET_USAGECOUNT(state) < (in_ring ? 1 : BM_MAX_USAGE_COUNT))
		(void) pg_atomic_compare_exchange_u32(shared, &state,
											  state + BUF_USAGECOUNT_ONE);
#endif
}

/* Pin the block, if it is in the buffer. */
static bool
pin_there(GaToastRelation *relation, BlockNumber block, Buffer buffer)
{
	if (!ReadRecentBuffer(ga_relation_locator(relation->table), MAIN_FORKNUM,
						  block, buffer))
		return false;
	pgstat_count_buffer_read(relation->table);
	pgstat_count_buffer_hit(relation->table);
	count_use(buffer, get_strategy(relation) != NULL);
	relation->last_buffer = buffer;
	return true;
}

/*
 * Pin the block, if it is not far behind the last one, or that one again, and
 * in one of the buffers that this says.  After wrong guesses in a row fewer
 * are made.
 */
static bool
pin_by_guess(GaToastRelation *relation, BlockNumber block)
{
	const BlockNumber distance = block - relation->last_block;
	Buffer first;
	Buffer buffer;

	if (relation->last_buffer <= 0 || block < relation->last_block ||
		distance > MAX_DISTANCE)
		return false;
	first = relation->last_buffer + (Buffer) distance;
	if (relation->n_skip > 0)
	{
		relation->n_skip--;
		return false;
	}
	for (buffer = first; buffer < first + N_GUESSES && buffer <= NBuffers;
		 buffer++)
	{
		if (pin_there(relation, block, buffer))
		{
			relation->n_wrong = 0;
			return true;
		}
	}
	relation->n_skip = relation->n_wrong;
	relation->n_wrong = Min(2 * relation->n_wrong + 1, MAX_SKIP);
	return false;
}

/* Return the buffer of a block that the relation has, pinned. */
Buffer
ga_toast_pin(GaToastRelation *relation, BlockNumber block)
{
	if (!pin_by_guess(relation, block))
		relation->last_buffer =
			ReadBufferExtended(relation->table, MAIN_FORKNUM, block, RBM_NORMAL,
							   get_strategy(relation));
	relation->last_block = block;
	return relation->last_buffer;
}
