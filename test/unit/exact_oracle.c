/*
 * exact_oracle.c
 *		What a sum must be, by GMP's integers.
 */
#include <math.h>

#include "oracle.h"

#define LEAST_PLACE (-1074)
#define TOTAL_BITS	4352 /* a sum of products has no more */

void
exact_init(Exact *exact)
{
	memset(exact, 0, sizeof(*exact));
	mpz_init(exact->value);
}

void
exact_clear(Exact *exact)
{
	mpz_clear(exact->value);
}

/* Add x so many times; take it out if they are negative. */
void
exact_add(Exact *exact, double x, int64_t times)
{
	exact->n += times;
	if (isnan(x))
		exact->n_nan += times;
	else if (isinf(x))
		*(x > 0 ? &exact->n_pos_inf : &exact->n_neg_inf) += times;
	else if (x == 0)
		exact->n_neg_zero += signbit(x) ? times : 0;
	else
	{
		int exponent;
		double fraction = frexp(x, &exponent);
		mpz_t term;

		/* 2^53 more than it is, so that subnormals are no special case */
		mpz_init(term);
		mpz_set_d(term, ldexp(fraction, 53));
		mpz_mul_si(term, term, times);
		mpz_mul_2exp(term, term, exponent - LEAST_PLACE);
		mpz_tdiv_q_2exp(term, term, 53); /* leaves no remainder */
		mpz_add(exact->value, exact->value, term);
		mpz_clear(term);
	}
}

/* Add x * y to a sum of products, as exact_add() adds x to one of numbers. */
void
exact_add_product(Exact *exact, double x, double y, int64_t times)
{
	const bool is_neg = signbit(x) != signbit(y);
	Exact a, b;

	exact->n += times;
	if (isnan(x) || isnan(y) || (isinf(x) && y == 0) || (x == 0 && isinf(y)))
		exact->n_nan += times;
	else if (isinf(x) || isinf(y))
		*(is_neg ? &exact->n_neg_inf : &exact->n_pos_inf) += times;
	else if (x == 0 || y == 0)
		exact->n_neg_zero += is_neg ? times : 0;
	else
	{
		exact_init(&a);
		exact_init(&b);
		exact_add(&a, x, times);
		exact_add(&b, y, 1);
		mpz_addmul(exact->value, a.value, b.value);
		exact_clear(&a);
		exact_clear(&b);
	}
}

/* Add m * 2^exponent to the value, and leave the counts. */
void
exact_add_scaled(Exact *exact, int64_t m, int exponent)
{
	mpz_t term;

	mpz_init_set_si(term, m);
	mpz_mul_2exp(term, term, exponent - LEAST_PLACE);
	mpz_add(exact->value, exact->value, term);
	mpz_clear(term);
}

static uint8_t *
put(uint8_t *to, uint64_t number)
{
	int shift;

	for (shift = 56; shift >= 0; shift -= 8)
		*to++ = number >> shift & 0xff;
	return to;
}

uint8_t *
exact_put_counts(uint8_t *at, const Exact *exact)
{
	at = put(at, (uint64_t) exact->n);
	at = put(at, (uint64_t) exact->n_nan);
	at = put(at, (uint64_t) exact->n_pos_inf);
	at = put(at, (uint64_t) exact->n_neg_inf);
	return put(at, (uint64_t) exact->n_neg_zero);
}

uint8_t *
exact_put_total(uint8_t *at, const Exact *exact)
{
	uint64_t limbs[TOTAL_BITS / 64] = {0};
	int first = 0, end = 0;
	mpz_t number;

	mpz_init(number);
	if (mpz_sgn(exact->value) != 0)
	{
		first = (int) (mpz_scan1(exact->value, 0) / 64);

		/* the bits of a two's complement, and its sign bit */
		if (mpz_sgn(exact->value) > 0)
			mpz_set(number, exact->value);
		else
			mpz_com(number, exact->value);
		end = (int) mpz_sizeinbase(number, 2) / 64 + 1;
		mpz_fdiv_r_2exp(number, exact->value, TOTAL_BITS);
		mpz_export(limbs, NULL, -1, sizeof(limbs[0]), 0, 0, number);
	}
	mpz_clear(number);

	*at++ = (uint8_t) first;
	*at++ = (uint8_t) (end - first);
	for (; first < end; first++)
		at = put(at, limbs[first]);
	return at;
}

/* The serialized form, from its description in exact_sum_io.h. */
void
exact_bytes(const Exact *exact, SumBytes *to)
{
	uint8_t *at = to->bytes;

	*at++ = 0xe5;
	*at++ = 1;
	*at++ = 1;
	at = exact_put_counts(at, exact);
	at = exact_put_total(at, exact);
	to->n = (size_t) (at - to->bytes);
}

/*
 * The value rounded to the type: drop what is below its last bit, and add one
 * there if that was more than half of it, or half and the bit is odd.
 */
static GaStatus
round_value(const Exact *exact, const FloatType *type, double *result)
{
	int last = type->least - LEAST_PLACE;
	GaStatus status = GA_OK;
	mpz_t kept, dropped, half;

	mpz_inits(kept, dropped, half, NULL);
	mpz_abs(kept, exact->value);
	if ((int) mpz_sizeinbase(kept, 2) - type->precision > last)
		last = (int) mpz_sizeinbase(kept, 2) - type->precision;
	mpz_tdiv_r_2exp(dropped, kept, last);
	mpz_tdiv_q_2exp(kept, kept, last);
	if (last > 0)
	{
		int against_half;

		mpz_setbit(half, last - 1);
		against_half = mpz_cmp(dropped, half);
		if (against_half > 0 || (against_half == 0 && mpz_odd_p(kept)))
			mpz_add_ui(kept, kept, 1);
	}
	if ((int) mpz_sizeinbase(kept, 2) + last + LEAST_PLACE > type->max + 1)
		status = GA_OVERFLOW;
	else
		*result = ldexp(mpz_get_d(kept), last + LEAST_PLACE) *
				  (mpz_sgn(exact->value) < 0 ? -1 : 1);
	mpz_clears(kept, dropped, half, NULL);
	return status;
}

GaStatus
exact_result(const Exact *exact, const FloatType *type, double *result)
{
	if (exact->n_nan > 0 || (exact->n_pos_inf > 0 && exact->n_neg_inf > 0))
		*result = NAN;
	else if (exact->n_pos_inf > 0)
		*result = INFINITY;
	else if (exact->n_neg_inf > 0)
		*result = -INFINITY;
	else if (mpz_sgn(exact->value) == 0)
		*result = exact->n > 0 && exact->n_neg_zero == exact->n ? -0.0 : 0.0;
	else
		return round_value(exact, type, result);
	return GA_OK;
}

bool
exact_equals(const Exact *exact, const GaExactSum *sum)
{
	const FloatType *const types[] = {&float8_type, &float4_type};
	SumBytes must, is;
	int i;

	exact_bytes(exact, &must);
	sum_bytes(sum, &is);
	if (!same_bytes(&must, &is))
		return false;
	for (i = 0; i < 2; i++)
	{
		double x = 0, y = 0;
		GaStatus status_x = exact_result(exact, types[i], &x);
		GaStatus status_y = sum_result(sum, types[i], &y);

		if (!same_result(status_x, x, status_y, y))
			return false;
	}
	return true;
}
