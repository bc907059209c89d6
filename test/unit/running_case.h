/*
 * running_case.h
 *		An array of floats, what its running totals must be, and whether
 *		engines agree, bit by bit.
 */
#ifndef RUNNING_CASE_H
#define RUNNING_CASE_H

#include "float_case.h"

typedef struct RunningCase
{
	FloatCase whole; /* the elements and their sum */
	char *totals;	 /* in the type's own format, by MPFR; one that
								 * overflows is OVERFLOW_BITS */
	bool any_overflow;
} RunningCase;

/* A NaN that no total is. */
#define OVERFLOW_BITS UINT64_C(0xffffffffffffffff)

/* A way to scan a case. */
typedef struct ScanWay
{
	const GaCpuEngine *engine; /* NULL for any of them at any call */
	const void *in;			   /* the elements */
	void *out;				   /* capacity: as many totals */
	size_t n;				   /* elements; there are no others */
	size_t n_before;		   /* ... of them are added, not scanned */
	Rng *parts;				   /* scan it in many calls; NULL for one */
} ScanWay;

extern void running_case_new(RunningCase *rc, const FloatType *type,
							 const char *name, const double *x, size_t n);
extern void running_case_free(RunningCase *rc);

/*
 * Check all totals of a way, the totals that overflow, and the sum that it
 * leaves.
 */
extern void running_case_check(const RunningCase *rc, const ScanWay *way);

/* Check the first n elements: with each engine at once, and in parts. */
extern void running_case_check_all(const RunningCase *rc, size_t n, Rng *rng);
extern void running_case_check_segments(const RunningCase *rc, size_t n,
										Rng *rng);

/* Check each engine at once, with in and out so many bytes off guard pages. */
extern void running_case_check_guarded(const RunningCase *rc, size_t n,
									   Guarded *in, Guarded *out,
									   size_t offset);

/* Make a case, check it with all engines, and free it. */
extern void running_case_try(const FloatType *type, const char *name,
							 const double *x, size_t n, Rng *rng);

extern const GaCpuEngine *random_engine(Rng *rng);

#endif /* RUNNING_CASE_H */
