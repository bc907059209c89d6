/*
 * products.cu
 *		The sums of pairs and of their products: the kernels of each type.
 */
#include "float_products.cuh"
#include "int_products.cuh"

template <typename T>
using Products =
	typename std::conditional<std::is_floating_point<T>::value,
							  FloatProducts<T>, IntProducts<T>>::type;

const ReductionKernels *
products_kernels(GaElementType type)
{
	switch (type)
	{
#define X(name, family, ctype) \
	case GA_##name:            \
		return &kKernels<Products<ctype>>;
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return nullptr;
	}
}
