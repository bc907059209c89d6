/*
 * exactsum_cast.c
 *		Casts to and from exactsum, and what a value tells about its inputs.
 *
 * A value without inputs, of which others took away all, is NULL as a number,
 * as the sum of nothing is.
 *
 * Called by the executor; keeps nothing between two calls.
 */
#include "postgres.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "exact/exact_sum_value.h"
#include "exactsum.h"
#include "extension/element_datum.h"
#include "extension/error.h"
#include "float_state.h"

PG_FUNCTION_INFO_V1(exactsum_float4);
PG_FUNCTION_INFO_V1(exactsum_float8);
PG_FUNCTION_INFO_V1(exactsum_numeric);
PG_FUNCTION_INFO_V1(gpu_count_exactsum);
PG_FUNCTION_INFO_V1(gpu_avg_exactsum);

/* Round a value once to real.  Errors: 22003. */
Datum
exactsum_float4(PG_FUNCTION_ARGS)
{
	GaFullSum full;

	return ga_float_sum_result(
		fcinfo, ga_exactsum_read(PG_GETARG_DATUM(0), &full), GA_float4);
}

/* Round a value once to double precision.  Errors: 22003. */
Datum
exactsum_float8(PG_FUNCTION_ARGS)
{
	GaFullSum full;

	return ga_float_sum_result(
		fcinfo, ga_exactsum_read(PG_GETARG_DATUM(0), &full), GA_float8);
}

/* Return a * b, which is exact. */
static Datum
multiply(Datum a, Datum b)
{
	return DirectFunctionCall2(numeric_mul, a, b);
}

/* Return the base to the power of n >= 0, exactly. */
static Datum
power(const char *base, int n)
{
	Datum square =
		DirectFunctionCall3(numeric_in, CStringGetDatum(base),
							ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
	Datum result = NumericGetDatum(int64_to_numeric(1));

	for (; n > 0; n /= 2)
	{
		if (n % 2 == 1)
			result = multiply(result, square);
		if (n > 1)
			square = multiply(square, square);
	}
	return result;
}

/* Return the finite part of a sum, with all its digits. */
static Datum
finite_numeric(GaExactSum *sum)
{
	const int exponent = sum->first * GA_CELL_BITS - 1074;
	const Datum cell_unit = power("2", GA_CELL_BITS);
	Datum result = NumericGetDatum(int64_to_numeric(0));
	int i;

	(void) ga_exact_sum_carry(sum);
	for (i = sum->n_cells - 1; i >= 0; i--)
		result = DirectFunctionCall2(
			numeric_add, multiply(result, cell_unit),
			NumericGetDatum(int64_to_numeric(sum->cells[i])));
	result = multiply(result, exponent < 0 ? power("0.5", -exponent) :
											 power("2", exponent));
	return DirectFunctionCall1(numeric_trim_scale, result);
}

/* Return a value as a number with all its digits. */
Datum
exactsum_numeric(PG_FUNCTION_ARGS)
{
	GaFullSum full;
	GaExactSum *sum = ga_exactsum_read(PG_GETARG_DATUM(0), &full);

	if (sum->n == 0)
		PG_RETURN_NULL();
	/* NaN and infinities are such in both types */
	if (sum->n_nan + sum->n_pos_inf + sum->n_neg_inf > 0)
	{
		double special = 0;

		(void) ga_exact_sum_float8(sum, &special);
		return DirectFunctionCall1(float8_numeric, Float8GetDatum(special));
	}
	PG_RETURN_DATUM(finite_numeric(sum));
}

/* Return the sum of one integer. */
static Datum
from_int(int64 x)
{
	GaFullSum full;

	ga_exact_sum_from_int(&full, x, 1);
	return ga_exactsum_datum(ga_full_sum(&full));
}

#define from_float(x) ga_exactsum_of_float(x)

#define X(name, family, ctype)                                     \
	PG_FUNCTION_INFO_V1(exactsum_from_##name);                     \
	Datum exactsum_from_##name(PG_FUNCTION_ARGS)                   \
	{                                                              \
		return from_##family(ga_datum_##name(PG_GETARG_DATUM(0))); \
	}
GA_ELEMENT_TYPES(X)
#undef X

/* Return the number of a value's inputs. */
Datum
gpu_count_exactsum(PG_FUNCTION_ARGS)
{
	GaFullSum full;

	PG_RETURN_INT64(ga_exactsum_read(PG_GETARG_DATUM(0), &full)->n);
}

/* Return the mean of a value's inputs, rounded once.  Errors: 22003. */
Datum
gpu_avg_exactsum(PG_FUNCTION_ARGS)
{
	GaFullSum full;
	const GaExactSum *sum = ga_exactsum_read(PG_GETARG_DATUM(0), &full);
	double mean;

	if (sum->n == 0)
		PG_RETURN_NULL();
	ga_check(ga_exact_sum_mean(sum, &mean), GA_float8);
	PG_RETURN_FLOAT8(mean);
}
