/*
 * elements.h
 *		Random elements of all types, and their sums by a CPU engine.
 */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include "cpu/cpu.h"
#include "exact/element.h"
#include "float_families.h"

extern const FloatType *element_float_type(GaElementType type);

/* Doubles as elements of a float type, and back. */
extern void elements_put(GaElementType type, const double *x, size_t n,
						 void *to);
extern void elements_get(GaElementType type, const void *from, size_t n,
						 double *x);

/* Integers as elements of any type. */
extern void elements_put_int(GaElementType type, const int64_t *x, size_t n,
							 void *to);
extern int64_t element_int(GaElementType type, const void *from, size_t i);

/*
 * Random elements: of a family if they are floats, which is returned for
 * messages; of the i-th family, or of any.
 */
extern const char *elements_fill(GaElementType type, Rng *rng, size_t n,
								 void *to);
extern const char *elements_fill_family(GaElementType type, Rng *rng, int i,
										size_t n, void *to);

/*
 * Random elements, quickly: exponents around 1, integers of any size, those
 * of 64 bits so small that millions do not overflow.
 */
extern void elements_fill_fast(GaElementType type, Rng *rng, size_t n,
							   void *to);

/* Sums by the baseline engine; that of floats has full capacity. */
extern void elements_sum_float(GaElementType type, GaExactSum *sum,
							   const void *data, size_t n);
extern void elements_sum_int(GaElementType type, GaIntSum *sum,
							 const void *data, size_t n);

/*
 * The least or the greatest of elements, one after the other, as a device has
 * it: integers as an int64_t, floats as a double.  All else is zero at first.
 */
typedef struct Extreme
{
	GaElementType type;
	bool is_max;
	bool is_any;
	uint64_t bits;
} Extreme;

extern void elements_extreme(Extreme *extreme, const void *data, size_t n);

#endif /* ELEMENTS_H */
