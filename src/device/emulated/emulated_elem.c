/*
 * emulated_elem.c
 *		The emulated device's sums by position, by the CPU engine.
 *
 * Called by emulated_queue.c after the request was checked.  The elements of a
 * position are gathered, some at a time, and summed as those of an array.
 */
#include <string.h>

#include "cpu/cpu.h"
#include "emulated_elem.h"
#include "emulated_memory.h"

/* Elements that are gathered at a time. */
#define GATHERED 256

/* One position of a piece. */
typedef struct Position
{
	const GaDeviceAddress *arrays; /* of the piece */
	uint32_t n_arrays;
	uint64_t at; /* bytes from there */
	size_t size; /* of an element */
} Position;

/* Gather the next elements of a position; return how many. */
static uint32_t
gather(const Position *position, uint32_t first, char *elements)
{
	const uint32_t left = position->n_arrays - first;
	const uint32_t n = left < GATHERED ? left : GATHERED;
	uint32_t i;

	for (i = 0; i < n; i++)
		memcpy(elements + i * position->size,
			   ga_emulated_pointer(position->arrays[first + i] + position->at),
			   position->size);
	return n;
}

/* Write the record of a position: sum_int2(), and so on. */
#define SUM_int(name)                                                    \
	static void sum_##name(GaPartialSum *record, const Position *of)     \
	{                                                                    \
		int64_t elements[GATHERED];                                      \
		GaIntSum sum = {0};                                              \
		uint32_t first, n;                                               \
                                                                         \
		for (first = 0; first < of->n_arrays; first += n)                \
		{                                                                \
			n = gather(of, first, (char *) elements);                    \
			ga_cpu_best()->sum_##name(&sum, (const void *) elements, n); \
		}                                                                \
		*record = ga_partial_from_int_sum(&sum);                         \
	}
#define SUM_float(name)                                                 \
	static void sum_##name(GaPartialSum *record, const Position *of)    \
	{                                                                   \
		int64_t elements[GATHERED];                                     \
		GaFullSum buffer;                                               \
		GaExactSum *sum = ga_full_sum_init(&buffer);                    \
		uint32_t first, n;                                              \
                                                                        \
		for (first = 0; first < of->n_arrays; first += n)               \
		{                                                               \
			n = gather(of, first, (char *) elements);                   \
			ga_cpu_best()->sum_##name(sum, (const void *) elements, n); \
		}                                                               \
		if (!ga_partial_from_sum(record, sum))                          \
			*record = (GaPartialSum){.kind = GA_PARTIAL_REFUSED};       \
	}
#define X(name, family, ctype) SUM_##family(name)
GA_ELEMENT_TYPES(X)
#undef X
#undef SUM_float
#undef SUM_int

typedef void (*SumPosition)(GaPartialSum *record, const Position *of);

void
ga_emulated_elem(GaElemRequest *request)
{
	static const SumPosition all[GA_N_ELEMENT_TYPES] = {
#define X(name, family, ctype) [GA_##name] = sum_##name,
		GA_ELEMENT_TYPES(X)
#undef X
	};
	GaPartialSum *record = ga_emulated_pointer(request->out);
	Position position = {.arrays = request->arrays,
						 .n_arrays = request->n_arrays,
						 .size = ga_element_size(request->type)};
	uint32_t p, i;

	for (p = 0; p < request->n_pieces; p++)
	{
		for (i = 0; i < request->n_of[p]; i++)
		{
			position.at = (uint64_t) i * position.size;
			all[request->type](record++, &position);
		}
		position.arrays += request->n_arrays;
	}
}
