/*
 * load_pack_items.h
 *		The arrays that a request packs, and their memory.
 */
#ifndef GA_LOAD_PACK_ITEMS_H
#define GA_LOAD_PACK_ITEMS_H

#include "request.h"

typedef enum GaPackPhase
{
	GA_PACK_SURVEYS = 0,
	GA_PACK_PACKS,
	GA_PACK_ENDS
} GaPackPhase;

/* What is to be packed. */
typedef struct GaPackItem
{
	GaEntry *entry;	  /* which the request uses */
	GaExtent *extent; /* of headers and payloads; has a user for this */
	uint32_t n_header_bytes;
} GaPackItem;

typedef struct GaPacking
{
	GaPackPhase phase;
	GaPackRequest request; /* of as many arrays as there are items */
	GaPackItem *items;	   /* as many as the request has entries, at most */
	GaPackArray *arrays;
	GaPackPiece *pieces;
	uint32_t capacity; /* of pieces */
	GaDeviceAddress *pages;
} GaPacking;

extern bool ga_pack_is_loading(const GaActiveRequest *active,
							   const GaEntry *entry);
extern bool ga_pack_is_candidate(const GaActiveRequest *active,
								 const GaEntry *entry);
extern GaPacking *ga_pack_begin(const GaActiveRequest *active);
extern void ga_pack_add(const GaActiveRequest *active, GaEntry *entry);
extern void ga_pack_choose(const GaActiveRequest *active);
extern bool ga_pack_list_pages(const GaActiveRequest *active);
extern void ga_pack_free(const GaActiveRequest *active);

#endif /* GA_LOAD_PACK_ITEMS_H */
