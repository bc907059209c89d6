/*
 * cache_rows.c
 *		Which array a query comes to after another one.
 *
 * Owns next_row of entries: the number of the entry of the next row, perhaps.
 * That is the one that the same session made next, since a session loads arrays
 * in the order of rows, mostly, whatever others load meanwhile: the processes
 * of a query load a part of the rows each.  Where a query came to another one
 * since, it is that.  The number may be that of a newer entry by now, which is
 * not the next row's, and does no harm.
 *
 * Called by cache_entries.c, daemon/ahead.c and daemon/request_stored.c.
 */
#include "cache_rows.h"

/*
 * Return an entry of a relation by a number that was kept; NULL if there is no
 * such entry any more.
 */
static GaEntry *
find_kept(const GaCache *cache, uint32_t number, uint32_t relation)
{
	GaEntry *entry;

	if (!ga_pool_has(&cache->entries, number))
		return NULL;
	entry = ga_cache_entry(cache, number);
	if (entry->relation != relation ||
		(entry->state != GA_ENTRY_LOADING && entry->state != GA_ENTRY_RESIDENT))
		return NULL;
	return entry;
}

/* Find what a session made last of a relation, or a place to note it. */
static GaMaker *
find_maker(GaCache *cache, const GaCacheClient *client, uint32_t relation)
{
	GaMaker *maker;
	uint32_t i;

	for (i = 0; i < GA_MAKERS; i++)
	{
		maker = &cache->makers[i];
		if (maker->client == client && maker->relation == relation)
			return maker;
	}
	maker = &cache->makers[cache->next_maker++ % GA_MAKERS];
	*maker = (GaMaker){client, relation, 0};
	return maker;
}

/* A session made an entry. */
void
ga_rows_made(GaCache *cache, const GaCacheClient *client, GaEntry *entry)
{
	GaMaker *maker = find_maker(cache, client, entry->relation);
	GaEntry *last = find_kept(cache, maker->last, entry->relation);

	if (last != NULL)
		ga_rows_learn(cache, last, entry);
	maker->last = ga_pool_number(&cache->entries, entry);
}

/*
 * A query came to an entry after another one.  One of another table is no next
 * row, as ga_rows_next() sees.
 */
void
ga_rows_learn(GaCache *cache, GaEntry *previous, const GaEntry *entry)
{
	if (previous != entry &&
		(previous->next_row == 0 ||
		 ga_cache_entry(cache, previous->next_row) != entry))
		previous->next_row = ga_pool_number(&cache->entries, entry);
}

/* Return a number that was kept if it is an entry's of a relation; else 0. */
uint32_t
ga_rows_kept(const GaCache *cache, uint32_t number, uint32_t relation)
{
	return find_kept(cache, number, relation) == NULL ? 0 : number;
}

/* Return the number of the entry after one; 0: none is known. */
uint32_t
ga_rows_next(const GaCache *cache, uint32_t number)
{
	const GaEntry *entry = ga_cache_entry(cache, number);

	return ga_rows_kept(cache, entry->next_row, entry->relation);
}
