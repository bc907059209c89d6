/*
 * cpu_moments.c
 *		Moments of arrays by the CPU, of any element type.
 *
 * The CPU engine of src/cpu computes; here are the choice by type, and the
 * growth of moments of floats.  Called by way of reduction_state.c.
 */
#include "postgres.h"

#include "cpu_moments.h"
#include "extension/settings.h"
#include "float_pair.h"

/*
 * Add n floats to a GaMoments that has a chunk of memory of its own or its full
 * size, and return it, which may have moved.
 */
static GaMoments *
add_floats(GaMoments *moments, GaElementType type, const void *data, size_t n)
{
	const size_t size = ga_element_size(type);
	size_t done = 0;

	for (;;)
	{
		const char *from = (const char *) data + done * size;

		done += type == GA_float4 ?
					ga_cpu->moments_float4(moments, from, n - done) :
					ga_cpu->moments_float8(moments, from, n - done);
		if (done == n)
			return moments;
		moments = ga_float_pair_grow(moments);
	}
}

/* Add n integers. */
static void
add_ints(GaIntMoments *moments, GaElementType type, const void *data, size_t n)
{
	if (type == GA_int2)
		ga_cpu->moments_int2(moments, data, n);
	else if (type == GA_int4)
		ga_cpu->moments_int4(moments, data, n);
	else
		ga_cpu->moments_int8(moments, data, n);
}

/*
 * Add n elements to a GaMoments, as above, or to a GaIntMoments: a GaReduceAdd.
 */
void *
ga_cpu_add_moments(void *moments, GaElementType type, const void *data,
				   size_t n)
{
	if (ga_element_is_float(type))
		return add_floats(moments, type, data, n);
	add_ints(moments, type, data, n);
	return moments;
}
