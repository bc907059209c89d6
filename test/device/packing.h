/*
 * packing.h
 *		Arrays that a device packs, and checks of what it makes of them.
 *
 * Plain elements and headers lie in FIXTURE_IN, pages in FIXTURE_PAGES, the
 * last page first, with guard bytes between all of them.  Failures belong to
 * the current test.
 */
#ifndef PACKING_H
#define PACKING_H

#include "fixture.h"

typedef struct PackingArray
{
	const char *name; /* for messages */
	uint32_t n;
	char *elements; /* on the host */
	uint32_t first_piece;
	GaDeviceAddress plain; /* the elements as they were, and packed */
	GaDeviceAddress packed;
} PackingArray;

typedef struct Packing
{
	Fixture *fixture;
	GaElementType type;

	/*
	 * Do pieces of an array lie apart, plain and headers?  Then the addresses
	 * of an array are those of its first piece.
	 */
	bool is_scattered;
	PackingArray *arrays;
	GaPackArray *pack; /* of each array */
	uint32_t n_arrays;
	uint32_t capacity;
	GaPackPiece *pieces; /* first with offsets, then with addresses */
	uint32_t n_pieces;

	/* What the device has, on the host. */
	char *image; /* plain elements, then headers */
	char *before;
	size_t headers_at;
	size_t image_bytes;
	char *pages;
	size_t pages_bytes;
	GaDeviceAddress *addresses; /* of pages */
	uint32_t n_pages;
} Packing;

extern void packing_init(Packing *packing, Fixture *fixture,
						 GaElementType type);
extern void packing_free(Packing *packing);

/*
 * Add an array, in pieces of so many elements, or in one; `at` is where its
 * first page is free from.  Returns memory for its elements, which the caller
 * fills before packing_run().
 */
extern void *packing_add(Packing *packing, const char *name, uint32_t n,
						 uint32_t piece, uint32_t at);

/* Pack all arrays in one request, and check all that device.h promises. */
extern void packing_run(Packing *packing);

/* Return the bytes of an array's payloads if all its vectors are plain. */
extern uint64_t packing_plain_bytes(const Packing *packing, uint32_t array);

/* packing_check.c: what packing_run() checks. */
extern void packing_check_survey(Packing *packing);
extern void packing_check_packed(Packing *packing);

#define PACKING_GUARD 0xa5

/* Bytes between pages. */
#define PACKING_GAP 256

#endif /* PACKING_H */
