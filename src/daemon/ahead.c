/*
 * ahead.c
 *		The arrays that a session will come to.
 *
 * A function of one array in each row asks for one array at a time.  Its next
 * arrays are, mostly, those of the next rows (cache/cache_rows.c).  So a
 * session that expects to ask for more lets a request about one array have the
 * results of some of them, too, and takes these when it comes to them.
 *
 * Called by request_stored.c and request_window.c.
 */
#include "ahead.h"
#include "daemon/cache/cache_rows.h"

/* Elements of the arrays behind one, at most. */
#define MOST_ELEMENTS (UINT64_C(1) << 28)

/* Entries that are looked at for each array that is wanted. */
#define LOOKS 8

/*
 * Learn from a request's only entry which one it comes behind, if the session
 * says so.
 */
void
ga_ahead_learn(const GaActiveRequest *active, const GaStoredLookup *how)
{
	GaCache *cache = ga_cache_of(active->device);
	GaIdentity identity;
	GaEntry *previous;

	if (how->previous.relation == 0)
		return;
	identity = ga_cache_identity(&active->session->client, &how->previous);
	previous = ga_table_find(cache, &identity);
	if (previous != NULL)
		ga_rows_learn(cache, previous, active->entries[0]);
}

/*
 * Return the number of the entry that a request's other arrays begin with; 0:
 * there are none.
 */
static uint32_t
first_behind(const GaActiveRequest *active, const GaCache *cache, uint32_t own,
			 uint32_t behind)
{
	if (behind == 0)
		return ga_rows_next(cache, own);
	if (behind > GA_SLOTS)
		return 0;
	return ga_rows_kept(cache, active->session->ahead_ends[behind - 1],
						active->entries[0]->relation);
}

/*
 * Begin behind a request's only entry, or where another one ended, for arrays
 * of a type that its session looks up in a way.
 */
GaAheadWalk
ga_ahead_walk(const GaActiveRequest *active, GaElementType type,
			  const GaStoredLookup *how, GaAheadWanted wanted)
{
	GaCache *cache = ga_cache_of(active->device);
	const uint32_t own = ga_pool_number(&cache->entries, active->entries[0]);
	const uint32_t first = first_behind(active, cache, own, wanted.behind);

	return (GaAheadWalk){
		.cache = cache,
		.lookup = ga_request_lookup(active, type, how),
		.number = first,
		.own = own,
		.slow = first,
		.n_looks = LOOKS * (1 + ga_ahead_most(wanted)),
		.n_elements = MOST_ELEMENTS,
	};
}

/*
 * Go to the next row.  The walk ends where it comes back to its own array.
 * Where it goes round without that, it ends after some rounds: it meets a place
 * that moves half as fast.
 */
static void
advance(GaAheadWalk *walk)
{
	walk->number = ga_rows_next(walk->cache, walk->number);
	if (walk->n_steps++ % 2 == 1)
		walk->slow = ga_rows_next(walk->cache, walk->slow);
	if (walk->number == walk->slow || walk->number == walk->own)
		walk->number = 0;
}

/*
 * Return the next array with elements that a lookup would find, which is not
 * used yet; NULL if there is none, and then the walk's number is 0, or if it is
 * too large, or too far.
 */
GaEntry *
ga_ahead_next(GaAheadWalk *walk)
{
	for (; walk->number != 0 && walk->n_looks > 0; advance(walk))
	{
		GaEntry *entry = ga_cache_entry(walk->cache, walk->number);
		const bool is_found = entry->n > 0 &&
							  (!walk->only_lines || entry->is_line) &&
							  ga_cache_is_certain(&walk->lookup, entry);

		walk->n_looks--;
		if (is_found)
			return entry->n <= walk->n_elements ? entry : NULL;
	}
	return NULL;
}

/*
 * Have a request use the array that comes next, as one that it found, name it
 * for its session in a slot, and go on.  Its identity is not known any more
 * when it is removed before the answer.
 */
void
ga_ahead_use(GaActiveRequest *active, GaAheadWalk *walk, GaEntry *entry,
			 GaStoredRef *ref)
{
	const GaStoredRef found = {.is_missed = false};

	ga_cache_use(walk->cache, &walk->lookup, &found, entry);
	active->entries[active->n_entries++] = entry;
	*ref = (GaStoredRef){
		.key = ga_entry_identity(walk->cache, entry).key,
		.state = GA_STORED_RESIDENT,
		.n = entry->n,
	};
	walk->n_elements -= entry->n;
	advance(walk);
}

/*
 * A request has its other arrays: note where another one that is sent after it
 * goes on.  Returns true if there are none behind.
 */
bool
ga_ahead_end(const GaActiveRequest *active, const GaAheadWalk *walk)
{
	active->session->ahead_ends[active->request.slot] = walk->number;
	return walk->number == 0;
}
