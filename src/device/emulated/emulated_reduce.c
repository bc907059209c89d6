/*
 * emulated_reduce.c
 *		The emulated device's reductions other than sums, by the CPU engine.
 *
 * Called by emulated_queue.c after the request was checked.  The parts of a
 * result are reduced one after another, as if they were one array.
 */
#include "cpu/cpu.h"
#include "emulated_memory.h"
#include "emulated_reduce.h"
#include "exact/extremum.h"
#include "exact/partial_moments.h"

/* An extremum as limb[0] has it: integers as int64_t, floats as a double. */
static inline uint64_t
int_bits(int64_t x)
{
	return (uint64_t) x;
}

static inline uint64_t
float_bits(double x)
{
	return ga_float8_bits(x);
}

/*
 * Set the record of the least or the largest element of some parts:
 * min_int2(), and so on.
 */
#define EXTREMUM(which, name, family, ctype)                               \
	static void which##_##name(GaPartialSum *record,                       \
							   const GaDeviceArray *parts, uint32_t n)     \
	{                                                                      \
		const GaCpuEngine *engine = ga_cpu_best();                         \
		ctype result = 0;                                                  \
		bool is_any = false;                                               \
		uint32_t i;                                                        \
                                                                           \
		for (i = 0; i < n; i++)                                            \
		{                                                                  \
			ctype x;                                                       \
                                                                           \
			if (parts[i].n == 0)                                           \
				continue;                                                  \
			x = engine->which##_##name(ga_emulated_pointer(parts[i].data), \
									   parts[i].n);                        \
			result = is_any ? ga_##which##_##name(result, x) : x;          \
			is_any = true;                                                 \
		}                                                                  \
		*record = (GaPartialSum){.kind = GA_PARTIAL_COMPACT};              \
		record->limb[0] = family##_bits(result);                           \
	}

/* Set both records of the moments of some parts: moments_int2(), and so on. */
#define MOMENTS_int(name)                                                  \
	static void moments_##name(GaPartialSum *records,                      \
							   const GaDeviceArray *parts, uint32_t n)     \
	{                                                                      \
		GaIntMoments moments = {0};                                        \
		uint32_t i;                                                        \
                                                                           \
		for (i = 0; i < n; i++)                                            \
			ga_cpu_best()->moments_##name(                                 \
				&moments, ga_emulated_pointer(parts[i].data), parts[i].n); \
		(void) ga_partial_moments_from_ints(records, &moments);            \
	}
#define MOMENTS_float(name)                                               \
	static void moments_##name(GaPartialSum *records,                     \
							   const GaDeviceArray *parts, uint32_t n)    \
	{                                                                     \
		GaFullSumPair buffer;                                             \
		GaMoments *moments = ga_full_sum_pair_init(&buffer);              \
		uint32_t i;                                                       \
                                                                          \
		for (i = 0; i < n; i++)                                           \
			(void) ga_cpu_best()->moments_##name(                         \
				moments, ga_emulated_pointer(parts[i].data), parts[i].n); \
		(void) ga_partial_moments_from_floats(records, moments);          \
	}

#define X(name, family, ctype)         \
	EXTREMUM(min, name, family, ctype) \
	EXTREMUM(max, name, family, ctype) \
	MOMENTS_##family(name)
GA_ELEMENT_TYPES(X)
#undef X
#undef MOMENTS_float
#undef MOMENTS_int
#undef EXTREMUM

typedef void (*Reduce)(GaPartialSum *records, const GaDeviceArray *parts,
					   uint32_t n);

static Reduce
find_reduction(GaReduction reduction, GaElementType type)
{
	static const Reduce all[GA_N_REDUCTIONS][GA_N_ELEMENT_TYPES] = {
#define X(name, family, ctype)               \
	[GA_REDUCE_MIN][GA_##name] = min_##name, \
	[GA_REDUCE_MAX][GA_##name] = max_##name, \
	[GA_REDUCE_MOMENTS][GA_##name] = moments_##name,
		GA_ELEMENT_TYPES(X)
#undef X
	};

	return all[reduction][type];
}

void
ga_emulated_reduce(GaReduceRequest *request)
{
	const Reduce reduce = find_reduction(request->reduction, request->type);
	const uint32_t n_records = ga_reduction_records(request->reduction);
	const GaDeviceArray *parts = request->parts;
	uint32_t i;

	for (i = 0; i < request->n_results; i++)
	{
		reduce(request->results + n_records * i, parts, request->n_parts_of[i]);
		parts += request->n_parts_of[i];
	}
}
