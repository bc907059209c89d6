/*
 * reduction_state.c
 *		The states of the reductions that a device computes.
 *
 * One table says for each reduction what is done with its states.  Sums have
 * short cuts in reduction_state.h.  Called by offload/, and by sql/ for the CPU.
 * Keeps nothing.
 */
#include "postgres.h"

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

const GaReductionKind ga_reductions[GA_N_REDUCTIONS] = {
	[GA_REDUCE_SUM] = {.n_bytes = sum_bytes,
					   .init = init_sum,
					   .add = ga_cpu_add_growing,
					   .merge = merge_sum},
};

/*
 * Add records to a state that is no sum.  gpuaggd can change them at any time:
 * they are read once.
 */
bool
ga_state_merge_others(GaState state, uint32 n, const GaPartialSum *records)
{
	const uint32 n_records = ga_reduction_records(state.reduction);
	GaPartialSum copies[GA_MAX_RECORDS];
	uint32 i;

	for (i = 0; i < n_records; i++)
		copies[i] = ((const volatile GaPartialSum *) records)[i];
	return ga_reductions[state.reduction].merge_records(state, n, copies);
}
