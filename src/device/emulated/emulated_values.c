/*
 * emulated_values.c
 *		Results by position and of windows, by the CPU engine.
 *
 * The inputs of a result are gathered, some at a time, and reduced as those of
 * an array.  Called by emulated_elem.c and emulated_window.c.
 */
#include <string.h>

#include "cpu/cpu.h"
#include "emulated_values.h"
#include "exact/delta.h"
#include "exact/exact_sum_value.h"
#include "exact/extremum.h"

/* Elements that are gathered at a time. */
#define GATHERED 256

/* Gather the next inputs; return how many. */
static uint32_t
gather(const GaEmulatedInputs *inputs, uint32_t first, char *elements)
{
	const uint32_t left = inputs->n - first;
	const uint32_t n = left < GATHERED ? left : GATHERED;

	inputs->copy(inputs, first, n, elements);
	return n;
}

/* A sum, as its type has it. */
typedef struct Total
{
	GaIntSum ints;
	GaFullSum floats;
} Total;

/* Sum inputs: sum_int2(), and so on. */
#define SUM_int(name, elements, n) \
	ga_cpu_best()->sum_##name(&total->ints, (const void *) elements, n)
#define SUM_float(name, elements, n)                              \
	(void) ga_cpu_best()->sum_##name(ga_full_sum(&total->floats), \
									 (const void *) elements, n)
#define X(name, family, ctype)                                       \
	static void sum_##name(Total *total, const GaEmulatedInputs *of) \
	{                                                                \
		int64_t elements[GATHERED];                                  \
		uint32_t first, n;                                           \
                                                                     \
		for (first = 0; first < of->n; first += n)                   \
		{                                                            \
			n = gather(of, first, (char *) elements);                \
			SUM_##family(name, elements, n);                         \
		}                                                            \
	}
GA_ELEMENT_TYPES(X)
#undef X
#undef SUM_float
#undef SUM_int

/*
 * Return the least or the greatest of inputs, as a value has it:
 * min_int2(), and so on.
 */
#define BITS_int(x)	  (uint64_t)(int64_t)(x)
#define BITS_float(x) ga_float8_bits(x)
#define EXTREME(which, name, family, ctype)                                \
	static uint64_t which##_##name(const GaEmulatedInputs *of)             \
	{                                                                      \
		int64_t elements[GATHERED];                                        \
		ctype best = 0;                                                    \
		uint32_t first, n;                                                 \
                                                                           \
		for (first = 0; first < of->n; first += n)                         \
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

/* Return the one of two values that counts: the widened order is the same. */
uint64_t
ga_emulated_extreme(GaElementType type, GaElemForm form, uint64_t a, uint64_t b)
{
	const bool is_max = form == GA_FORM_MAX;

	if (ga_element_is_float(type))
	{
		const double x = ga_float8_from_bits(a);
		const double y = ga_float8_from_bits(b);

		return ga_float8_bits(is_max ? ga_max_float8(x, y) :
									   ga_min_float8(x, y));
	}
	return (uint64_t) (is_max ? ga_max_int8((int64_t) a, (int64_t) b) :
								ga_min_int8((int64_t) a, (int64_t) b));
}

/* Subtract the first of two elements from the second; false: no value. */
bool
ga_emulated_delta(GaElementType type, const char *elements, uint64_t *value)
{
	const size_t size = ga_element_size(type);
	int64_t difference;

	if (ga_delta(type, elements + size, elements, 1, &difference) == 0)
		return false;
	switch (type)
	{
#define IS_VALUE_int(x)	  true
#define IS_VALUE_float(x) ((x) == (x))
#define X(name, family, ctype)              \
	case GA_##name:                         \
	{                                       \
		ctype x;                            \
                                            \
		memcpy(&x, &difference, sizeof(x)); \
		*value = BITS_##family(x);          \
		return IS_VALUE_##family(x);        \
	}
		GA_ELEMENT_TYPES(X)
#undef X
#undef IS_VALUE_float
#undef IS_VALUE_int
		default:
			return false;
	}
}
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
value_of(GaElementType type, GaElemForm form, Total *total, uint64_t *n_refused)
{
	const GaExactSum *sum = ga_full_sum(&total->floats);
	GaStatus status;
	double value = 0;
	float single = 0;

	if (!ga_element_is_float(type))
		return total->ints.low;
	if (form == GA_FORM_MEAN)
		status = ga_exact_sum_mean(sum, &value);
	else if (type == GA_float8)
		status = ga_exact_sum_float8(sum, &value);
	else
	{
		status = ga_exact_sum_float4(sum, &single);
		value = single;
	}
	*n_refused +=
		status != GA_OK || record_of(type, total).kind != GA_PARTIAL_COMPACT;
	return ga_float8_bits(value);
}

typedef void (*Sum)(Total *total, const GaEmulatedInputs *of);
typedef uint64_t (*FindExtreme)(const GaEmulatedInputs *of);

/* Write the result of inputs of a type, of a form that it has. */
void
ga_emulated_put(GaElementType type, GaElemForm form,
				const GaEmulatedInputs *inputs, GaEmulatedResults *to)
{
	static const Sum sums[GA_N_ELEMENT_TYPES] = {
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

	if (ga_elem_is_extreme(form))
	{
		*to->value++ = extremes[type][form == GA_FORM_MAX](inputs);
		return;
	}
	(void) ga_full_sum_init(&total.floats);
	sums[type](&total, inputs);
	if (form == GA_FORM_RECORD)
		*to->record++ = record_of(type, &total);
	else
		*to->value++ = value_of(type, form, &total, &to->n_refused);
}
