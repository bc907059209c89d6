/*
 * moments.cu
 *		The sum and the sum of squares: the kernels of each element type.
 */
#include "int_moments.cuh"
#include "residue_moments.cuh"

template <typename T>
using Moments = typename std::conditional<std::is_floating_point<T>::value,
										  FloatMoments<T>, IntMoments<T>>::type;

const ReductionKernels *
moments_kernels(GaElementType type)
{
	switch (type)
	{
#define X(name, family, ctype) \
	case GA_##name:            \
		return &kKernels<Moments<ctype>>;
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return nullptr;
	}
}
