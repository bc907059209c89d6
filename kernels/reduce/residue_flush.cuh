/*
 * residue_flush.cuh
 *		How long products with residues (packed/residues.cuh) can be added up.
 */
#ifndef GA_RESIDUE_FLUSH_CUH
#define GA_RESIDUE_FLUSH_CUH

#include "packed/residues.cuh"

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

#endif /* GA_RESIDUE_FLUSH_CUH */
