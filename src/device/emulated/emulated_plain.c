/*
 * emulated_plain.c
 *		Plain copies of packed arrays, for the CPU engine.
 *
 * Called by what computes the requests.  The copies are the request's own, and
 * are not counted as memory of the device.
 */
#include <stdlib.h>

#include "emulated_plain.h"
#include "exact/packed_element.h"

#define ALIGNMENT 16

/* Return the bytes of a copy, or 0 of a plain array. */
static uint64_t
copy_bytes(const GaDeviceArray *array, size_t size)
{
	return ga_is_packed(array->data) ?
			   (array->n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT :
			   0;
}

/*
 * Decode the arrays that are packed.  False: there is no memory.  The arrays
 * that are given must stay until the plain ones are freed.
 */
bool
ga_emulated_make_plain(GaEmulatedPlain *plain, GaElementType type,
					   const GaDeviceArray *arrays, uint32_t n)
{
	const size_t size = ga_element_size(type);
	uint64_t n_bytes = 0;
	GaDeviceArray *list;
	char *to;
	uint32_t i;

	*plain = (GaEmulatedPlain){.arrays = arrays};
	for (i = 0; i < n; i++)
		n_bytes += copy_bytes(&arrays[i], size);
	if (n_bytes == 0)
		return true;
	plain->memory = malloc(n * sizeof(*list) + n_bytes);
	if (plain->memory == NULL)
		return false;
	plain->arrays = list = plain->memory;
	to = (char *) (list + n);
	for (i = 0; i < n; i++)
	{
		list[i] = arrays[i];
		if (!ga_is_packed(arrays[i].data))
			continue;
		list[i].data = (GaDeviceAddress) (uintptr_t) to;
		ga_packed_elements(arrays[i].data, arrays[i].n, type, to);
		to += copy_bytes(&arrays[i], size);
	}
	return true;
}

void
ga_emulated_free_plain(GaEmulatedPlain *plain)
{
	free(plain->memory);
	plain->memory = NULL;
}
