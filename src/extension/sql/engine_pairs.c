/*
 * engine_pairs.c
 *		Sums of products of two arrays, by the engine that is chosen.
 *
 * The device computes them of two stored arrays without NULLs, of which the
 * dimensions are read here.  Called by the SQL functions; keeps nothing.
 */
#include "postgres.h"

#include "engine_pairs.h"
#include "engine_resident.h"
#include "extension/engine/float_pair.h"
#include "extension/engine/session_counters.h"
#include "extension/input/array.h"

/*
 * Find how many pairs two arrays have.  Returns why the CPU computes, or
 * GA_NO_REASON.  Errors: as ga_array_open, and 2202E if the dimensions differ.
 */
static GaReason
find_pairs(Datum x, Datum y, GaElementType type, GaStoredPart *pairs)
{
	GaReason reason = GA_NO_REASON;
	GaArray arrays[2];

	ga_array_open_items(&arrays[0], x, type, GA_WHOLE);
	ga_array_open_items(&arrays[1], y, type, GA_WHOLE);
	ga_array_check_pair(&arrays[0], &arrays[1]);
	*pairs = (GaStoredPart){0, arrays[0].n_items};
	if (pairs->n == 0)
		reason = GA_REASON_SMALL;
	else if (ga_array_may_have_nulls(&arrays[0]) ||
			 ga_array_may_have_nulls(&arrays[1]))
		reason = GA_REASON_NULLS;
	ga_array_close(&arrays[0]);
	ga_array_close(&arrays[1]);
	return reason;
}

/* Have the device compute a run of one pair, if the settings choose it. */
static GaReason
compute(GaResidentRun *run, Datum x, Datum y, GaStoredPart *pairs)
{
	GaReason reason = ga_resident_choose(x, UINT64_MAX, &run->keys[0]);

	if (reason == GA_NO_REASON)
		reason = ga_resident_choose(y, UINT64_MAX, &run->keys[1]);
	if (reason == GA_NO_REASON)
		reason = find_pairs(x, y, run->type, pairs);
	return reason == GA_NO_REASON ? ga_resident_compute(run) : reason;
}

/* Add what the device computed to a state, and return the state. */
static void *
merge(void *state, GaElementType type, GaAnyState *other)
{
	GaSumPair *pair = state;

	if (!ga_element_is_float(type))
	{
		ga_int_products_merge(state, &other->int_products);
		return state;
	}
	while (ga_sum_pair_merge(pair, ga_full_sum_pair(&other->pair)) != GA_OK)
		pair = ga_float_pair_grow(pair);
	return pair;
}

/*
 * Add the pairs of two arrays to a state of sums of products, and return the
 * state, which may have moved.  Pairs with a NULL are skipped.  The CPU adds
 * them by a function.  Errors: as ga_cpu_reduce_pairs, and 58000 if
 * gpuagg.engine is gpu and there is no device.
 */
void *
ga_engine_add_pairs(GaPairReduction add, void *state, GaElementType type,
					Datum x, Datum y)
{
	GaAnyState sums;
	GaStoredPart pairs;
	GaResidentRun run = {.type = type,
						 .reduction = GA_REDUCE_PRODUCTS,
						 .parts = &pairs,
						 .n = 1,
						 .states = (char *) &sums};
	GaReason reason;

	reason = compute(&run, x, y, &pairs);
	if (reason != GA_NO_REASON)
		return ga_cpu_reduce_pairs(add, state, type, x, y, reason);
	ga_session_count(ga_node_counters, GA_NO_REASON, type, 2, 2 * pairs.n);
	return merge(state, type, &sums);
}
