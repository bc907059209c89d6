/*
 * caches.c
 *		The caches of all devices, one for each.
 *
 * Owns them; main.c opens them, once the devices are open.  Called by sessions
 * and by requests, to find the cache of a device, and by dispatch.c and
 * clear.c for what concerns all of them.
 */
#include "caches.h"
#include "daemon/exit.h"
#include "daemon/options.h"

static GaCache caches[GA_MAX_DEVICES];

/* Fill rows, up to a capacity; return how many relations there are. */
uint64_t
ga_caches_rows(GaCacheRow *rows, uint64_t capacity)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < ga_devices_count(); i++)
	{
		const GaRelation *relation;

		if (ga_devices_get(i)->is_lost)
			continue;
		LIST_FOREACH(relation, &caches[i].all_relations, next)
		{
			if (n < capacity)
				rows[n] = (GaCacheRow){
					.device = (uint32_t) ga_devices_get(i)->ordinal,
					.database = relation->database,
					.relation = relation->relation,
					.n_arrays = relation->n_entries,
					.n_bytes = relation->n_bytes,
					.n_packed_bytes = relation->n_packed_bytes,
					.n_hits = relation->n_hits,
					.used_us = relation->used_us,
				};
			n++;
		}
	}
	return n;
}

/* Fill in what is resident now, on all devices. */
void
ga_caches_fill(GaStatRow *row)
{
	uint32_t i;

	row->n_resident = row->cache_bytes = 0;
	row->n_cache_bytes = row->n_plain_bytes = row->n_page_bytes = 0;
	row->host_bytes = row->host_limit_bytes = 0;
	for (i = 0; i < ga_devices_count(); i++)
	{
		const GaPages *pages = &caches[i].extents.pages;

		if (ga_devices_get(i)->is_lost)
			continue;
		row->n_resident += caches[i].n_entries;
		row->n_cache_bytes += caches[i].n_packed_bytes;
		row->n_plain_bytes += caches[i].n_bytes;
		row->n_page_bytes += (pages->n_all - pages->n_free) * GA_PAGE_BYTES;
		row->host_bytes += caches[i].host.n_bytes;
		row->host_limit_bytes += caches[i].host.limit;
		row->cache_bytes +=
			(uint64_t) pages->max_slabs * pages->slab_pages * GA_PAGE_BYTES;
	}
}

/*
 * Return the bytes of a device's cache: of its budget, but no more than it has,
 * without request_bytes for requests, at most half of it.
 */
static uint64_t
cache_bytes(const GaDeviceInfo *info, uint64_t request_bytes)
{
	const uint64_t budget = info->budget_bytes < info->memory_bytes ?
								info->budget_bytes :
								info->memory_bytes;

	return budget - (request_bytes < budget / 2 ? request_bytes : budget / 2);
}

GaCache *
ga_cache_of(const GaOpenDevice *device)
{
	return &caches[device - ga_devices_get(0)];
}

/*
 * Open a cache for each device, of the memory that its requests leave;
 * load_ended is as in ga_cache_open().
 */
void
ga_caches_open(uint64_t request_bytes, void (*load_ended)(void))
{
	uint32_t i;

	for (i = 0; i < ga_devices_count(); i++)
	{
		const GaOpenDevice *device = ga_devices_get(i);

		if (!ga_cache_open(&caches[i], device,
						   cache_bytes(&device->info, request_bytes),
						   load_ended))
			ga_exit_fatal(GA_EXIT_NO_STAGING, "calloc: out of memory");
	}
}
