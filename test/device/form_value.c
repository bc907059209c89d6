/*
 * form_value.c
 *		The value that a device makes of elements, by the CPU.
 */
#include <math.h>
#include <string.h>

#include "elements.h"
#include "exact/delta.h"
#include "exact/exact_sum_value.h"
#include "form_value.h"

/* The sum or mean of floats. */
static bool
float_value(GaElementType type, GaElemForm form, const void *data, size_t n,
			uint64_t *bits)
{
	GaFullSum buffer;
	GaExactSum *sum = ga_full_sum_init(&buffer);
	double value = 0;
	float single = 0;
	GaStatus status;

	elements_sum_float(type, sum, data, n);
	status = form == GA_FORM_MEAN ? ga_exact_sum_mean(sum, &value) :
			 type == GA_float8	  ? ga_exact_sum_float8(sum, &value) :
									ga_exact_sum_float4(sum, &single);
	if (form != GA_FORM_MEAN && type == GA_float4)
		value = single;
	*bits = ga_float8_bits(value);
	return status == GA_OK && isfinite(value);
}

/* The second of two elements minus the first; 0 of one. */
static bool
delta_value(GaElementType type, const char *data, size_t n, uint64_t *bits)
{
	const size_t size = ga_element_size(type);
	Extreme one = {.type = type};
	int64_t difference = 0;
	double value;

	*bits = 0;
	if (n < 2)
		return true;
	if (ga_delta(type, data + size, data, 1, &difference) == 0)
		return false;
	elements_extreme(&one, &difference, 1);
	*bits = one.bits;
	memcpy(&value, bits, sizeof(value));
	return !ga_element_is_float(type) || !isnan(value);
}

bool
form_value(GaElementType type, GaElemForm form, const void *data, size_t n,
		   uint64_t *bits)
{
	Extreme extreme = {.type = type, .is_max = form == GA_FORM_MAX};
	GaIntSum ints = {0};

	if (form == GA_FORM_DELTA)
		return delta_value(type, data, n, bits);
	if (!ga_elem_is_extreme(form) && ga_element_is_float(type))
		return float_value(type, form, data, n, bits);
	if (ga_elem_is_extreme(form))
	{
		elements_extreme(&extreme, data, n);
		*bits = extreme.bits;
	}
	else
	{
		elements_sum_int(type, &ints, data, n);
		*bits = ints.low;
	}
	return true;
}
