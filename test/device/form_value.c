/*
 * form_value.c
 *		The value that a device makes of elements, by the CPU.
 */
#include <math.h>

#include "elements.h"
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

bool
form_value(GaElementType type, GaElemForm form, const void *data, size_t n,
		   uint64_t *bits)
{
	Extreme extreme = {.type = type, .is_max = form == GA_FORM_MAX};
	GaIntSum ints = {0};

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
