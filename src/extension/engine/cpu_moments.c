/*
 * cpu_moments.c
 *		Moments of arrays by the CPU, of any element type.
 *
 * The CPU engine of src/cpu computes; here is the choice by type.  Called by
 * the SQL functions through ga_cpu_reduce_array().
 */
#include "postgres.h"

#include "cpu_moments.h"
#include "extension/settings.h"

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
