/*
 * cache_pages.h
 *		Device memory for resident values, in pages.
 */
#ifndef GA_CACHE_PAGES_H
#define GA_CACHE_PAGES_H

#include "daemon/devices.h"

#define GA_PAGE_BYTES (UINT32_C(256) << 10)

/* Pages of a slab, one behind the other. */
typedef struct GaPageRun
{
	uint32_t slab;
	uint32_t page; /* the first one's number in it */
	uint32_t n_pages;
} GaPageRun;

/* A piece of device memory that pages are cut from. */
typedef struct GaSlab
{
	GaDeviceAddress memory; /* 0 if it was given back */
	uint32_t n_free;
	uint64_t *is_free; /* a bit for each page */
} GaSlab;

typedef struct GaPages
{
	const GaOpenDevice *device;
	uint32_t slab_pages; /* in each */
	uint32_t max_slabs;	 /* that there may be now */
	uint32_t most_slabs; /* ... if the device has the memory */
	int64_t recover_ns;	 /* when it may have it again */
	uint32_t n_slabs;	 /* that have been made, or were given back */
	uint32_t next;		 /* where to look for free pages first */
	uint64_t n_free;
	uint64_t n_all; /* of slabs that there are */
	GaSlab *slabs;
} GaPages;

extern bool ga_pages_open(GaPages *pages, const GaOpenDevice *device,
						  uint64_t n_bytes);
extern void ga_pages_recover(GaPages *pages);
extern uint64_t ga_pages_limit(GaPages *pages);
extern bool ga_pages_grow(GaPages *pages);
extern uint32_t ga_pages_allocate(GaPages *pages, uint32_t n,
								  GaPageRun *extents);
extern void ga_pages_free(GaPages *pages, const GaPageRun *extent);
extern bool ga_pages_trim(GaPages *pages);

/* Where an extent is on the device. */
static inline GaDeviceAddress
ga_pages_address(const GaPages *pages, const GaPageRun *extent)
{
	return pages->slabs[extent->slab].memory +
		   (uint64_t) extent->page * GA_PAGE_BYTES;
}

#endif /* GA_CACHE_PAGES_H */
