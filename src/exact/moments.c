/*
 * moments.c
 *		The exact moments of numbers: adding, variances and deviations.
 *
 * See moments.h for what they are and doc/numerics.md for why they are right.
 */
#include "exact_ratio.h"
#include "moments.h"

/* Return the number of inputs that are NaN or infinite. */
static int64_t
count_special(const GaExactSum *sum)
{
	return sum->n_nan + sum->n_pos_inf + sum->n_neg_inf;
}

/* Add x (by = 1), or remove an x that was added before (by = -1). */
GaStatus
ga_moments_apply(GaMoments *moments, double x, int64_t by)
{
	const bool is_finite = (ga_float8_bits(x) >> 52 & 0x7ff) != 0x7ff;

	if (is_finite && (ga_sum_pair_reserve(moments, x) != GA_OK ||
					  ga_product_sum_apply(ga_sum_pair_products(moments), x, x,
										   by) != GA_OK))
		return GA_NO_CAPACITY;
	return ga_exact_sum_apply(ga_sum_pair_single(moments), x, by);
}

/*
 * Subtract b from a, of n_a digits each with leading zeros; returns the number
 * of digits without them, or -1 if a is less than b.
 */
static int
subtract(uint32_t *a, const uint32_t *b, int n)
{
	int64_t borrow = 0;
	int i;

	for (i = 0; i < n; i++)
	{
		borrow += (int64_t) a[i] - (int64_t) b[i];
		a[i] = (uint32_t) borrow;
		borrow >>= GA_CELL_BITS;
	}
	if (borrow < 0)
		return -1;
	while (n > 0 && a[n - 1] == 0)
		n--;
	return n;
}

/*
 * Set to[] to n * (sum of squares) - (sum)^2, which is n^2 times the variance;
 * false if that is below zero.  NaN and infinities are left out.
 */
static bool
numerator(const GaMoments *moments, GaMagnitude *to)
{
	const GaExactSum *single = ga_sum_pair_single(moments);
	const GaExactSum *products = ga_sum_pair_products(moments);
	const int first = 2 * single->first < products->first ? 2 * single->first :
															products->first;
	uint32_t digits[GA_RATIO_DIGITS];
	uint32_t square[GA_RATIO_DIGITS];
	uint32_t n_digits[4];
	bool negative;
	GaMagnitude n =
		ga_magnitude_of_int((unsigned __int128) products->n, n_digits);
	int n_sum;

	memset(to->digits, 0, GA_RATIO_DIGITS * sizeof(uint32_t));
	memset(square, 0, sizeof(square));

	/* the cells of squares begin at multiples of twice a cell of the sum's */
	n_sum = ga_digits_of(single, digits, &negative);
	(void) ga_digits_multiply(square + 2 * single->first - first, digits, n_sum,
							  digits, n_sum);
	n_sum = ga_digits_of(products, digits, &negative);
	if (negative)
		return false;
	(void) ga_digits_multiply(to->digits + products->first - first, digits,
							  n_sum, n.digits, n.n);
	to->exponent = first * GA_CELL_BITS + GA_WIDE_UNIT;
	to->n = subtract(to->digits, square, GA_RATIO_DIGITS);
	return to->n >= 0;
}

/* Can any inputs have these moments?  For those that are read from bytes. */
bool
ga_moments_are_possible(const GaMoments *moments)
{
	uint32_t digits[GA_RATIO_DIGITS];
	GaMagnitude ignored = {digits, 0, 0};

	return numerator(moments, &ignored);
}

/* Return the variance with this divisor, or its square root, rounded once. */
static GaStatus
variance(const GaMoments *moments, unsigned __int128 divisor, bool is_root,
		 double *result)
{
	uint32_t digits[GA_RATIO_DIGITS];
	uint32_t divisor_digits[4];
	GaMagnitude dividend = {digits, 0, 0};
	const GaMagnitude by = ga_magnitude_of_int(divisor, divisor_digits);
	uint64_t bits;
	GaStatus status;

	if (count_special(ga_sum_pair_single(moments)) > 0)
	{
		*result = ga_float8_from_bits((~GA_FLOAT8_SIGN ^ GA_FLOAT8_FRACTION) |
									  GA_FLOAT8_HIDDEN / 2);
		return GA_OK;
	}
	if (by.n == 0 || !numerator(moments, &dividend))
		return GA_BAD_STATE;
	status = is_root ? ga_ratio_root(&dividend, &by, &bits) :
					   ga_ratio_round(&dividend, &by, &bits);
	if (status == GA_OK)
		*result = ga_float8_from_bits(bits);
	return status;
}

static unsigned __int128
pop_divisor(const GaMoments *moments)
{
	const uint64_t n = (uint64_t) ga_moments_n(moments);

	return (unsigned __int128) n * n;
}

static unsigned __int128
samp_divisor(const GaMoments *moments)
{
	const uint64_t n = (uint64_t) ga_moments_n(moments);

	return n > 1 ? (unsigned __int128) n * (n - 1) : 0;
}

GaStatus
ga_moments_norm(const GaMoments *moments, double *result)
{
	const GaExactSum *sum = ga_sum_pair_single(moments);

	if (count_special(sum) == 0)
		return ga_product_sum_root(ga_sum_pair_products(moments), result);
	*result = sum->n_nan > 0 ? __builtin_nan("") : __builtin_inf();
	return GA_OK;
}

GaStatus
ga_moments_var_pop(const GaMoments *moments, double *result)
{
	return variance(moments, pop_divisor(moments), false, result);
}

GaStatus
ga_moments_var_samp(const GaMoments *moments, double *result)
{
	return variance(moments, samp_divisor(moments), false, result);
}

GaStatus
ga_moments_stddev_pop(const GaMoments *moments, double *result)
{
	return variance(moments, pop_divisor(moments), true, result);
}

GaStatus
ga_moments_stddev_samp(const GaMoments *moments, double *result)
{
	return variance(moments, samp_divisor(moments), true, result);
}

/* Are the sums consistent with one another?  For assertions. */
bool
ga_moments_is_valid(const GaMoments *moments)
{
	const GaExactSum *single = ga_sum_pair_single(moments);
	const GaExactSum *products = ga_sum_pair_products(moments);

	return ga_sum_pair_is_valid(moments) &&
		   products->n == single->n - count_special(single) &&
		   count_special(products) + products->n_neg_zero == 0;
}
