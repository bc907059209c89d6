/*
 * cache_pages.h
 *		Device memory for resident arrays, in pages.
 */
#ifndef GA_CACHE_PAGES_H
#define GA_CACHE_PAGES_H

#include "daemon/devices.h"

#define GA_PAGE_BYTES (UINT32_C(256) << 10)

/* Contiguous pages of a slab. */
typedef struct GaPageRun
{
	uint32_t slab;
	uint32_t page; /* the first one's number in it */
	uint32_t n_pages;
} GaPageRun;

/* An allocation on the device, which is cut into pages. */
typedef struct GaSlab
{
	GaDeviceAddress memory; /* 0 if it was released */
	uint32_t n_free;
	uint64_t *is_free;	/* a bit for each page */
	uint64_t *is_stale; /* a bit: not zero, as far as is known */
} GaSlab;

typedef struct GaPages
{
	const GaOpenDevice *device;
	uint32_t slab_pages;	/* pages in each slab */
	uint32_t max_slabs;		/* the limit of now */
	uint32_t budget_slabs;	/* the limit by the budget */
	int64_t reset_limit_ns; /* when the limit is that of the budget again */
	int64_t log_ns;			/* when to log the next lack of memory */
	uint32_t n_slabs;		/* in use, or released */
	uint32_t next;			/* the slab to search for free pages first */
	uint64_t n_free;
	uint64_t n_all; /* pages of slabs that have memory */
	bool is_stale;	/* memory from the device may have been ours before */
	GaSlab *slabs;
} GaPages;

extern bool ga_pages_open(GaPages *pages, const GaOpenDevice *device,
						  uint64_t n_bytes);
extern void ga_pages_reset_limit(GaPages *pages);
extern void ga_pages_set_limit(GaPages *pages);
extern uint64_t ga_pages_limit(GaPages *pages);
extern bool ga_pages_grow(GaPages *pages);
extern uint32_t ga_pages_allocate(GaPages *pages, uint32_t n, GaPageRun *runs);
extern void ga_pages_free(GaPages *pages, const GaPageRun *run);
extern bool ga_pages_release(GaPages *pages);
extern bool ga_pages_release_slab(GaPages *pages);
extern bool ga_pages_find_stale(const GaPages *pages, GaPageRun *run,
								uint32_t most);
extern void ga_pages_zeroed(GaPages *pages, const GaPageRun *run);

/* Return a run's address on the device. */
static inline GaDeviceAddress
ga_pages_address(const GaPages *pages, const GaPageRun *run)
{
	return pages->slabs[run->slab].memory +
		   (uint64_t) run->page * GA_PAGE_BYTES;
}

#endif /* GA_CACHE_PAGES_H */
