/*
 * float_case.h
 *		An array of floats, what its sum must be, and whether engines agree.
 */
#ifndef FLOAT_CASE_H
#define FLOAT_CASE_H

#include "float_families.h"
#include "guarded.h"
#include "sums.h"

typedef struct FloatCase
{
	const FloatType *type;
	const char *family; /* for messages */
	size_t n;
	const double *x; /* the elements; the caller's */
	void *data;		 /* the same in the type's own format */
	SumBytes bytes;	 /* of their sum, added one by one */
	GaStatus status; /* of their sum, rounded; by MPFR */
	double result;
} FloatCase;

extern void float_case_new(FloatCase *fc, const FloatType *type,
						   const char *family, const double *x, size_t n);
extern void float_case_free(FloatCase *fc);

/* Check one engine, or all that this processor can run. */
extern void float_case_check(const FloatCase *fc, const GaCpuEngine *engine,
							 const void *data, int capacity, size_t n_before,
							 size_t n_first);
extern void float_case_check_all(const FloatCase *fc, const void *data);
extern void float_case_check_guarded(const FloatCase *fc, Guarded *guarded,
									 size_t offset);

/* Make a case of a random array, check it with all engines, and free it. */
extern void float_case_try(const FloatType *type, const char *family,
						   const double *x, size_t n);

/* One line for each engine that can't be tested here. */
extern void skip_unsupported_engines(void);

#endif /* FLOAT_CASE_H */
