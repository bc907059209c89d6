/*
 * emulated_reduce.c
 *		The emulated device's reductions other than sums, by the CPU engine.
 *
 * Called by emulated_submit.c after the request was checked.  The parts of a
 * result are reduced one after another, as if they were one array.
 */
#include "cpu/cpu.h"
#include "emulated_memory.h"
#include "emulated_plain.h"
#include "emulated_reduce.h"
#include "exact/extremum.h"
#include "exact/partial_moments.h"
#include "exact/partial_products.h"

/* The parts of a result, and of pairs their second arrays. */
typedef struct Parts
{
	const GaDeviceArray *x;
	const GaDeviceArray *y;
	uint32_t n;
} Parts;

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
#define EXTREMUM(which, name, family, ctype)                                  \
	static void which##_##name(GaPartialSum *record, const Parts *parts)      \
	{                                                                         \
		const GaCpuEngine *engine = ga_cpu_best();                            \
		ctype result = 0;                                                     \
		bool is_any = false;                                                  \
		uint32_t i;                                                           \
                                                                              \
		for (i = 0; i < parts->n; i++)                                        \
		{                                                                     \
			ctype x;                                                          \
                                                                              \
			if (parts->x[i].n == 0)                                           \
				continue;                                                     \
			x = engine->which##_##name(ga_emulated_pointer(parts->x[i].data), \
									   parts->x[i].n);                        \
			result = is_any ? ga_##which##_##name(result, x) : x;             \
			is_any = true;                                                    \
		}                                                                     \
		*record = (GaPartialSum){.kind = GA_PARTIAL_COMPACT};                 \
		record->limb[0] = family##_bits(result);                              \
	}

/* Set both records of the moments of some parts: moments_int2(), and so on. */
#define MOMENTS_int(name)                                                 \
	static void moments_##name(GaPartialSum *records, const Parts *parts) \
	{                                                                     \
		GaIntMoments moments = {0};                                       \
		uint32_t i;                                                       \
                                                                          \
		for (i = 0; i < parts->n; i++)                                    \
			ga_cpu_best()->moments_##name(                                \
				&moments, ga_emulated_pointer(parts->x[i].data),          \
				parts->x[i].n);                                           \
		ga_partial_moments_from_ints(records, &moments);                  \
	}
#define MOMENTS_float(name)                                               \
	static void moments_##name(GaPartialSum *records, const Parts *parts) \
	{                                                                     \
		GaFullSumPair buffer;                                             \
		GaMoments *moments = ga_full_sum_pair_init(&buffer);              \
		uint32_t i;                                                       \
                                                                          \
		for (i = 0; i < parts->n; i++)                                    \
			(void) ga_cpu_best()->moments_##name(                         \
				moments, ga_emulated_pointer(parts->x[i].data),           \
				parts->x[i].n);                                           \
		(void) ga_partial_moments_from_floats(records, moments);          \
	}

/* Set both records of the pairs of some parts: products_int2(), and so on. */
#define PRODUCTS_int(name)                                                 \
	static void products_##name(GaPartialSum *records, const Parts *parts) \
	{                                                                      \
		GaIntProducts products = {0};                                      \
		uint32_t i;                                                        \
                                                                           \
		for (i = 0; i < parts->n; i++)                                     \
			ga_int_products_add_##name(                                    \
				&products, ga_emulated_pointer(parts->x[i].data),          \
				ga_emulated_pointer(parts->y[i].data), parts->x[i].n);     \
		ga_partial_products_from_ints(records, &products);                 \
	}
#define PRODUCTS_float(name)                                               \
	static void products_##name(GaPartialSum *records, const Parts *parts) \
	{                                                                      \
		GaFullSumPair buffer;                                              \
		GaSumPair *pair = ga_full_sum_pair_init(&buffer);                  \
		uint32_t i;                                                        \
                                                                           \
		for (i = 0; i < parts->n; i++)                                     \
		{                                                                  \
			const void *y = ga_emulated_pointer(parts->y[i].data);         \
                                                                           \
			(void) ga_cpu_best()->dot_##name(                              \
				ga_sum_pair_products(pair),                                \
				ga_emulated_pointer(parts->x[i].data), y, parts->x[i].n);  \
			(void) ga_cpu_best()->sum_##name(ga_sum_pair_single(pair), y,  \
											 parts->x[i].n);               \
		}                                                                  \
		(void) ga_partial_products_from_floats(records, pair);             \
	}

#define X(name, family, ctype)         \
	EXTREMUM(min, name, family, ctype) \
	EXTREMUM(max, name, family, ctype) \
	MOMENTS_##family(name) PRODUCTS_##family(name)
GA_ELEMENT_TYPES(X)
#undef X
#undef PRODUCTS_float
#undef PRODUCTS_int
#undef MOMENTS_float
#undef MOMENTS_int
#undef EXTREMUM

typedef void (*Reduce)(GaPartialSum *records, const Parts *parts);

static Reduce
find_reduction(GaReduction reduction, GaElementType type)
{
	static const Reduce all[GA_N_ALL_REDUCTIONS][GA_N_ELEMENT_TYPES] = {
#define X(name, family, ctype)                         \
	[GA_REDUCE_MIN][GA_##name] = min_##name,           \
	[GA_REDUCE_MAX][GA_##name] = max_##name,           \
	[GA_REDUCE_MOMENTS][GA_##name] = moments_##name,   \
	[GA_REDUCE_PRODUCTS][GA_##name] = products_##name, \
	[GA_REDUCE_DOT][GA_##name] = products_##name,
		GA_ELEMENT_TYPES(X)
#undef X
	};

	return all[reduction][type];
}

/* Reduce plain elements. */
static void
reduce_plain(const GaReduceRequest *request, Parts parts)
{
	const Reduce reduce = find_reduction(request->reduction, request->type);
	const uint32_t n_records = ga_reduction_records(request->reduction);
	uint32_t i;

	for (i = 0; i < request->n_results; i++)
	{
		parts.n = request->n_parts_of[i];
		reduce(request->results + n_records * i, &parts);
		parts.x += parts.n;
		if (ga_reduction_has_pairs(request->reduction))
			parts.y += parts.n;
	}
}

bool
ga_emulated_reduce(GaReduceRequest *request)
{
	const bool has_pairs = ga_reduction_has_pairs(request->reduction);
	GaEmulatedPlain x;
	GaEmulatedPlain y = {NULL, NULL};
	const bool is_done =
		ga_emulated_make_plain(&x, request->type, request->parts,
							   request->n_parts) &&
		(!has_pairs ||
		 ga_emulated_make_plain(&y, request->type, request->others,
								request->n_parts));

	if (is_done)
	{
		reduce_plain(request, (Parts){x.arrays, y.arrays, 0});
		ga_reduction_finish(request->reduction, request->results,
							request->n_results);
	}
	ga_emulated_free_plain(&x);
	ga_emulated_free_plain(&y);
	return is_done;
}
