/*
 * scan_outcome.cuh
 *		What is found out about an array while its running totals are made.
 */
#ifndef GA_SCAN_OUTCOME_CUH
#define GA_SCAN_OUTCOME_CUH

#include "scan_levels.cuh"

/* What is noticed about a thread's items while they are added up. */
struct ScanNotes
{
	bool is_refused; /* the totals are garbage: no certificate */
	unsigned n_neg_zero;
	int first;	  /* items before this one are not in the array */
	int overflow; /* the first item whose total does not fit, or
								 * kScanItems */
};

/* Put down that an array's totals are not right. */
static __device__ __forceinline__ void
note_outcome(ScanOutcome &outcome, const ScanNotes &notes, int first_index,
			 int n_levels)
{
	if (notes.is_refused)
		outcome.refused = uint8_t(n_levels);
	if (notes.n_neg_zero > 0)
		atomicAdd(&outcome.n_neg_zero, notes.n_neg_zero);
	if (notes.overflow < kScanItems)
		atomicMax((unsigned long long *) &outcome.overflow,
				  ~(unsigned long long) (first_index + notes.overflow));
}

/* The sum of an array on levels, in its outcome. */
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
