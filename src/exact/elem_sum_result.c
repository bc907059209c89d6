/*
 * elem_sum_result.c
 *		Results of sums position by position: each rounded once.
 *
 * The two or three highest digits of a total, and a bit that tells of those
 * below, fit 127 bits, and are divided and rounded as such.  Means of very many
 * inputs, and totals with NaN or infinities, become a GaExactSum.
 */
#include <float.h>

#include "elem_sum.h"
#include "exact_sum_digits.h"
#include "exact_sum_value.h"

/* Bits of the highest of three digits, so that all of them fit. */
#define THIRD_BITS 20

/* Digits of the whole range and some carries. */
#define MOST_DIGITS 48

/* The upper digits of a total do for the mean of fewer inputs. */
#define MOST_INPUTS_OF_PART (1 << 16)

/* The highest place at which a word can be added to a GaExactSum. */
#define MAX_WORD_PLACE (66 * GA_CELL_BITS - 1)

/* Return the total of an integer type's position. */
GaInt128
ga_elem_int_total(const GaElemBlock *block, int i)
{
	GaInt128 total = 0;
	int j;

	for (j = block->n_planes - 1; j >= 0; j--)
		total = total * (INT64_C(1) << GA_ELEM_DIGIT) +
				block->words[j * block->n + i];
	return total;
}

/* Store the digits of a position, all but the highest carried. */
static void
read_digits(const GaElemBlock *block, int i, int64_t *digits)
{
	const int64_t half = INT64_C(1) << (GA_ELEM_DIGIT - 1);
	int64_t carry = 0;
	int j;

	for (j = 0; j < block->n_planes; j++)
	{
		digits[j] = block->words[j * block->n + i] + carry;
		carry =
			j + 1 < block->n_planes ? (digits[j] + half) >> GA_ELEM_DIGIT : 0;
		digits[j] -= carry * (INT64_C(1) << GA_ELEM_DIGIT);
	}
}

/*
 * Return the total of a position as an integer and the place of its unit, to be
 * rounded, or divided by n before.  If digits below are left out, one more bit
 * tells of them, so that the result is the same.  False if it might not be.
 */
static bool
total_to_round(const GaElemBlock *block, int i, int64_t n, GaInt128 *total,
			   int *place)
{
	int64_t digits[MOST_DIGITS];
	int high = block->n_planes - 1;
	int low, j;

	*total = 0;
	*place = block->place;
	if (block->n_planes > MOST_DIGITS)
		return false;
	read_digits(block, i, digits);
	while (high >= 0 && digits[high] == 0)
		high--;
	if (high < 0)
		return true;
	low =
		digits[high] >> THIRD_BITS == digits[high] >> 63 ? high - 2 : high - 1;
	low = low > 0 ? low : 0;
	for (j = high; j >= low; j--)
		*total = *total * (INT64_C(1) << GA_ELEM_DIGIT) + digits[j];
	*place += low * GA_ELEM_DIGIT;
	while (j >= 0 && digits[j] == 0)
		j--;
	if (j < 0)
		return true;
	*total = 2 * *total + (digits[j] < 0 ? -1 : 1);
	--*place;
	return n < MOST_INPUTS_OF_PART;
}

static inline int64_t
count_at(const GaElemBlock *block, GaElemCount which, int i)
{
	return block->counts[which] ? block->counts[which][i] : 0;
}

/* Make an exact sum of a position. */
static void
to_exact_sum(const GaElemSum *sum, const GaElemBlock *block, int i,
			 GaExactSum *exact)
{
	int64_t carry = 0;
	int j;

	for (j = 0; j < block->n_planes; j++)
	{
		int place = block->place + j * GA_ELEM_DIGIT;
		int64_t digit = carry + block->words[j * block->n + i];

		/* the highest one has what is left */
		carry = digit >> GA_ELEM_DIGIT;
		if (j + 1 < block->n_planes)
			digit &= (INT64_C(1) << GA_ELEM_DIGIT) - 1;

		/* no total has bits below place 0 */
		if (place < 0)
		{
			digit >>= -place;
			place = 0;
		}
		else if (place > MAX_WORD_PLACE)
		{
			digit *= INT64_C(1) << (place - MAX_WORD_PLACE);
			place = MAX_WORD_PLACE;
		}
		(void) ga_exact_sum_add_scaled(exact, digit, place - 1074);
	}
	exact->n = ga_elem_n_inputs(sum, block, i);
	exact->n_nan = count_at(block, GA_ELEM_NANS, i);
	exact->n_pos_inf = count_at(block, GA_ELEM_POS_INFS, i);
	exact->n_neg_inf = count_at(block, GA_ELEM_NEG_INFS, i);
	exact->n_neg_zero = count_at(block, GA_ELEM_NEG_ZEROS, i);
}

/*
 * Round an exact sum to float8, divided by the number of its inputs if asked.
 */
static GaStatus
large_float(const GaElemSum *sum, const GaElemBlock *block, int i, bool is_mean,
			double *result)
{
	GaFullSum full;
	GaExactSum *exact = ga_full_sum_init(&full);

	to_exact_sum(sum, block, i, exact);
	return is_mean ? ga_exact_sum_mean(exact, result) :
					 ga_exact_sum_float8(exact, result);
}

/* Divide a magnitude, by way of one of 127 bits; *is_more tells of a rest. */
static unsigned __int128
divide(unsigned __int128 magnitude, uint64_t n, int *place, bool *is_more)
{
	const uint64_t high = (uint64_t) (magnitude >> 64);
	const int zeros = high != 0 ? __builtin_clzll(high) :
								  64 + __builtin_clzll((uint64_t) magnitude);
	unsigned __int128 quotient;

	magnitude <<= zeros - 1;
	*place -= zeros - 1;
	quotient = magnitude / n;
	*is_more = quotient * n != magnitude;
	return quotient;
}

