/*
 * cache_pages.c
 *		Device memory for resident arrays, in pages.
 *
 * Owns that memory; called by cache_extents.c, and by cache_clear.c to
 * overwrite and return what is free.  To allocate on a device takes long,
 * and to free waits for all that it does.  So memory is allocated in slabs, as
 * it is needed, and cut into pages here.  An array takes any free pages; pages
 * that were freed together, or never used, are mostly neighbours and make one
 * run.
 *
 * The budget is known from the start; the device may have less when it is
 * asked, since other programs use it, too.  Then the limit is what it had, for
 * a while.  With a budget of half of the device's memory, which is the default,
 * some of the memory stays free: two servers that share a device then have one
 * half and what is left of the other.
 *
 * What a page has had stays there until it is used again, or until a removal of
 * arrays (cache_clear.c) overwrites pages that are stale.
 */
#include <stdlib.h>

#include "cache_pages.h"
#include "device/clock.h"
#include "daemon/log.h"
#include "daemon/options.h"
#include "device/device_check.h"

#define SLAB_BYTES (UINT64_C(256) << 20)
#define WORD_BITS  64

/* How long the limit stays below the budget. */
#define RESET_LIMIT_NS (10000 * GA_NS_PER_MS)

/* How often to say so. */
#define LOG_NS (60000 * GA_NS_PER_MS)

/* Of the device's memory this part stays free, if no budget was chosen. */
#define LEFT_PART 16

/* Slabs that a small budget is cut into. */
#define MIN_SLABS 16

static uint32_t
slab_words(const GaPages *pages)
{
	return (pages->slab_pages + WORD_BITS - 1) / WORD_BITS;
}

/*
 * Open with no slab and a budget of n_bytes.  Return false if there is no
 * memory on the host.
 */
bool
ga_pages_open(GaPages *pages, const GaOpenDevice *device, uint64_t n_bytes)
{
	uint64_t slab = n_bytes / MIN_SLABS;

	if (slab > SLAB_BYTES)
		slab = SLAB_BYTES;
	if (slab < GA_PAGE_BYTES)
		slab = GA_PAGE_BYTES;
	*pages = (GaPages){
		.device = device,
		.slab_pages = (uint32_t) (slab / GA_PAGE_BYTES),
	};
	pages->max_slabs =
		(uint32_t) (n_bytes / ((uint64_t) pages->slab_pages * GA_PAGE_BYTES));
	pages->budget_slabs = pages->max_slabs;
	pages->slabs = calloc(pages->max_slabs + 1, sizeof(*pages->slabs));
	return pages->slabs != NULL;
}

/* Set the limit to the budget: the device may have more memory again. */
void
ga_pages_reset_limit(GaPages *pages)
{
	pages->max_slabs = pages->budget_slabs;
}

/* Return how many pages all slabs may have. */
uint64_t
ga_pages_limit(GaPages *pages)
{
	if (pages->max_slabs < pages->budget_slabs &&
		ga_now_ns() >= pages->reset_limit_ns)
		pages->max_slabs = pages->budget_slabs;
	return (uint64_t) pages->max_slabs * pages->slab_pages;
}

/*
 * The device has no more memory: for a while the limit is what the slabs have.
 */
void
ga_pages_set_limit(GaPages *pages)
{
	pages->max_slabs = (uint32_t) (pages->n_all / pages->slab_pages);
	pages->reset_limit_ns = ga_now_ns() + RESET_LIMIT_NS;
}

/* Set the limit for lack of memory, and log it now and then. */
static void
stop_growing(GaPages *pages, const GaDeviceFailure *failure,
			 void (*log)(const char *, ...))
{
	const int64_t now_ns = ga_now_ns();

	ga_pages_set_limit(pages);
	if (pages->log_ns != 0 && now_ns < pages->log_ns)
		return;
	pages->log_ns = now_ns + LOG_NS;
	log("device %d: %llu MB for resident arrays, and no more: %s: %s",
		pages->device->ordinal,
		(unsigned long long) pages->n_all * GA_PAGE_BYTES >> 20, failure->call,
		failure->message);
}

