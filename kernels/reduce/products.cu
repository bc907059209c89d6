/*
 * products.cu
 *		The sums of pairs and of their products, and of products alone: the
 *		kernels of each type.
 *
 * Floats have a kernel for products alone, since it is the faster one.
 */
#include "int_products.cuh"
#include "residue_products.cuh"

template <typename T, bool kHasSum>
using Products =
	typename std::conditional<std::is_floating_point<T>::value,
							  FloatProducts<T, kHasSum>, IntProducts<T>>::type;

const ReductionKernels *
products_kernels(GaReduction reduction, GaElementType type)
{
	const bool has_sum = reduction == GA_REDUCE_PRODUCTS;

	switch (type)
	{
#define X(name, family, ctype)                              \
	case GA_##name:                                         \
		return has_sum ? &kKernels<Products<ctype, true>> : \
						 &kKernels<Products<ctype, false>>;
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return nullptr;
	}
}
