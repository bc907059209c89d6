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
#include "exact/exact_sum_value.h"

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

/* The sum of a position, as its type has it. */
typedef struct Total
{
	GaIntSum ints;
	GaFullSum floats;
} Total;

/* Sum a position: sum_int2(), and so on. */
#define SUM_int(name, elements, n) \
	ga_cpu_best()->sum_##name(&total->ints, (const void *) elements, n)
#define SUM_float(name, elements, n)                              \
	(void) ga_cpu_best()->sum_##name(ga_full_sum(&total->floats), \
									 (const void *) elements, n)
#define X(name, family, ctype)                               \
	static void sum_##name(Total *total, const Position *of) \
	{                                                        \
		int64_t elements[GATHERED];                          \
		uint32_t first, n;                                   \
                                                             \
		for (first = 0; first < of->n_arrays; first += n)    \
		{                                                    \
			n = gather(of, first, (char *) elements);        \
			SUM_##family(name, elements, n);                 \
		}                                                    \
	}
GA_ELEMENT_TYPES(X)
#undef X
#undef SUM_float
#undef SUM_int

static GaPartialSum
record_of(GaElementType type, Total *total)
{
	GaPartialSum record;

	if (!ga_element_is_float(type))
		return ga_partial_from_int_sum(&total->ints);
	if (!ga_partial_from_sum(&record, ga_full_sum(&total->floats)))
		record = (GaPartialSum){.kind = GA_PARTIAL_REFUSED};
	return record;
}

/*
 * Return the bits of a sum or mean that is rounded; *n_refused counts those
 * that have none.
 */
static uint64_t
value_of(const GaElemRequest *request, Total *total, uint64_t *n_refused)
{
	const GaExactSum *sum = ga_full_sum(&total->floats);
	GaStatus status;
	double value = 0;
	float single = 0;

	if (!ga_element_is_float(request->type))
		return total->ints.low;
	if (request->form == GA_FORM_MEAN)
		status = ga_exact_sum_mean(sum, &value);
	else if (request->type == GA_float8)
		status = ga_exact_sum_float8(sum, &value);
	else
	{
		status = ga_exact_sum_float4(sum, &single);
		value = single;
	}
	*n_refused += status != GA_OK ||
				  record_of(request->type, total).kind != GA_PARTIAL_COMPACT;
	return ga_float8_bits(value);
}

typedef void (*SumPosition)(Total *total, const Position *of);

/* Where the next result is written. */
typedef struct Results
{
	GaPartialSum *record;
	uint64_t *value;
	uint64_t n_refused;
} Results;

/* Write the result of a position. */
static void
put(const GaElemRequest *request, Total *total, Results *to)
{
	if (request->form == GA_FORM_RECORD)
		*to->record++ = record_of(request->type, total);
	else
		*to->value++ = value_of(request, total, &to->n_refused);
}

void
ga_emulated_elem(GaElemRequest *request)
{
	static const SumPosition all[GA_N_ELEMENT_TYPES] = {
#define X(name, family, ctype) [GA_##name] = sum_##name,
		GA_ELEMENT_TYPES(X)
#undef X
	};
	void *out = ga_emulated_pointer(request->out);
	Results results = {.record = out, .value = out};
	Position position = {.arrays = request->arrays,
						 .n_arrays = request->n_arrays,
						 .size = ga_element_size(request->type)};
	uint32_t p, i;

	for (p = 0; p < request->n_pieces; p++)
	{
		for (i = 0; i < request->n_of[p]; i++)
		{
			Total total = {.ints = {0}};

			(void) ga_full_sum_init(&total.floats);
			position.at = (uint64_t) i * position.size;
			all[request->type](&total, &position);
			put(request, &total, &results);
		}
		position.arrays += request->n_arrays;
	}
	if (request->form != GA_FORM_RECORD)
		*results.value = results.n_refused;
}