/*
 * Round a total, divided by n inputs, to a format; the sign of a zero follows
 * from is_neg_zero.
 */
static GaStatus
small_float(GaInt128 total, int place, int64_t n, bool is_neg_zero,
			const GaFloatFormat *format, bool *negative, uint64_t *bits)
{
	unsigned __int128 magnitude =
		total < 0 ? -(unsigned __int128) total : (unsigned __int128) total;
	bool is_more = false;
	uint32_t digits[4];
	int n_digits = 4;
	int j;

	*negative = total < 0 || (total == 0 && is_neg_zero);
	*bits = 0;
	if (total == 0)
		return GA_OK;
	if (n > 1)
		magnitude = divide(magnitude, (uint64_t) n, &place, &is_more);
	for (j = 0; j < 4; j++)
		digits[j] = (uint32_t) (magnitude >> (j * GA_CELL_BITS));
	while (digits[n_digits - 1] == 0)
		n_digits--;
	return ga_digits_round(digits, n_digits, place, is_more, format, bits);
}

/*
 * Set *result to the total of a position, rounded once, and *is_exact, if one
 * addition of doubles does that.  False if not, and for zeros.
 */
static inline bool
quick_float(const GaElemBlock *block, int i, double *result, bool *is_exact)
{
	const int64_t limit = GA_FLOAT8_HIDDEN * 2;
	const int place = block->place;
	int64_t low = block->words[i];
	int64_t high = 0;
	double a, b, part;

	if (block->n_planes > 1)
	{
		const int64_t carry = low >> GA_ELEM_DIGIT;

		low -= carry * (INT64_C(1) << GA_ELEM_DIGIT);
		high = block->words[block->n + i] + carry;
	}
	/* both units are normal numbers, and both digits are doubles */
	if (block->n_planes > 2 || place < 52 || place > 1900 || low > limit ||
		low < -limit || high > limit || high < -limit)
		return false;
	a = (double) low *
		ga_float8_from_bits((uint64_t) (place + 1023 - 1074) << 52);
	b = (double) high *
		ga_float8_from_bits((uint64_t) (place + GA_ELEM_DIGIT + 1023 - 1074)
							<< 52);
	*result = a + b;
	/* the error of an addition is a double, too (Moeller and Knuth's TwoSum) */
	part = *result - a;
	*is_exact = (a - (*result - part)) + (b - part) == 0;
	return *result != 0;
}

/* Has a position NaN or infinities? */
static inline bool
has_special(const GaElemBlock *block, int i)
{
	return count_at(block, GA_ELEM_NANS, i) != 0 ||
		   count_at(block, GA_ELEM_POS_INFS, i) != 0 ||
		   count_at(block, GA_ELEM_NEG_INFS, i) != 0;
}

/* Are all inputs -0? */
static inline bool
is_neg_zero(const GaElemSum *sum, const GaElemBlock *block, int i)
{
	return count_at(block, GA_ELEM_NEG_ZEROS, i) ==
		   ga_elem_n_inputs(sum, block, i);
}

/*
 * Return the sum of position i of a block, which has inputs, or their mean,
 * rounded once to float8; GA_OVERFLOW if that is out of range.
 */
GaStatus
ga_elem_float(const GaElemSum *sum, const GaElemBlock *block, int i,
			  bool is_mean, double *result)
{
	const int64_t n = is_mean ? ga_elem_n_inputs(sum, block, i) : 1;
	GaInt128 total;
	int place;
	bool negative, is_exact;
	uint64_t bits;
	GaStatus status;

	if (has_special(block, i))
		return large_float(sum, block, i, is_mean, result);
	if (!is_mean && block->n_planes > 0 &&
		quick_float(block, i, result, &is_exact))
		return GA_OK;
	if (!total_to_round(block, i, n, &total, &place))
		return large_float(sum, block, i, is_mean, result);
	status = small_float(total, place, n, is_neg_zero(sum, block, i),
						 &ga_float8_format, &negative, &bits);
	if (status == GA_OK)
		*result = ga_float8_from_bits(bits | (uint64_t) negative << 63);
	return status;
}

/* The same for the sum, rounded once to float4. */
GaStatus
ga_elem_float4(const GaElemSum *sum, const GaElemBlock *block, int i,
			   float *result)
{
	GaFullSum full;
	GaInt128 total;
	int place;
	bool negative;
	uint64_t bits;
	uint32_t word;
	double quick;
	bool is_exact;
	GaStatus status;

	if (!has_special(block, i) && block->n_planes > 0 &&
		quick_float(block, i, &quick, &is_exact) && is_exact &&
		quick < FLT_MAX && quick > -FLT_MAX)
	{
		*result = (float) quick;
		return GA_OK;
	}
	if (has_special(block, i) || !total_to_round(block, i, 1, &total, &place))
	{
		to_exact_sum(sum, block, i, ga_full_sum_init(&full));
		return ga_exact_sum_float4(ga_full_sum(&full), result);
	}
	status = small_float(total, place, 1, is_neg_zero(sum, block, i),
						 &ga_float4_format, &negative, &bits);
	if (status == GA_OK)
	{
		word = (uint32_t) bits | (uint32_t) negative << 31;
		memcpy(result, &word, sizeof(word));
	}
	return status;
}
