/*
 * window_ahead.c
 *		Buckets of arrays that a session will come to.
 *
 * A function of one array in each row asks for one array at a time.  Its next
 * arrays are, mostly, those that were loaded after this one from the same
 * relation.  So a session that has asked twice lets a request make the buckets
 * of some of them, too, and takes their values when it comes to them.
 *
 * The elements of all arrays are those of one array, one after the other: so
 * the buckets are right if the length of each but the last is a multiple of
 * their width.
 *
 * Called by request_window.c.
 */
#include "window_ahead.h"

/* Elements of all arrays of a request, at most. */
#define MOST_ELEMENTS (UINT32_C(1) << 26)

/* Entries that are looked at for each array that is wanted. */
#define LOOKS 4

/* Is a request for all buckets of its array? */
static bool
is_for_all(const GaActiveRequest *active)
{
	const GaRequest *request = &active->request;
	const GaWindows *windows = &request->u.window.windows;

	return windows->before == 0 && windows->size == windows->step &&
		   windows->n == active->entries[0]->n &&
		   request->u.window.n == ga_windows_count(windows);
}

/*
 * Add the arrays behind a request's own, as many as it wants, unless they have
 * too many elements or buckets.  It uses them as its own.
 */
void
ga_window_add_ahead(GaActiveRequest *active)
{
	const GaRequest *request = &active->request;
	const uint32_t width = request->u.window.windows.step;
	const uint32_t n_wanted = request->u.window.n_ahead < GA_WINDOW_AHEAD ?
								  request->u.window.n_ahead :
								  GA_WINDOW_AHEAD;
	const GaStoredRef found = {.is_missed = false};
	GaCache *cache = ga_cache_of(active->device);
	const GaEntry *last = active->entries[0];
	uint64_t n_elements = last->n;
	GaCacheLookup lookup;
	uint32_t number, i;

	if (n_wanted == 0 || !is_for_all(active))
		return;
	lookup = ga_request_lookup(active, (GaElementType) request->u.window.type,
							   &request->u.window.lookup);
	number = last->links[GA_IN_RELATION].next;
	for (i = 0; i < LOOKS * n_wanted && active->n_entries <= n_wanted &&
				number != 0 && last->n % width == 0;
		 i++)
	{
		GaEntry *entry = ga_cache_entry(cache, number);
		const uint32_t n = entry->n / width + (entry->n % width != 0);

		number = entry->links[GA_IN_RELATION].next;
		if (n == 0 || !entry->is_line || !ga_cache_is_certain(&lookup, entry))
			continue;
		n_elements += entry->n;
		if (n_elements > MOST_ELEMENTS ||
			n > ga_slot_windows((GaElemForm) request->u.window.form) -
					active->u.window.n_all)
			return;
		ga_cache_use(cache, &lookup, &found, entry);
		active->entries[active->n_entries++] = entry;
		active->u.window.n_all += n;
		last = entry;
	}
}

/* Name the arrays that were added, in the slot. */
void
ga_window_name_ahead(GaActiveRequest *active)
{
	const GaCache *cache = ga_cache_of(active->device);
	uint32_t i;

	for (i = 1; i < active->n_entries; i++)
		active->slot->refs[i - 1] = (GaStoredRef){
			.key = ga_entry_identity(cache, active->entries[i]).key,
			.state = GA_STORED_RESIDENT,
			.n = active->entries[i]->n,
		};
}
