/*
 * scan_case.h
 *		The running totals of an array of floats, and whether engines agree.
 */
#ifndef SCAN_CASE_H
#define SCAN_CASE_H

#include "float_case.h"

typedef struct ScanCase
{
	const FloatCase *fc; /* the elements */
	size_t n_before;	 /* are in the sum before the scan */
	size_t n;			 /* those that are scanned */
	size_t n_totals;	 /* less than that at an overflow */
	double *totals;
	SumBytes bytes; /* of the sum afterwards */
} ScanCase;

extern void scan_case_new(ScanCase *sc, const FloatCase *fc, size_t n_before);
extern void scan_case_free(ScanCase *sc);

/* Check one of the totals with MPFR. */
extern void scan_case_check_total(const ScanCase *sc, size_t i);

/*
 * Let an engine scan the elements, which are there, in two calls of which the
 * first one gets n_first.
 */
extern void scan_case_check(const ScanCase *sc, const GaCpuEngine *engine,
							const void *from, void *to, size_t n_first);

#endif /* SCAN_CASE_H */
