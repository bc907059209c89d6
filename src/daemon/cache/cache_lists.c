/*
 * cache_lists.c
 *		The lists of a cache's entries, by relation and by extent.
 *
 * Called by cache_entries.c.
 */
#include "cache_lists.h"

/*
 * Steps that the search for a place may take for each entry, on average, and at
 * most.
 */
#define STEPS_PER_ENTRY 16
#define MOST_STEPS		16384

/* Insert an entry into a list, behind the one of a number; 0: as the first. */
static void
insert_behind(GaCache *cache, GaEntryList *list, uint32_t prev, GaEntry *entry,
			  GaEntryListKind kind)
{
	const uint32_t number = ga_pool_number(&cache->entries, entry);
	uint32_t *from_prev = prev == 0 ?
							  &list->first :
							  &ga_cache_entry(cache, prev)->links[kind].next;
	uint32_t *from_next =
		*from_prev == 0 ? &list->last :
						  &ga_cache_entry(cache, *from_prev)->links[kind].prev;

	entry->links[kind] = (GaEntryLink){.next = *from_prev, .prev = prev};
	*from_prev = *from_next = number;
}

/* Append an entry to the list of its extent. */
void
ga_lists_enter_extent(GaCache *cache, GaExtent *extent, GaEntry *entry)
{
	insert_behind(cache, &extent->entries, extent->entries.last, entry,
				  GA_IN_EXTENT);
}

/* Find a session among those that make entries of a relation, or add it. */
static GaMaker *
find_maker(GaRelation *relation, const GaCacheClient *client)
{
	uint32_t i;

	for (i = 0; i < GA_MAKERS; i++)
	{
		if (relation->makers[i].client == client)
			return &relation->makers[i];
	}
	return &relation->makers[relation->next_maker++ % GA_MAKERS];
}

/*
 * Return the last entry of a session whose value id is nearest to one; 0: there
 * is none.
 */
static uint32_t
find_nearest(const GaRelation *relation, uint32_t value_id)
{
	const GaMaker *nearest = NULL;
	uint32_t least = UINT32_MAX;
	uint32_t i;

	for (i = 0; i < GA_MAKERS; i++)
	{
		const GaMaker *maker = &relation->makers[i];
		const uint32_t distance = maker->value_id > value_id ?
									  maker->value_id - value_id :
									  value_id - maker->value_id;

		if (maker->last == 0 || distance >= least)
			continue;
		nearest = maker;
		least = distance;
	}
	return nearest == NULL ? 0 : nearest->last;
}

/*
 * Return the entry behind which one belongs by its value id, 0 being the first
 * place; or one on the way there, if it is too far from where sessions are.
 */
static uint32_t
find_place(const GaCache *cache, GaRelation *relation, uint32_t value_id)
{
	uint32_t place = find_nearest(relation, value_id);

	relation->n_steps += STEPS_PER_ENTRY;
	if (relation->n_steps > MOST_STEPS)
		relation->n_steps = MOST_STEPS;
	for (; place != 0 && relation->n_steps > 0; relation->n_steps--)
	{
		const GaEntry *entry = ga_cache_entry(cache, place);

		if (entry->value_id < value_id)
			break;
		place = entry->links[GA_IN_RELATION].prev;
	}
	for (; relation->n_steps > 0; relation->n_steps--)
	{
		const uint32_t next =
			place == 0 ?
				relation->entries.first :
				ga_cache_entry(cache, place)->links[GA_IN_RELATION].next;

		if (next == 0 || ga_cache_entry(cache, next)->value_id > value_id)
			break;
		place = next;
	}
	return place;
}

/*
 * Insert an entry that a session makes into the list of its relation, which
 * tells what a query comes to next (ahead.c).  Rows that were inserted one
 * after the other have ascending value ids.  Each of a query's processes loads
 * parts of the rows, so the place is near what one of them made last, but where
 * a part begins.
 */
void
ga_lists_enter_relation(GaCache *cache, GaRelation *relation, GaEntry *entry,
						const GaCacheClient *client)
{
	insert_behind(cache, &relation->entries,
				  find_place(cache, relation, entry->value_id), entry,
				  GA_IN_RELATION);
	*find_maker(relation, client) = (GaMaker){
		client, ga_pool_number(&cache->entries, entry), entry->value_id};
}

/* Remove an entry from a list that it is in. */
static void
unlink_entry(GaCache *cache, GaEntryList *list, GaEntry *entry,
			 GaEntryListKind kind)
{
	const GaEntryLink link = entry->links[kind];

	if (link.prev != 0)
		ga_cache_entry(cache, link.prev)->links[kind].next = link.next;
	else
		list->first = link.next;
	if (link.next != 0)
		ga_cache_entry(cache, link.next)->links[kind].prev = link.prev;
	else
		list->last = link.prev;
}

/* Remove an entry from the list of its extent. */
void
ga_lists_leave_extent(GaCache *cache, GaExtent *extent, GaEntry *entry)
{
	unlink_entry(cache, &extent->entries, entry, GA_IN_EXTENT);
}

/*
 * Remove an entry from the list of its relation.  If a session made it last,
 * that is the one before it from now on.
 */
void
ga_lists_leave_relation(GaCache *cache, GaRelation *relation, GaEntry *entry)
{
	const uint32_t number = ga_pool_number(&cache->entries, entry);
	const uint32_t prev = entry->links[GA_IN_RELATION].prev;
	uint32_t i;

	for (i = 0; i < GA_MAKERS; i++)
	{
		GaMaker *maker = &relation->makers[i];

		if (maker->last != number)
			continue;
		maker->last = prev;
		if (prev != 0)
			maker->value_id = ga_cache_entry(cache, prev)->value_id;
	}
	unlink_entry(cache, &relation->entries, entry, GA_IN_RELATION);
}
