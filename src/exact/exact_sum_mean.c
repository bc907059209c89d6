/*
 * exact_sum_mean.c
 *		The mean of the inputs of an exact sum, rounded once.
 *
 * Called on the host alone.
 */
#include "exact_sum_digits.h"
#include "exact_sum_value.h"

/*
 * Digits of a mean below those of the sum: a divisor of 63 bits leaves 64 bits
 * of the quotient at least, and what is below them only rounds.
 */
#define MEAN_DIGITS 4

/*
 * Divide a magnitude of n digits by a divisor of at most 63 bits, in place;
 * *is_more tells of a remainder.  Returns the number of digits without leading
 * zeros.
 */
static int
divide(uint32_t *digits, int n, int64_t divisor, bool *is_more)
{
	unsigned __int128 rest = 0;
	int i;

	for (i = n - 1; i >= 0; i--)
	{
		rest = rest << GA_CELL_BITS | digits[i];
		digits[i] = (uint32_t) (rest / (uint64_t) divisor);
		rest %= (uint64_t) divisor;
	}
	*is_more = rest != 0;
	while (n > 0 && digits[n - 1] == 0)
		n--;
	return n;
}

/*
 * Divide the sum by the number of its inputs, which is not 0, and round once to
 * float8; GA_OVERFLOW if that is out of range.
 */
GaStatus
ga_exact_sum_mean(const GaExactSum *sum, double *result)
{
	uint32_t digits[MEAN_DIGITS + GA_MAX_CELLS + 2] = {0};
	bool negative, is_more;
	uint64_t bits;
	int n;

	if (!ga_special_bits(sum, &ga_float8_format, &negative, &bits))
	{
		n = ga_digits_of(sum, digits + MEAN_DIGITS, &negative);
		if (n == 0)
			negative = sum->n_neg_zero == sum->n;
		else
			n = divide(digits, n + MEAN_DIGITS, sum->n, &is_more);
		bits = 0;
		if (n > 0 && ga_digits_round(
						 digits, n, (sum->first - MEAN_DIGITS) * GA_CELL_BITS,
						 is_more, &ga_float8_format, &bits) != GA_OK)
			return GA_OVERFLOW;
	}
	*result = ga_float8_from_bits(bits | (uint64_t) negative << 63);
	return GA_OK;
}
