/*
 * residue_sums.cuh
 *		Sums of products with residues (packed/residues.cuh): how long they
 *		can be added up, and what becomes of them.
 */
#ifndef GA_RESIDUE_SUMS_CUH
#define GA_RESIDUE_SUMS_CUH

#include "packed/residues.cuh"
#include "wide_cells.cuh"

/*
 * Vectors after which a warp's sums are flushed.  An integer is 2^22 at most in
 * magnitude, a residue 2^26, and a warp has 2^14 of them then.
 */
constexpr int kResidueFlushVectors = 16;

static_assert(kResidueFlushVectors * GA_PACKED_VECTOR <= 1 << 14 &&
				  kResidueIntegerBits <= 22 && kResidueBits - 1 <= 26,
			  "sums of integers times residues have 63 bits, and those of a "
			  "lane's products of residues");

/* Are a vector's elements decimals that have residues, and nothing else? */
static __device__ __forceinline__ bool
has_dense_residues(const PackedVector &vector)
{
	return vector.has_plain_decimals() && Residues::takes(vector) &&
		   !vector.is_sparse && vector.n_exceptions == 0;
}

/* The total of a warp's integers, in more than 64 bits; a whole warp. */
static __device__ __forceinline__ __int128
wide_group_sum(int64_t x)
{
	return ((__int128) group_sum(x >> 32, kWarp) << 32) +
		   group_sum(int64_t(uint32_t(x)), kWarp);
}

/* Add (m * factor + rest) * 2^place to cells; a whole warp. */
static __device__ __forceinline__ void
add_scaled(unsigned long long *cells, uint64_t m, __int128 factor,
		   __int128 rest, unsigned place)
{
	const unsigned __int128 product = (unsigned __int128) m * uint64_t(factor);
	const unsigned __int128 low =
		(unsigned __int128) uint64_t(product) + uint64_t(rest);
	__int128 high = __int128(m) * int64_t(factor >> 64) +
					__int128(product >> 64) + (rest >> 64) +
					__int128(low >> 64);
	uint64_t lowest = uint64_t(low);
	const bool is_negative = high < 0;

	if (is_negative)
	{
		lowest = ~lowest + 1;
		high = ~high + (lowest == 0);
	}
	if (lane_id() == 0)
		add_digits<7>(cells,
					  {uint32_t(lowest), uint32_t(lowest >> 32), uint32_t(high),
					   uint32_t(high >> 32), uint32_t(high >> 64),
					   uint32_t(high >> 96), 0},
					  place, is_negative);
}

#endif /* GA_RESIDUE_SUMS_CUH */
