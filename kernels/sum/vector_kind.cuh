/*
 * vector_kind.cuh
 *		How sums add the vectors of packed arrays.
 */
#ifndef GA_VECTOR_KIND_CUH
#define GA_VECTOR_KIND_CUH

#include "residue_sum.cuh"
#include "sum.h"

/* What of a vector is added. */
enum VectorKind : unsigned
{
	kResidueVector, /* decimals, by residues */
	kFieldVector,	/* integers and other decimals, by their fields */
	kItemVector,	/* others, by their items */
	kNoVector
};

/* Are there vectors of other kinds than items? */
template <typename T>
constexpr bool kHasFields = !std::is_same<T, float>::value;

/*
 * Bytes of a warp's buffer for payloads (packed_loader.cuh): all blocks with
 * theirs fit into a multiprocessor, and so does a wide one.
 */
template <typename T>
constexpr unsigned kPackedBufferBytes = kPackedBlocks<T> == 3 ? 7424 : 12288;

/* Return the bytes of a payload that are read if it is added by its fields. */
template <typename T>
static __device__ __forceinline__ uint32_t
count_field_bytes(const GaPackedCoding &coding)
{
	const PackedVector vector(coding);

	/* not which elements have the fields */
	return vector.is_sparse ? ga_packed_rows_bytes(vector.width, vector.count) :
							  ga_packed_bytes(coding.code, sizeof(T));
}

/* Return the kind of a vector, from its header. */
template <typename T>
static __device__ __forceinline__ VectorKind
vector_kind(const GaPackedCoding &coding)
{
	const PackedVector vector(coding);

	if (count_field_bytes<T>(coding) > kPackedBufferBytes<T>)
		return kItemVector;
	if constexpr (std::is_same<T, double>::value)
	{
		if (ResidueSum::takes(vector))
			return kResidueVector;
		if (DecimalSum::takes(vector))
			return kFieldVector;
	}
	else if constexpr (kHasFields<T>)
	{
		if (vector.form == GA_PACKED_INTEGERS)
			return kFieldVector;
	}
	return kItemVector;
}

/* A set of kinds. */
static __device__ __forceinline__ bool
has_kind(unsigned kinds, VectorKind kind)
{
	return kinds >> kind & 1;
}

/* Return the kinds of the lanes' vectors; a whole warp. */
static __device__ __forceinline__ unsigned
kinds_of_warp(VectorKind mine)
{
	unsigned kinds = 0;

#pragma unroll
	for (unsigned kind = kResidueVector; kind < kNoVector; kind++)
		kinds |= unsigned(__any_sync(kFullMask, mine == kind)) << kind;
	return kinds;
}

#endif /* GA_VECTOR_KIND_CUH */
