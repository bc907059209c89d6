/*
 * cache_pages.c
 *		Device memory for resident values, in pages.
 *
 * To allocate on a device takes long, and to free waits for all that it does.
 * So memory is taken in large slabs, as it is needed, and cut into pages
 * here.  A value takes any free pages; those that were freed together, or never
 * used, are neighbours most of the time, and make one extent.
 *
 * How much there may be is known from the start; the device may have less when
 * it is asked, for others use it, too.  Then there is that much for a while.
 */
#include <stdlib.h>

#include "cache_pages.h"
#include "device/clock.h"
#include "daemon/exit.h"
#include "daemon/log.h"

#define SEGMENT_BYTES (UINT64_C(256) << 20)
#define WORD_BITS	  64

/* When a device that had no more memory is asked again. */
#define RECOVER_NS (10000 * GA_NS_PER_MS)

/* Segments that a small budget is cut into. */
#define LEAST_SEGMENTS 16

static uint32_t
slab_words(const GaPages *pages)
{
	return (pages->slab_pages + WORD_BITS - 1) / WORD_BITS;
}

/* Begin with no memory, of which there may be so much.  False: no memory. */
bool
ga_pages_open(GaPages *pages, const GaOpenDevice *device, uint64_t n_bytes)
{
	uint64_t slab = n_bytes / LEAST_SEGMENTS;

	if (slab > SEGMENT_BYTES)
		slab = SEGMENT_BYTES;
	if (slab < GA_PAGE_BYTES)
		slab = GA_PAGE_BYTES;
	*pages = (GaPages){
		.device = device,
		.slab_pages = (uint32_t) (slab / GA_PAGE_BYTES),
	};
	pages->max_slabs =
		(uint32_t) (n_bytes / ((uint64_t) pages->slab_pages * GA_PAGE_BYTES));
	pages->most_slabs = pages->max_slabs;
	pages->slabs = calloc(pages->max_slabs + 1, sizeof(*pages->slabs));
	return pages->slabs != NULL;
}

/* The device has more memory again. */
void
ga_pages_recover(GaPages *pages)
{
	pages->max_slabs = pages->most_slabs;
}

/* How many pages there may be, of all slabs. */
uint64_t
ga_pages_limit(GaPages *pages)
{
	if (pages->max_slabs < pages->most_slabs &&
		ga_now_ns() >= pages->recover_ns)
		pages->max_slabs = pages->most_slabs;
	return (uint64_t) pages->max_slabs * pages->slab_pages;
}

static void
mark(GaSlab *slab, uint32_t page, uint32_t n, bool is_free)
{
	for (; n > 0; n--, page++)
	{
		uint64_t bit = UINT64_C(1) << page % WORD_BITS;

		if (is_free)
			slab->is_free[page / WORD_BITS] |= bit;
		else
			slab->is_free[page / WORD_BITS] &= ~bit;
	}
}

/* The number of a slab that has no memory. */
static uint32_t
unused_slab(const GaPages *pages)
{
	uint32_t i;

	for (i = 0; i < pages->n_slabs; i++)
	{
		if (pages->slabs[i].memory == 0)
			break;
	}
	return i;
}

/* One more slab, if there may be one, and the device has it. */
bool
ga_pages_grow(GaPages *pages)
{
	const GaOpenDevice *device = pages->device;
	uint32_t i = unused_slab(pages);
	GaSlab *slab = &pages->slabs[i];
	GaDeviceFailure failure = {.call = ""};
	GaStatus status;

	if (pages->n_all / pages->slab_pages >= pages->max_slabs)
		return false;
	if (slab->is_free == NULL)
		slab->is_free = calloc(slab_words(pages), sizeof(uint64_t));
	if (slab->is_free == NULL)
		return false;
	status = device->kind->allocate(
		device->device, (uint64_t) pages->slab_pages * GA_PAGE_BYTES,
		&slab->memory, &failure);
	if (status == GA_DEVICE_FAILED)
		ga_exit_lost(&failure);
	if (status != GA_OK)
	{
		slab->memory = 0;
		pages->max_slabs = (uint32_t) (pages->n_all / pages->slab_pages);
		pages->recover_ns = ga_now_ns() + RECOVER_NS;
		ga_log_warning("device %d: %llu MB for resident arrays, and no more: "
					   "%s: %s",
					   device->ordinal,
					   (unsigned long long) pages->n_all * GA_PAGE_BYTES >> 20,
					   failure.call, failure.message);
		return false;
	}
	if (i == pages->n_slabs)
		pages->n_slabs++;
	mark(slab, 0, pages->slab_pages, true);
	slab->n_free = pages->slab_pages;
	pages->n_free += pages->slab_pages;
	pages->n_all += pages->slab_pages;
	pages->next = i;
	return true;
}

/* The first page from here on that is free, or is not; or the end. */
static uint32_t
find_page(const GaPages *pages, const GaSlab *slab, uint32_t page, bool is_free)
{
	while (page < pages->slab_pages)
	{
		uint64_t word = slab->is_free[page / WORD_BITS];

		word = (is_free ? word : ~word) >> page % WORD_BITS;
		if (word != 0)
		{
			page += (uint32_t) __builtin_ctzll(word);
			break;
		}
		page += WORD_BITS - page % WORD_BITS;
	}
	return page < pages->slab_pages ? page : pages->slab_pages;
}

/* Take up to n pages of a slab.  Adds to the extents; returns how many. */
static uint32_t
take_from(GaPages *pages, uint32_t number, uint32_t n, GaPageRun *extents,
		  uint32_t *n_extents)
{
	GaSlab *slab = &pages->slabs[number];
	uint32_t page = 0;
	uint32_t taken = 0;

	while (taken < n && slab->n_free > 0)
	{
		uint32_t first = find_page(pages, slab, page, true);
		uint32_t length = find_page(pages, slab, first, false) - first;

		if (length > n - taken)
			length = n - taken;
		mark(slab, first, length, false);
		slab->n_free -= length;
		extents[(*n_extents)++] = (GaPageRun){number, first, length};
		taken += length;
		page = first + length;
	}
	return taken;
}

/*
 * Take n pages, as many as are free at most.  There has to be room for n
 * extents; returns how many there are.
 */
uint32_t
ga_pages_allocate(GaPages *pages, uint32_t n, GaPageRun *extents)
{
	uint32_t n_extents = 0;

	pages->n_free -= n;
	while (n > 0)
	{
		n -= take_from(pages, pages->next, n, extents, &n_extents);
		if (n > 0)
			pages->next = (pages->next + 1) % pages->n_slabs;
	}
	return n_extents;
}

void
ga_pages_free(GaPages *pages, const GaPageRun *extent)
{
	GaSlab *slab = &pages->slabs[extent->slab];

	mark(slab, extent->page, extent->n_pages, true);
	slab->n_free += extent->n_pages;
	pages->n_free += extent->n_pages;
}

/*
 * Give memory that nothing lies in back to the device.  False if there was
 * none.  Waits for all that the device does.
 */
bool
ga_pages_trim(GaPages *pages)
{
	bool found = false;
	uint32_t i;

	for (i = 0; i < pages->n_slabs; i++)
	{
		GaSlab *slab = &pages->slabs[i];

		if (slab->memory == 0 || slab->n_free < pages->slab_pages)
			continue;
		pages->device->kind->free(pages->device->device, slab->memory);
		slab->memory = 0;
		slab->n_free = 0;
		pages->n_free -= pages->slab_pages;
		pages->n_all -= pages->slab_pages;
		found = true;
	}
	/* it may have as much as at the start by now */
	pages->max_slabs = pages->most_slabs;
	return found;
}
