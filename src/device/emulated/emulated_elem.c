/*
 * emulated_elem.c
 *		The emulated device's sums and extremes by position, by the CPU.
 *
 * Called by emulated_queue.c after the request was checked.  The elements of a
 * position are gathered, some at a time, and reduced as those of an array.
 */
#include <string.h>

#include "cpu/cpu.h"
#include "emulated_elem.h"
#include "emulated_memory.h"
#include "exact/exact_sum_value.h"
#include "exact/extremum.h"

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

/*
 * Return the least or the greatest element of a position, as a value has it:
 * min_int2(), and so on.
 */
#define BITS_int(x)	  (uint64_t)(int64_t)(x)
#define BITS_float(x) ga_float8_bits(x)
#define EXTREME(which, name, family, ctype)                                \
	static uint64_t which##_##name(const Position *of)                     \
	{                                                                      \
		int64_t elements[GATHERED];                                        \
		ctype best = 0;                                                    \
		uint32_t first, n;                                                 \
                                                                           \
		for (first = 0; first < of->n_arrays; first += n)                  \
		{                                                                  \
			ctype x;                                                       \
                                                                           \
			n = gather(of, first, (char *) elements);                      \
			x = ga_cpu_best()->which##_##name((const void *) elements, n); \
			best = first == 0 ? x : ga_##which##_##name(best, x);          \
		}                                                                  \
		return BITS_##family(best);                                        \
	}
#define X(name, family, ctype)        \
	EXTREME(min, name, family, ctype) \
	EXTREME(max, name, family, ctype)
GA_ELEMENT_TYPES(X)
#undef X
#undef EXTREME
#undef BITS_float
#undef BITS_int

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
typedef uint64_t (*FindExtreme)(const Position *of);

/* Where the next result is written. */
typedef struct Results
{
	GaPartialSum *record;
	uint64_t *value;
	uint64_t n_refused;
} Results;

/* Write the result of a position. */
static void
put(const GaElemRequest *request, const Position *position, Results *to)
{
	static const SumPosition sums[GA_N_ELEMENT_TYPES] = {
#define X(name, family, ctype) [GA_##name] = sum_##name,
		GA_ELEMENT_TYPES(X)
#undef X
	};
	static const FindExtreme extremes[GA_N_ELEMENT_TYPES][2] = {
#define X(name, family, ctype) [GA_##name] = {min_##name, max_##name},
		GA_ELEMENT_TYPES(X)
#undef X
	};
	Total total = {.ints = {0}};

	if (ga_elem_is_extreme(request->form))
	{
		*to->value++ =
			extremes[request->type][request->form == GA_FORM_MAX](position);
		return;
	}
	(void) ga_full_sum_init(&total.floats);
	sums[request->type](&total, position);
	if (request->form == GA_FORM_RECORD)
		*to->record++ = record_of(request->type, &total);
	else
		*to->value++ = value_of(request, &total, &to->n_refused);
}

void
ga_emulated_elem(GaElemRequest *request)
{
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
			position.at = (uint64_t) i * position.size;
			put(request, &position, &results);
		}
		position.arrays += request->n_arrays;
	}
	if (request->form != GA_FORM_RECORD)
		*results.value = results.n_refused;
}
