/*
 * packed_part.c
 *		Parts of packed arrays, as requests read them.
 */
#include "packed_class.h"
#include "packed_part.h"

const char *const packed_mixture_names[PACKED_N_MIXTURES] = {"plain", "packed",
															 "mixed"};

/* Pack arrays of all classes that a type has, some of them in pieces. */
void
packed_parts_pack(Packing *packing, Fixture *fixture, Rng *rng,
				  GaElementType type)
{
	int class;

	packing_init(packing, fixture, type);
	for (class = 0; class < n_packed_classes(type); class ++)
	{
		const uint32_t n = 8200 + 100 * (uint32_t) class;
		void *to = packing_add(packing, "", n,
							   class % 2 == 0 ? 0 : 3 * GA_PACKED_VECTOR, 0);

		packing->arrays[class].name =
			packed_class_fill(rng, type, class, n, to);
	}
	packing_run(packing);
}

/* Return the address of a part. */
static GaDeviceAddress
address_of(const Packing *packing, const PackedPart *part,
		   PackedMixture mixture)
{
	const PackingArray *array = &packing->arrays[part->array];
	const bool is_packed =
		mixture == PACKED_SOME ? part->is_mixed_packed : mixture == PACKED_ALL;

	return (is_packed ? array->packed : array->plain) +
		   part->from * ga_element_size(packing->type);
}

GaDeviceArray
packed_part_array(const Packing *packing, const PackedPart *part,
				  PackedMixture mixture)
{
	return (GaDeviceArray){address_of(packing, part, mixture), part->n};
}

/* Return a part of an array that begins anywhere, or near a bound. */
PackedPart
packed_part_random(Rng *rng, const Packing *packing, uint32_t n)
{
	static const uint32_t bounds[] = {0, 1, 3, 1023, 1024, 1025, 2047, 3071};
	const uint32_t array = (uint32_t) rng_below(rng, packing->n_arrays);
	const uint32_t from =
		rng_chance(rng, 2) ?
			bounds[rng_below(rng, sizeof(bounds) / sizeof(bounds[0]))] :
			(uint32_t) rng_below(rng, packing->arrays[array].n - n + 1);

	return (PackedPart){array, from, n, rng_chance(rng, 2)};
}

uint32_t
packed_part_length(Rng *rng)
{
	static const uint32_t lengths[] = {
		0,	1,	  2,	7,	  31,	32,	  33,
		63, 1000, 1023, 1024, 1025, 2048, PACKED_PART_MOST};

	return rng_chance(rng, 3) ?
			   (uint32_t) rng_below(rng, PACKED_PART_MOST + 1) :
			   lengths[rng_below(rng, sizeof(lengths) / sizeof(lengths[0]))];
}
