/*
 * packed_class.h
 *		Elements of kinds that packing treats in different ways.
 */
#ifndef PACKED_CLASS_H
#define PACKED_CLASS_H

#include "exact/element.h"
#include "random_floats.h"

/* Return the number of classes that a type has. */
extern int n_packed_classes(GaElementType type);

/* The class of prices of two places, of float types; of others a third one. */
#define PACKED_CLASS_PRICES 2

/* Fill an array with elements of a class, and return its name. */
extern const char *packed_class_fill(Rng *rng, GaElementType type, int i,
									 size_t n, void *to);

/* Decimals below 10^digits, of a number of places; of a float type. */
extern void packed_fill_decimals(Rng *rng, GaElementType type, int places,
								 int digits, size_t n, void *to);

/* Random bytes. */
extern void packed_fill_bytes(Rng *rng, size_t n_bytes, void *to);

#endif /* PACKED_CLASS_H */
