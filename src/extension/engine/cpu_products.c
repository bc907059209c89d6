/*
 * cpu_products.c
 *		Sums of products by the CPU, of any element type.
 *
 * The CPU engine of src/cpu computes those of floats; here are the choice by
 * type and the growth of states.  Called by the SQL functions, and for pairs
 * that were noted.
 */
#include "postgres.h"

#include "exact/int_products.h"
#include "extension/settings.h"
#include "cpu_products.h"
#include "float_pair.h"

static void
add_ints(GaIntProducts *sum, GaElementType type, const void *x, const void *y,
		 size_t n)
{
	if (type == GA_int2)
		ga_int_products_add_int2(sum, x, y, n);
	else if (type == GA_int4)
		ga_int_products_add_int4(sum, x, y, n);
	else
		ga_int_products_add_int8(sum, x, y, n);
}

/* Add products of floats, and return the pair, which may have moved. */
static GaSumPair *
add_floats(GaSumPair *pair, GaElementType type, const char *x, const char *y,
		   size_t n)
{
	const size_t size = ga_element_size(type);
	size_t done = 0;

	for (;;)
	{
		GaExactSum *sum = ga_sum_pair_products(pair);

		done += (type == GA_float4 ? ga_cpu->dot_float4 : ga_cpu->dot_float8)(
			sum, x + done * size, y + done * size, n - done);
		if (done == n)
			return pair;
		pair = ga_float_pair_grow(pair);
	}
}

/* Add weights that are floats, and return the pair, which may have moved. */
static GaSumPair *
add_weights(GaSumPair *pair, GaElementType type, const char *weights, size_t n)
{
	const size_t size = ga_element_size(type);
	size_t done = 0;

	for (;;)
	{
		GaExactSum *sum = ga_sum_pair_single(pair);

		done += (type == GA_float4 ? ga_cpu->sum_float4 : ga_cpu->sum_float8)(
			sum, weights + done * size, n - done);
		if (done == n)
			return pair;
		pair = ga_float_pair_grow(pair);
	}
}

/* Add n products; the sum of weights is of no use afterwards. */
void *
ga_cpu_add_products(void *state, GaElementType type, const void *x,
					const void *y, size_t n)
{
	if (ga_element_is_float(type))
		return add_floats(state, type, x, y, n);
	add_ints(state, type, x, y, n);
	return state;
}

/* Add n products and their second factors, the weights. */
void *
ga_cpu_add_weighted(void *state, GaElementType type, const void *x,
					const void *weights, size_t n)
{
	if (ga_element_is_float(type))
		return add_weights(add_floats(state, type, x, weights, n), type,
						   weights, n);
	add_ints(state, type, x, weights, n);
	return state;
}
