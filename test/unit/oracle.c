/*
 * oracle.c
 *		What a sum must be, by MPFR.
 */
#include <math.h>
#include <stdlib.h>

#include "product_oracle.h"

/* Numbers kept from call to call; terms[i] points to numbers[i]. */
static mpfr_t *numbers;
static mpfr_ptr *terms;
static size_t n_numbers;

static void
make_numbers(size_t n)
{
	size_t i;

	if (n <= n_numbers)
		return;
	for (i = 0; i < n_numbers; i++)
		mpfr_clear(numbers[i]);
	numbers = realloc(numbers, n * sizeof(*numbers));
	terms = realloc(terms, n * sizeof(*terms));
	for (i = 0; i < n; i++)
	{
		mpfr_init2(numbers[i], 53);
		terms[i] = numbers[i];
	}
	n_numbers = n;
}

/*
 * Bring x, a sum that was rounded in the direction `ternary` without a bound
 * to its exponent, into the range of the type.  MPFR corrects the rounding
 * where fewer bits remain, so that it is one rounding in all.
 */
void
oracle_fit(mpfr_t x, int ternary, const FloatType *type)
{
	mpfr_exp_t emin = mpfr_get_emin();
	mpfr_exp_t emax = mpfr_get_emax();

	/* MPFR's significands are below 1, not below 2 */
	mpfr_set_emin(type->least + 1);
	mpfr_set_emax(type->max + 1);
	ternary = mpfr_check_range(x, ternary, MPFR_RNDN);
	mpfr_subnormalize(x, ternary, MPFR_RNDN);
	mpfr_set_emin(emin);
	mpfr_set_emax(emax);
}

GaStatus
oracle_sum(const FloatType *type, const double *x, size_t n, double *result)
{
	bool any_infinite = false;
	mpfr_t sum;
	size_t i;

	make_numbers(n);
	for (i = 0; i < n; i++)
	{
		mpfr_set_d(numbers[i], x[i], MPFR_RNDN);
		any_infinite |= !mpfr_number_p(numbers[i]);
	}
	mpfr_init2(sum, type->precision);
	oracle_fit(sum, mpfr_sum(sum, terms, n, MPFR_RNDN), type);
	*result = mpfr_get_d(sum, MPFR_RNDN);
	if (mpfr_inf_p(sum) && !any_infinite)
	{
		mpfr_clear(sum);
		return GA_OVERFLOW;
	}
	mpfr_clear(sum);
	return GA_OK;
}

GaStatus
oracle_mean(const Exact *exact, double *result)
{
	mpfr_t total, mean;
	int ternary;

	if (exact->n_nan > 0 || exact->n_pos_inf > 0 || exact->n_neg_inf > 0 ||
		mpz_sgn(exact->value) == 0)
		return exact_result(exact, &float8_type, result);
	mpfr_init2(total, (mpfr_prec_t) mpz_sizeinbase(exact->value, 2) + 1);
	mpfr_init2(mean, 53);
	mpfr_set_z_2exp(total, exact->value, -1074, MPFR_RNDN);
	ternary = mpfr_div_ui(mean, total, (unsigned long) exact->n, MPFR_RNDN);
	oracle_fit(mean, ternary, &float8_type);
	*result = mpfr_get_d(mean, MPFR_RNDN);
	mpfr_clears(total, mean, NULL);
	return isinf(*result) ? GA_OVERFLOW : GA_OK;
}