/*
 * Is there enough free memory on the device for one more slab?  With a budget
 * that nobody chose, a part is left to other programs, which may be the gpuaggd
 * of another server: so neither has the other's requests fail.
 */
static bool
leaves_enough(GaPages *pages)
{
	const GaOpenDevice *device = pages->device;
	GaDeviceFailure failure = {.call = ""};
	GaDeviceInfo info;
	GaStatus status;
	uint64_t needed;

	if (ga_options.cache_size_mb >= 0)
		return true;
	status = device->kind->describe(device->device, &info, &failure);
	if (status == GA_DEVICE_FAILED)
	{
		ga_devices_lose(device, &failure);
		return false;
	}
	if (status != GA_OK)
		return true;
	needed = (uint64_t) pages->slab_pages * GA_PAGE_BYTES +
			 info.memory_bytes / LEFT_PART;
	if (info.free_bytes >= needed)
		return true;
	ga_device_failure(&failure, "free memory",
					  "%llu MB, of which some are left to other programs",
					  (unsigned long long) info.free_bytes >> 20);
	stop_growing(pages, &failure, ga_log);
	return false;
}

/* Set or reset the bits of n pages. */
static void
mark(uint64_t *bits, uint32_t page, uint32_t n, bool is_set)
{
	for (; n > 0; n--, page++)
	{
		uint64_t bit = UINT64_C(1) << page % WORD_BITS;

		if (is_set)
			bits[page / WORD_BITS] |= bit;
		else
			bits[page / WORD_BITS] &= ~bit;
	}
}

/* Have a slab's bits.  Return false if there is no memory for them. */
static bool
allocate_bits(const GaPages *pages, GaSlab *slab)
{
	if (slab->is_free == NULL)
		slab->is_free =
			calloc(2 * (size_t) slab_words(pages), sizeof(uint64_t));
	if (slab->is_free == NULL)
		return false;
	slab->is_stale = slab->is_free + slab_words(pages);
	return true;
}

/* Return the index of a slab without memory. */
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

/*
 * Allocate one more slab, if the limit allows it and the device has it.  A
 * device that fails is lost.
 */
bool
ga_pages_grow(GaPages *pages)
{
	const GaOpenDevice *device = pages->device;
	uint32_t i = unused_slab(pages);
	GaSlab *slab = &pages->slabs[i];
	GaDeviceFailure failure = {.call = ""};
	GaStatus status;

	if (pages->n_all / pages->slab_pages >= pages->max_slabs ||
		!leaves_enough(pages))
		return false;
	if (!allocate_bits(pages, slab))
		return false;
	status = device->kind->allocate(
		device->device, (uint64_t) pages->slab_pages * GA_PAGE_BYTES,
		&slab->memory, &failure);
	if (status != GA_OK)
	{
		slab->memory = 0;
		if (status == GA_DEVICE_FAILED)
			ga_devices_lose(device, &failure);
		else
			stop_growing(pages, &failure, ga_log_warning);
		return false;
	}
	if (i == pages->n_slabs)
		pages->n_slabs++;
	mark(slab->is_free, 0, pages->slab_pages, true);
	mark(slab->is_stale, 0, pages->slab_pages, pages->is_stale);
	slab->n_free = pages->slab_pages;
	pages->n_free += pages->slab_pages;
	pages->n_all += pages->slab_pages;
	pages->next = i;
	return true;
}

/* Return the first page from `page` on whose bit is so; or the end. */
static uint32_t
find_page(const GaPages *pages, const uint64_t *bits, uint32_t page,
		  bool is_set)
{
	while (page < pages->slab_pages)
	{
		uint64_t word = bits[page / WORD_BITS];

		word = (is_set ? word : ~word) >> page % WORD_BITS;
		if (word != 0)
		{
			page += (uint32_t) __builtin_ctzll(word);
			break;
		}
		page += WORD_BITS - page % WORD_BITS;
	}
	return page < pages->slab_pages ? page : pages->slab_pages;
}

