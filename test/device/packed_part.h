/*
 * packed_part.h
 *		Parts of packed arrays, as requests read them: packed, plain, or some
 *		of them packed.
 */
#ifndef PACKED_PART_H
#define PACKED_PART_H

#include "packing.h"
#include "random_floats.h"

/* Which arrays of a request are packed. */
typedef enum PackedMixture
{
	PACKED_NONE = 0,
	PACKED_ALL,
	PACKED_SOME,
	PACKED_N_MIXTURES
} PackedMixture;

extern const char *const packed_mixture_names[PACKED_N_MIXTURES];

/* A part of an array. */
typedef struct PackedPart
{
	uint32_t array;
	uint32_t from;
	uint32_t n;
	bool is_mixed_packed; /* in a mixture */
} PackedPart;

/* Elements that parts have at most. */
#define PACKED_PART_MOST 5000

/* Pack arrays of all classes that a type has, which the caller frees. */
extern void packed_parts_pack(Packing *packing, Fixture *fixture, Rng *rng,
							  GaElementType type);

/* A length of a part, and a part that begins anywhere, or near a bound. */
extern uint32_t packed_part_length(Rng *rng);
extern PackedPart packed_part_random(Rng *rng, const Packing *packing,
									 uint32_t n);

/* The part as a request has it. */
extern GaDeviceArray packed_part_array(const Packing *packing,
									   const PackedPart *part,
									   PackedMixture mixture);

#endif /* PACKED_PART_H */
