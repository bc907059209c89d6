/*
 * running.c
 *		What running totals must be, by MPFR.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "running.h"

/* From 2^-1074 to the sum of 2^100 numbers below 2^1024. */
#define TOTAL_BITS 2240

void
running_init(Running *running)
{
	memset(running, 0, sizeof(*running));
	mpfr_init2(running->total, TOTAL_BITS);
	mpfr_set_zero(running->total, 1);
}

void
running_clear(Running *running)
{
	mpfr_clear(running->total);
}

void
running_add(Running *running, double x)
{
	running->n++;
	if (isnan(x))
		running->n_nan++;
	else if (isinf(x))
		*(x > 0 ? &running->n_pos_inf : &running->n_neg_inf) += 1;
	else if (x == 0)
		running->n_neg_zero += signbit(x) != 0;
	else if (mpfr_add_d(running->total, running->total, x, MPFR_RNDN) != 0)
	{
		fprintf(stderr, "the total of %a and others is not exact\n", x);
		exit(2);
	}
}

GaStatus
running_total(const Running *running, const FloatType *type, double *total)
{
	if (running->n_nan > 0 ||
		(running->n_pos_inf > 0 && running->n_neg_inf > 0))
		*total = NAN;
	else if (running->n_pos_inf > 0)
		*total = INFINITY;
	else if (running->n_neg_inf > 0)
		*total = -INFINITY;
	else if (mpfr_zero_p(running->total))
		*total =
			running->n > 0 && running->n_neg_zero == running->n ? -0.0 : 0.0;
	else
	{
		*total = type->size == 8 ?
					 mpfr_get_d(running->total, MPFR_RNDN) :
					 (double) mpfr_get_flt(running->total, MPFR_RNDN);
		return isinf(*total) ? GA_OVERFLOW : GA_OK;
	}
	return GA_OK;
}
