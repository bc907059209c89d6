/*
 * running.h
 *		What running totals must be, by MPFR.
 *
 * The finite inputs so far are added up in one MPFR number that is wide enough
 * for all of them, and that is rounded anew for each total.  It shares neither
 * code nor method with mpfr_sum(), which test_scan_oracle.c compares it with.
 */
#ifndef RUNNING_H
#define RUNNING_H

#include <mpfr.h>

#include "random_floats.h"
#include "exact/status.h"

typedef struct Running
{
	mpfr_t total; /* of the finite inputs, exact */
	int64_t n;
	int64_t n_nan;
	int64_t n_pos_inf;
	int64_t n_neg_inf;
	int64_t n_neg_zero;
} Running;

extern void running_init(Running *running);
extern void running_clear(Running *running);
extern void running_add(Running *running, double x);

/* The total, rounded once to the type; GA_OVERFLOW if beyond it. */
extern GaStatus running_total(const Running *running, const FloatType *type,
							  double *total);

#endif /* RUNNING_H */
