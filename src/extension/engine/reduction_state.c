/*
 * reduction_state.c
 *		The states of the reductions that a device computes.
 *
 * One table says for each reduction what is done with its states.  Sums have
 * short cuts in reduction_state.h.  Called by offload/, and by sql/ for the
 * CPU.  Keeps nothing.
 */
#include "postgres.h"

#include "cpu_moments.h"
#include "exact/partial_moments.h"
#include "exact/partial_products.h"
#include "float_pair.h"
#include "reduction_state.h"

static Size
sum_bytes(GaElementType type)
{
	return ga_element_is_float(type) ? GA_EXACT_SUM_SIZE(GA_MAX_CELLS) :
									   sizeof(GaIntSum);
}

static void
init_sum(GaState state)
{
	if (ga_element_is_float(state.type))
		ga_exact_sum_init(state.at, GA_MAX_CELLS);
	else
		memset(state.at, 0, sizeof(GaIntSum));
}

static void
merge_sum(GaState state, const void *other)
{
	ga_cpu_merge(state.at, state.type, other);
}

static Size
extremum_bytes(GaElementType type)
{
	return sizeof(GaExtremum);
}

static void
init_extremum(GaState state)
{
	ga_extremum_init(state.at, state.type, state.reduction == GA_REDUCE_MAX);
}

static bool
merge_extremum_record(GaState state, uint32 n, const GaPartialSum *records)
{
	return ga_extremum_merge_record(state.at, n, records);
}

static void
merge_extremum(GaState state, const void *other)
{
	ga_extremum_merge(state.at, other);
}

/* A state that is of one size stays where it is. */
static void *
keep(GaState state, GaFloatSumPool *pool)
{
	return state.at;
}

static Size
moments_bytes(GaElementType type)
{
	return ga_element_is_float(type) ? GA_SUM_PAIR_MAX_BYTES :
									   sizeof(GaIntMoments);
}

static Size
products_bytes(GaElementType type)
{
	return ga_element_is_float(type) ? GA_SUM_PAIR_MAX_BYTES :
									   sizeof(GaIntProducts);
}

static void
init_pair(GaState state)
{
	if (ga_element_is_float(state.type))
		ga_sum_pair_init(state.at, GA_SUM_PAIR_FULL);
	else
		memset(state.at, 0, ga_state_bytes(state.type, state.reduction));
}

static bool
merge_pair_records(GaState state, uint32 n, const GaPartialSum *records)
{
	const bool is_signed = ga_reduction_has_pairs(state.reduction);

	if (!ga_partial_are_pair(state.type, n, records, is_signed))
		return false;
	if (ga_element_is_float(state.type))
		return ga_partial_merge_pair(state.at, n, records, is_signed) == GA_OK;
	if (is_signed)
		ga_partial_merge_int_products(state.at, n, records);
	else
		ga_partial_merge_int_moments(state.at, n, records);
	return true;
}

static void
merge_pair(GaState state, const void *other)
{
	if (ga_element_is_float(state.type))
	{
		if (ga_sum_pair_merge(state.at, other) != GA_OK)
			Assert(false);
	}
	else if (state.reduction == GA_REDUCE_MOMENTS)
		ga_int_moments_merge(state.at, other);
	else
		ga_int_products_merge(state.at, other);
}

static void *
fill_pair(GaState state, GaFloatSumPool *pool)
{
	return ga_element_is_float(state.type) ? ga_float_pair_fill(state.at) :
											 state.at;
}

#define EXTREMUM                                                            \
	{                                                                       \
		.n_bytes = extremum_bytes, .init = init_extremum,                   \
		.add = ga_cpu_add_extremum, .merge_records = merge_extremum_record, \
		.merge = merge_extremum, .fill = keep,                              \
	}

#define PRODUCTS                                                  \
	{                                                             \
		.n_bytes = products_bytes, .init = init_pair,             \
		.merge_records = merge_pair_records, .merge = merge_pair, \
		.fill = fill_pair,                                        \
	}

const GaReductionKind ga_reductions[GA_N_ALL_REDUCTIONS] = {
	[GA_REDUCE_SUM] = {.n_bytes = sum_bytes,
					   .init = init_sum,
					   .add = ga_cpu_add_growing,
					   .merge = merge_sum},
	[GA_REDUCE_MIN] = EXTREMUM,
	[GA_REDUCE_MAX] = EXTREMUM,
	[GA_REDUCE_MOMENTS] = {.n_bytes = moments_bytes,
						   .init = init_pair,
						   .add = ga_cpu_add_moments,
						   .merge_records = merge_pair_records,
						   .merge = merge_pair,
						   .fill = fill_pair},
	[GA_REDUCE_PRODUCTS] = PRODUCTS,
	[GA_REDUCE_DOT] = PRODUCTS,
};

/*
 * Add records to a state that is no sum: compact ones, or they are refused.
 * gpuaggd can change them at any time: they are read once.
 */
bool
ga_state_merge_others(GaState state, uint32 n, const GaPartialSum *records)
{
	const uint32 n_records = ga_reduction_records(state.reduction);
	GaPartialSum copies[GA_MAX_RECORDS];
	uint32 i;

	for (i = 0; i < n_records; i++)
	{
		copies[i] = ((const volatile GaPartialSum *) records)[i];
		if (copies[i].kind != GA_PARTIAL_COMPACT)
			return false;
	}
	return ga_reductions[state.reduction].merge_records(state, n, copies);
}
