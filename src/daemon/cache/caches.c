/*
 * caches.c
 *		The caches of all devices: one for each.
 */
#include "cache.h"
#include "daemon/exit.h"
#include "daemon/options.h"

static GaCache caches[GA_MAX_DEVICES];

/* Forget values of one relation, or of all.  Returns how many. */
static uint64_t
clear_cache(GaCache *cache, const GaIdentity *of)
{
	GaRelation *relation = LIST_FIRST(&cache->relations);
	uint64_t n = 0;

	while (relation != NULL)
	{
		GaRelation *next = LIST_NEXT(relation, next);

		if (of == NULL || (relation->relation == of->key.relation &&
						   relation->database == of->database &&
						   relation->database_xmin == of->database_xmin))
		{
			uint64_t left = relation->n_values;

			/* with its last value goes the record */
			for (n += left; left > 0; left--)
				ga_cache_remove(cache, TAILQ_FIRST(&relation->entries));
		}
		relation = next;
	}
	(void) ga_pages_trim(&cache->blocks.pages);
	return n;
}

/* The same on all devices. */
uint64_t
ga_caches_clear(const GaIdentity *of)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < ga_devices_count(); i++)
		n += clear_cache(&caches[i], of);
	return n;
}

/* All devices' values as rows; returns how many there are. */
uint64_t
ga_caches_rows(GaCacheRow *rows, uint64_t room)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < ga_devices_count(); i++)
	{
		const GaRelation *relation;

		LIST_FOREACH(relation, &caches[i].relations, next)
		{
			if (n < room)
				rows[n] = (GaCacheRow){
					.device = (uint32_t) ga_devices_get(i)->ordinal,
					.database = relation->database,
					.database_xmin = relation->database_xmin,
					.relation = relation->relation,
					.n_arrays = relation->n_values,
					.n_bytes = relation->n_bytes,
					.n_hits = relation->n_hits,
					.used_us = relation->used_us,
				};
			n++;
		}
	}
	return n;
}

/* How much there is now, of all devices. */
void
ga_caches_fill(GaStatRow *row)
{
	uint32_t i;

	row->n_resident = row->n_cache_bytes = row->cache_bytes = 0;
	for (i = 0; i < ga_devices_count(); i++)
	{
		const GaPages *pages = &caches[i].blocks.pages;

		row->n_resident += caches[i].n_values;
		row->n_cache_bytes += caches[i].n_bytes;
		row->cache_bytes +=
			(uint64_t) pages->max_slabs * pages->slab_pages * GA_PAGE_BYTES;
	}
}

/*
 * What windows may take of a device's budget, with their work: at most half of
 * it.
 */
uint64_t
ga_caches_spare(const GaOpenDevice *device, uint64_t n_leases)
{
	const uint64_t budget = device->info.budget_bytes;
	const uint64_t bytes = (n_leases / ga_devices_count() + 1) *
						   (GA_SLOT_BYTES + GA_DEVICE_WORK_BYTES);

	return bytes < budget / 2 ? bytes : budget / 2;
}

GaCache *
ga_cache_of(const GaOpenDevice *device)
{
	return &caches[device - ga_devices_get(0)];
}

/* At the start, once the devices are open. */
void
ga_caches_open(uint64_t n_leases)
{
	uint32_t i;

	for (i = 0; i < ga_devices_count(); i++)
	{
		const GaOpenDevice *device = ga_devices_get(i);

		if (!ga_cache_open(&caches[i], device,
						   device->info.budget_bytes -
							   ga_caches_spare(device, n_leases)))
			ga_exit_fatal(GA_EXIT_NO_STAGING, "calloc: out of memory");
	}
}
