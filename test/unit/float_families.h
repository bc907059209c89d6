/*
 * float_families.h
 *		Arrays of random floats in families, each with a trouble of its own.
 */
#ifndef FLOAT_FAMILIES_H
#define FLOAT_FAMILIES_H

#include "random_floats.h"

typedef struct Family
{
	const char *name;
	void (*fill)(Rng *rng, const FloatType *type, int parameter, double *x,
				 size_t n);
	int parameter;
} Family;

extern const Family families[];
extern const int n_families;

extern void family_fill(const Family *family, Rng *rng, const FloatType *type,
						double *x, size_t n);
extern const Family *family_find(const char *name);

#endif /* FLOAT_FAMILIES_H */