/* Allocate up to n pages of a slab, append their runs; return how many. */
static uint32_t
allocate_from(GaPages *pages, uint32_t number, uint32_t n, GaPageRun *runs,
			  uint32_t *n_runs)
{
	GaSlab *slab = &pages->slabs[number];
	uint32_t page = 0;
	uint32_t taken = 0;

	while (taken < n && slab->n_free > 0)
	{
		uint32_t first = find_page(pages, slab->is_free, page, true);
		uint32_t length = find_page(pages, slab->is_free, first, false) - first;

		if (length > n - taken)
			length = n - taken;
		mark(slab->is_free, first, length, false);
		mark(slab->is_stale, first, length, true);
		slab->n_free -= length;
		runs[(*n_runs)++] = (GaPageRun){number, first, length};
		taken += length;
		page = first + length;
	}
	return taken;
}

/*
 * Allocate n pages, which must be free.  Fill `runs`, which has a capacity of
 * n; return how many there are.
 */
uint32_t
ga_pages_allocate(GaPages *pages, uint32_t n, GaPageRun *runs)
{
	uint32_t n_runs = 0;

	pages->n_free -= n;
	while (n > 0)
	{
		n -= allocate_from(pages, pages->next, n, runs, &n_runs);
		if (n > 0)
			pages->next = (pages->next + 1) % pages->n_slabs;
	}
	return n_runs;
}

void
ga_pages_free(GaPages *pages, const GaPageRun *run)
{
	GaSlab *slab = &pages->slabs[run->slab];

	mark(slab->is_free, run->page, run->n_pages, true);
	slab->n_free += run->n_pages;
	pages->n_free += run->n_pages;
}

/*
 * Release a slab without used pages to the device.  Return false if there is
 * none, or if the device was lost: it may still use them.  Waits for all that
 * the device does.
 */
bool
ga_pages_release_slab(GaPages *pages)
{
	uint32_t i;

	if (pages->device->is_lost)
		return false;
	for (i = 0; i < pages->n_slabs; i++)
	{
		GaSlab *slab = &pages->slabs[i];

		if (slab->memory == 0 || slab->n_free < pages->slab_pages)
			continue;
		pages->is_stale =
			pages->is_stale ||
			find_page(pages, slab->is_stale, 0, true) < pages->slab_pages;
		pages->device->kind->free(pages->device->device, slab->memory);
		slab->memory = 0;
		slab->n_free = 0;
		pages->n_free -= pages->slab_pages;
		pages->n_all -= pages->slab_pages;
		return true;
	}
	return false;
}

/* Release all slabs without used pages.  Return false if there were none. */
bool
ga_pages_release(GaPages *pages)
{
	bool found = false;

	while (ga_pages_release_slab(pages))
		found = true;
	return found;
}

/* As ga_pages_find_stale(), in the slab of *run. */
static bool
find_stale_in_slab(const GaPages *pages, GaPageRun *run, uint32_t most)
{
	const GaSlab *slab = &pages->slabs[run->slab];
	uint32_t page = run->page;
	uint32_t stale;
	uint32_t end;

	for (;; page = stale)
	{
		page = find_page(pages, slab->is_free, page, true);
		stale = find_page(pages, slab->is_stale, page, true);
		if (stale == pages->slab_pages)
			return false;
		if (stale == page)
			break;
	}
	end = find_page(pages, slab->is_free, page, false);
	stale = find_page(pages, slab->is_stale, page, false);
	end = stale < end ? stale : end;
	run->page = page;
	run->n_pages = end - page < most ? end - page : most;
	return true;
}

/*
 * Find the next pages, `most` of them at most, that are free and stale, from
 * the first one of *run on, which is then set.  Return false if there are none.
 */
bool
ga_pages_find_stale(const GaPages *pages, GaPageRun *run, uint32_t most)
{
	for (; run->slab < pages->n_slabs; run->slab++, run->page = 0)
	{
		if (pages->slabs[run->slab].memory != 0 &&
			find_stale_in_slab(pages, run, most))
			return true;
	}
	return false;
}

/* Pages that were found are overwritten. */
void
ga_pages_zeroed(GaPages *pages, const GaPageRun *run)
{
	mark(pages->slabs[run->slab].is_stale, run->page, run->n_pages, false);
}
