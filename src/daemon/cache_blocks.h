/*
 * cache_blocks.h
 *		The pages of resident values, and which of them go first.
 */
#ifndef GA_CACHE_BLOCKS_H
#define GA_CACHE_BLOCKS_H

#include <sys/queue.h>

#include "cache_pages.h"

struct GaEntry;

/*
 * What is evicted as a whole: the pages of one large value, or one page of
 * many small ones.
 */
typedef struct GaBlock
{
	TAILQ_ENTRY(GaBlock) by_use;
	TAILQ_HEAD(, GaEntry) entries;
	uint64_t	scan;			/* that used it last */
	uint32_t	n_users;		/* requests and loads: it cannot be evicted */
	uint32_t	n_filled;		/* bytes that entries have had, of a shared one */
	bool		is_shared;
	bool		is_protected;
	uint32_t	n_pages;
	uint32_t	n_extents;
	GaExtent	extents[];
} GaBlock;

typedef TAILQ_HEAD(GaBlockList, GaBlock) GaBlockList;

typedef struct GaBlocks
{
	GaPages		pages;
	GaBlockList probation;		/* used by one scan; the last one used first */
	GaBlockList protected;		/* used by several */
	uint64_t	n_protected;	/* pages in those */
	GaBlock    *open;			/* the shared one that is being filled, or NULL */
	void		(*evict) (struct GaBlocks *blocks, GaBlock *block);
} GaBlocks;

extern bool ga_blocks_open(GaBlocks *blocks, const GaOpenDevice *device,
						   uint64_t n_bytes,
						   void (*evict) (GaBlocks *blocks, GaBlock *block));
extern GaBlock *ga_blocks_take(GaBlocks *blocks, uint64_t n_bytes,
							   uint64_t scan, uint32_t *at);
extern void ga_blocks_use(GaBlocks *blocks, GaBlock *block, uint64_t scan);
extern bool ga_blocks_release(GaBlocks *blocks);
extern void ga_blocks_give(GaBlocks *blocks, GaBlock *block);
extern uint32_t ga_blocks_find(const GaBlocks *blocks, const GaBlock *block,
							   uint64_t at, uint64_t n_bytes,
							   GaDeviceAddress *address, uint64_t *n_there);

#endif							/* GA_CACHE_BLOCKS_H */
