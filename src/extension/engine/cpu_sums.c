/*
 * cpu_sums.c
 *		Sums and running totals by the CPU, of any element type.
 *
 * A sum is a GaIntSum, or a GaExactSum of floats.  The CPU engine of src/cpu
 * computes; here are the choice by type and the growth of float sums.  Called
 * by all that compute where an array lies, and by offload/ for what the device
 * did not do.
 */
#include "postgres.h"

#include "extension/settings.h"
#include "cpu_sums.h"
#include "float_sum.h"

/* Add n floats.  Return how many were added: fewer if the sum must grow. */
static size_t
add_floats(GaExactSum *sum, GaElementType type, const void *data, size_t n)
{
	return type == GA_float4 ? ga_cpu->sum_float4(sum, data, n) :
							   ga_cpu->sum_float8(sum, data, n);
}

static void
add_ints(GaIntSum *sum, GaElementType type, const void *data, size_t n)
{
	if (type == GA_int2)
		ga_cpu->sum_int2(sum, data, n);
	else if (type == GA_int4)
		ga_cpu->sum_int4(sum, data, n);
	else
		ga_cpu->sum_int8(sum, data, n);
}

/*
 * Add n elements to a sum; one of floats has its full capacity.  data may be
 * unaligned.  Never throws.
 */
void
ga_cpu_add(void *sum, GaElementType type, const void *data, size_t n)
{
	if (!ga_element_is_float(type))
		add_ints(sum, type, data, n);
	else if (add_floats(sum, type, data, n) < n)
		Assert(false);
}

/*
 * Add n elements to a sum, and return it: a sum of floats that had to grow has
 * moved.
 */
void *
ga_cpu_add_growing(void *sum, GaElementType type, const void *data, size_t n)
{
	size_t size = ga_element_size(type);
	size_t done = 0;

	if (!ga_element_is_float(type))
	{
		add_ints(sum, type, data, n);
		return sum;
	}
	while (done < n)
	{
		done +=
			add_floats(sum, type, (const char *) data + done * size, n - done);
		if (done < n)
			sum = ga_float_sum_grow(sum);
	}
	return sum;
}

/*
 * Compute the running totals of n elements that follow what is in the sum, and
 * add them to it; one of floats has its full capacity.  in may be unaligned;
 * out is of the floats' type, int64, or GaInt128 for int8.  Returns the number
 * of totals: n, or the index of the element whose total overflows.
 */
size_t
ga_cpu_scan(void *sum, GaElementType type, const void *in, size_t n, void *out)
{
	switch (type)
	{
		case GA_float4:
			return ga_cpu->scan_float4(sum, in, n, out);
		case GA_float8:
			return ga_cpu->scan_float8(sum, in, n, out);
		case GA_int2:
			return ga_int_scan_int2(sum, in, n, out);
		case GA_int4:
			return ga_int_scan_int4(sum, in, n, out);
		default:
			return ga_int_scan_int8(sum, in, n, out);
	}
}

/* Add another sum of the type to one that, if of floats, has full capacity. */
void
ga_cpu_merge(void *sum, GaElementType type, const void *other)
{
	if (!ga_element_is_float(type))
		ga_int_sum_add(sum, ga_int_sum_total(other),
					   ((const GaIntSum *) other)->n);
	else if (ga_exact_sum_merge(sum, other) != GA_OK)
		Assert(false);
}

/*
 * Add a sum of n elements that the device made; full points at its records of
 * all cells, of which there may be full_capacity.  False, and nothing is added,
 * if the device had no record left for it, or what it says makes no sense.
 * gpuaggd can change the records at any time: each is read once.
 */
bool
ga_cpu_merge_partial(void *sum, GaElementType type, uint32 n,
					 const GaPartialSum *partial, const GaFullRecord *full,
					 uint32 full_capacity)
{
	GaPartialSum copy = *(const volatile GaPartialSum *) partial;
	GaFullRecord record;

	if (!ga_element_is_float(type))
	{
		if (!ga_partial_is_int(&copy, n))
			return false;
		ga_partial_merge_int(sum, n, &copy);
		return true;
	}
	if (copy.kind == GA_PARTIAL_FULL)
	{
		if (copy.limb[0] >= full_capacity)
			return false;
		record = *(const volatile GaFullRecord *) &full[copy.limb[0]];
		copy.limb[0] = 0;
	}
	return ga_partial_is_float(&copy, n, &record) &&
		   ga_partial_merge(sum, n, &copy, &record) == GA_OK;
}
