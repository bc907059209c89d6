/*
 * mixed.cuh
 *		Elements of arrays that may be packed, by their addresses.
 *
 * Each call decodes a header and its fields anew; tiles (mixed_tiles.cuh) are
 * faster.
 */
#ifndef GA_MIXED_CUH
#define GA_MIXED_CUH

#include "decode.cuh"

static __device__ __forceinline__ bool
is_packed(const void *at)
{
	return ga_is_packed(reinterpret_cast<uintptr_t>(at));
}

/* Load an element. */
template <typename T>
static __device__ __forceinline__ T
load_mixed(const T *at)
{
	return is_packed(at) ?
			   load_packed_element<T>(reinterpret_cast<uintptr_t>(at)) :
			   *at;
}

/*
 * Load the vector at a position of an array; items outside it get zero.  Of
 * packed arrays no vector outside is read.
 */
template <typename T>
static __device__ __forceinline__ Vector<T>
load_mixed_vector(const VectorSpan<T> &run, int at)
{
	Vector<T> v = {};

	if (!is_packed(run.base))
		return run.load(at);
	if (at >= run.end || at + Vector<T>::kSize <= run.first)
		return v;
	v = load_packed_vector<T>(reinterpret_cast<uintptr_t>(run.base + at));
#pragma unroll
	for (int i = 0; i < Vector<T>::kSize; i++)
	{
		if (at + i < run.first || at + i >= run.end)
			v.item[i] = T(0);
	}
	return v;
}

#endif /* GA_MIXED_CUH */
