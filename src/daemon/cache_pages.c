/*
 * cache_pages.c
 *		Device memory for resident values, in pages.
 *
 * To allocate on a device takes long, and to free waits for all that it does.
 * So memory is taken in large segments, as it is needed, and cut into pages
 * here.  A value takes any free pages; those that were freed together, or never
 * used, are neighbours most of the time, and make one extent.
 *
 * How much there may be is known from the start; the device may have less when
 * it is asked, for others use it, too.  Then there is that much for a while.
 */
#include <stdlib.h>

#include "cache_pages.h"
#include "clock.h"
#include "exit.h"
#include "log.h"

#define SEGMENT_BYTES	(UINT64_C(256) << 20)
#define WORD_BITS		64

/* When a device that had no more memory is asked again. */
#define RECOVER_NS		(10000 * GA_NS_PER_MS)

/* Segments that a small budget is cut into. */
#define LEAST_SEGMENTS	16

static uint32_t
segment_words(const GaPages *pages)
{
	return (pages->segment_pages + WORD_BITS - 1) / WORD_BITS;
}

/* Begin with no memory, of which there may be so much.  False: no memory. */
bool
ga_pages_open(GaPages *pages, const GaOpenDevice *device, uint64_t n_bytes)
{
	uint64_t	segment = n_bytes / LEAST_SEGMENTS;

	if (segment > SEGMENT_BYTES)
		segment = SEGMENT_BYTES;
	if (segment < GA_PAGE_BYTES)
		segment = GA_PAGE_BYTES;
	*pages = (GaPages) {
		.device = device,
		.segment_pages = (uint32_t) (segment / GA_PAGE_BYTES),
	};
	pages->max_segments = (uint32_t)
		(n_bytes / ((uint64_t) pages->segment_pages * GA_PAGE_BYTES));
	pages->most_segments = pages->max_segments;
	pages->segments = calloc(pages->max_segments + 1,
							 sizeof(*pages->segments));
	return pages->segments != NULL;
}

/* The device has more memory again. */
void
ga_pages_recover(GaPages *pages)
{
	pages->max_segments = pages->most_segments;
}

/* How many pages there may be, of all segments. */
uint64_t
ga_pages_limit(GaPages *pages)
{
	if (pages->max_segments < pages->most_segments &&
		ga_now_ns() >= pages->recover_ns)
		pages->max_segments = pages->most_segments;
	return (uint64_t) pages->max_segments * pages->segment_pages;
}

static void
mark(GaSegment *segment, uint32_t page, uint32_t n, bool is_free)
{
	for (; n > 0; n--, page++)
	{
		uint64_t	bit = UINT64_C(1) << page % WORD_BITS;

		if (is_free)
			segment->is_free[page / WORD_BITS] |= bit;
		else
			segment->is_free[page / WORD_BITS] &= ~bit;
	}
}

/* The number of a segment that has no memory. */
static uint32_t
unused_segment(const GaPages *pages)
{
	uint32_t	i;

	for (i = 0; i < pages->n_segments; i++)
	{
		if (pages->segments[i].memory == 0)
			break;
	}
	return i;
}

/* One more segment, if there may be one, and the device has it. */
bool
ga_pages_grow(GaPages *pages)
{
	const GaOpenDevice *device = pages->device;
	uint32_t	i = unused_segment(pages);
	GaSegment  *segment = &pages->segments[i];
	GaDeviceFailure failure = {.call = ""};
	GaStatus	status;

	if (pages->n_all / pages->segment_pages >= pages->max_segments)
		return false;
	if (segment->is_free == NULL)
		segment->is_free = calloc(segment_words(pages), sizeof(uint64_t));
	if (segment->is_free == NULL)
		return false;
	status = device->kind->allocate(device->device,
									(uint64_t) pages->segment_pages *
									GA_PAGE_BYTES, &segment->memory,
									&failure);
	if (status == GA_DEVICE_FAILED)
		ga_exit_lost(&failure);
	if (status != GA_OK)
	{
		segment->memory = 0;
		pages->max_segments = (uint32_t) (pages->n_all / pages->segment_pages);
		pages->recover_ns = ga_now_ns() + RECOVER_NS;
		ga_log_warning("device %d: %llu MB for resident arrays, and no more: "
					   "%s: %s", device->ordinal,
					   (unsigned long long) pages->n_all * GA_PAGE_BYTES >> 20,
					   failure.call, failure.message);
		return false;
	}
	if (i == pages->n_segments)
		pages->n_segments++;
	mark(segment, 0, pages->segment_pages, true);
	segment->n_free = pages->segment_pages;
	pages->n_free += pages->segment_pages;
	pages->n_all += pages->segment_pages;
	pages->next = i;
	return true;
}

/* The first page from here on that is free, or is not; or the end. */
static uint32_t
find_page(const GaPages *pages, const GaSegment *segment, uint32_t page,
		  bool is_free)
{
	while (page < pages->segment_pages)
	{
		uint64_t	word = segment->is_free[page / WORD_BITS];

		word = (is_free ? word : ~word) >> page % WORD_BITS;
		if (word != 0)
		{
			page += (uint32_t) __builtin_ctzll(word);
			break;
		}
		page += WORD_BITS - page % WORD_BITS;
	}
	return page < pages->segment_pages ? page : pages->segment_pages;
}

/* Take up to n pages of a segment.  Adds to the extents; returns how many. */
static uint32_t
take_from(GaPages *pages, uint32_t number, uint32_t n, GaExtent *extents,
		  uint32_t *n_extents)
{
	GaSegment  *segment = &pages->segments[number];
	uint32_t	page = 0;
	uint32_t	taken = 0;

	while (taken < n && segment->n_free > 0)
	{
		uint32_t	first = find_page(pages, segment, page, true);
		uint32_t	length = find_page(pages, segment, first, false) - first;

		if (length > n - taken)
			length = n - taken;
		mark(segment, first, length, false);
		segment->n_free -= length;
		extents[(*n_extents)++] = (GaExtent) {number, first, length};
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
ga_pages_take(GaPages *pages, uint32_t n, GaExtent *extents)
{
	uint32_t	n_extents = 0;

	pages->n_free -= n;
	while (n > 0)
	{
		n -= take_from(pages, pages->next, n, extents, &n_extents);
		if (n > 0)
			pages->next = (pages->next + 1) % pages->n_segments;
	}
	return n_extents;
}

void
ga_pages_give(GaPages *pages, const GaExtent *extent)
{
	GaSegment  *segment = &pages->segments[extent->segment];

	mark(segment, extent->page, extent->n_pages, true);
	segment->n_free += extent->n_pages;
	pages->n_free += extent->n_pages;
}

/*
 * Give memory that nothing lies in back to the device.  False if there was
 * none.  Waits for all that the device does.
 */
bool
ga_pages_trim(GaPages *pages)
{
	bool		found = false;
	uint32_t	i;

	for (i = 0; i < pages->n_segments; i++)
	{
		GaSegment  *segment = &pages->segments[i];

		if (segment->memory == 0 || segment->n_free < pages->segment_pages)
			continue;
		pages->device->kind->free(pages->device->device, segment->memory);
		segment->memory = 0;
		segment->n_free = 0;
		pages->n_free -= pages->segment_pages;
		pages->n_all -= pages->segment_pages;
		found = true;
	}
	/* it may have as much as at the start by now */
	pages->max_segments = pages->most_segments;
	return found;
}
