/*
 * scan_outcome.cuh
 *		What threads find out about an array while they make its totals, and
 *		the outcome of the array that it adds up to.
 */
#ifndef GA_SCAN_OUTCOME_CUH
#define GA_SCAN_OUTCOME_CUH

#include "scan_levels.cuh"

/* What a thread finds out about its items of a tile. */
struct ThreadOutcome
{
	bool is_refused; /* there is no certificate: the totals are garbage */
	unsigned n_neg_zero;
	int first;	  /* items before this one are not in the array */
	int overflow; /* the first item whose total is beyond its type, or
				   * kScanItems */
};

/* Add what a thread found out to the outcome of the array. */
static __device__ __forceinline__ void
add_outcome(ScanOutcome &outcome, const ThreadOutcome &own, int first_index,
			int n_levels)
{
	if (own.is_refused)
		outcome.refused = uint8_t(n_levels);
	if (own.n_neg_zero > 0)
		atomicAdd(&outcome.n_neg_zero, own.n_neg_zero);
	if (own.overflow < kScanItems)
		atomicMax((unsigned long long *) &outcome.overflow,
				  ~(unsigned long long) (first_index + own.overflow));
}

/* Write the sum of an array, given on levels, to its outcome; one thread. */
template <typename Scan>
static __device__ __forceinline__ void
put_sum(ScanOutcome &outcome, const Scan &scan,
		const Levels<Scan::kLevels> &sum)
{
	int place = 0;

	if constexpr (!Scan::kIsInt)
		place = scan.last_unit() + 1074;
	store_compact(&outcome.sum, sum.limbs(place % GA_CELL_BITS),
				  place / GA_CELL_BITS, 0);
}

#endif /* GA_SCAN_OUTCOME_CUH */
