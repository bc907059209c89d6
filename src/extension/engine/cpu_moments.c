/*
 * cpu_moments.c
 *		Moments of arrays by the CPU, of any element type.
 *
 * The CPU engine of src/cpu computes; here are the choice by type, and the
 * growth of moments of floats.  Called by the SQL functions through
 * ga_cpu_reduce_array().
 */
#include "postgres.h"

#include "cpu_moments.h"
#include "extension/settings.h"
#include "float_pair.h"

/*
 * Add n floats to a GaMoments that has a chunk of memory of its own or its full
 * size, and return it, which may have moved.
 */
void *
ga_cpu_add_float_moments(void *moments, GaElementType type, const void *data,
						 size_t n)
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

/* Add n integers to a GaIntMoments, and return it. */
void *
ga_cpu_add_int_moments(void *moments, GaElementType type, const void *data,
					   size_t n)
{
	if (type == GA_int2)
		ga_cpu->moments_int2(moments, data, n);
	else if (type == GA_int4)
		ga_cpu->moments_int4(moments, data, n);
	else
		ga_cpu->moments_int8(moments, data, n);
	return moments;
}
