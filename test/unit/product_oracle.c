/*
 * product_oracle.c
 *		What sums of products, variances and deviations must be, by MPFR.
 *
 * Totals are GMP's integers.  MPFR divides them, and takes roots, correctly
 * rounded.  The root of a quotient is that of 2000 of its bits: it is no number
 * of 54 bits unless the quotient has 108 bits at most, and otherwise further
 * from any than 2^-2000 of it.
 */
#include <math.h>

#include "product_oracle.h"

#define UNIT		 (-1074)
#define PRODUCT_UNIT (-2148)
#define ROOT_BITS	 2000

/* Set x, which is initialized here, to value * 2^exponent exactly. */
static void
init_set(mpfr_t x, const mpz_t value, int exponent)
{
	mpfr_init2(x, (mpfr_prec_t) mpz_sizeinbase(value, 2) + 1);
	mpfr_set_z_2exp(x, value, exponent, MPFR_RNDN);
}

/* Round the finite x, of the sign that a zero has, and clear it. */
static GaStatus
finish(mpfr_t x, int ternary, const FloatType *type, double *result)
{
	oracle_fit(x, ternary, type);
	*result = mpfr_get_d(x, MPFR_RNDN);
	mpfr_clear(x);
	return isinf(*result) ? GA_OVERFLOW : GA_OK;
}

/* A sum that is NaN or infinite as a double; 0 if it is finite. */
static double
special(const Exact *sum)
{
	if (sum->n_nan > 0 || (sum->n_pos_inf > 0 && sum->n_neg_inf > 0))
		return NAN;
	if (sum->n_pos_inf > 0)
		return INFINITY;
	return sum->n_neg_inf > 0 ? -INFINITY : 0;
}

/* A sum of zero has the sign of its inputs, if that is minus for all. */
static double
zero(const Exact *sum)
{
	return sum->n > 0 && sum->n_neg_zero == sum->n ? -0.0 : 0.0;
}

GaStatus
oracle_product_sum(const Exact *sum, const FloatType *type, double *result)
{
	mpfr_t total, rounded;
	int ternary;

	*result = special(sum);
	if (*result != 0)
		return GA_OK;
	*result = zero(sum);
	if (mpz_sgn(sum->value) == 0)
		return GA_OK;
	init_set(total, sum->value, PRODUCT_UNIT);
	mpfr_init2(rounded, type->precision);
	ternary = mpfr_set(rounded, total, MPFR_RNDN);
	mpfr_clear(total);
	return finish(rounded, ternary, type, result);
}

GaStatus
oracle_root(const Exact *sum, double *result)
{
	mpfr_t total, root;
	int ternary;

	*result = special(sum);
	if (*result != 0)
		return GA_OK;
	init_set(total, sum->value, PRODUCT_UNIT);
	mpfr_init2(root, 53);
	ternary = mpfr_sqrt(root, total, MPFR_RNDN);
	mpfr_clear(total);
	return finish(root, ternary, &float8_type, result);
}

GaStatus
oracle_quotient(const Exact *sum, const Exact *divisor, double *result)
{
	const double x = special(sum);
	const double y = special(divisor);
	mpfr_t dividend, by, quotient;
	int ternary;

	if (mpz_sgn(divisor->value) == 0 && y == 0)
	{
		*result = x;
		return isnan(x) ? GA_OK : GA_ZERO_DIVISOR;
	}
	if (x != 0 || y != 0)
	{
		/* as IEEE has it, with some number in place of one that is finite */
		double a = mpz_sgn(sum->value) == 0 ? zero(sum) : mpz_sgn(sum->value);

		*result = (x != 0 ? x : a) / (y != 0 ? y : mpz_sgn(divisor->value));
		return GA_OK;
	}
	if (mpz_sgn(sum->value) == 0)
	{
		*result = zero(sum) / mpz_sgn(divisor->value);
		return GA_OK;
	}
	init_set(dividend, sum->value, PRODUCT_UNIT);
	init_set(by, divisor->value, UNIT);
	mpfr_init2(quotient, 53);
	ternary = mpfr_div(quotient, dividend, by, MPFR_RNDN);
	mpfr_clears(dividend, by, NULL);
	return finish(quotient, ternary, &float8_type, result);
}

/* Set x to n * squares - sum * sum, and divisor to n * n or n * (n - 1). */
static void
fraction(const Exact *sum, const Exact *squares, bool is_sample, mpz_t x,
		 mpz_t divisor)
{
	mpz_mul_si(x, squares->value, sum->n);
	mpz_submul(x, sum->value, sum->value);
	mpz_set_si(divisor, sum->n - is_sample);
	mpz_mul_si(divisor, divisor, sum->n);
}

GaStatus
oracle_variance(const Exact *sum, const Exact *squares, bool is_sample,
				bool is_root, double *result)
{
	mpz_t x, divisor;
	mpfr_t dividend, by, quotient, rounded;
	int ternary;

	if (special(sum) != 0)
	{
		*result = NAN;
		return GA_OK;
	}
	mpz_inits(x, divisor, NULL);
	fraction(sum, squares, is_sample, x, divisor);
	init_set(dividend, x, PRODUCT_UNIT);
	init_set(by, divisor, 0);
	mpfr_init2(quotient, is_root ? ROOT_BITS : 53);
	mpfr_init2(rounded, 53);
	ternary = mpfr_div(quotient, dividend, by, MPFR_RNDN);
	if (is_root)
		ternary = mpfr_sqrt(rounded, quotient, MPFR_RNDN);
	else
		mpfr_set(rounded, quotient, MPFR_RNDN);
	mpz_clears(x, divisor, NULL);
	mpfr_clears(dividend, by, quotient, NULL);
	return finish(rounded, ternary, &float8_type, result);
}
