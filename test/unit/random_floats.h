/*
 * random_floats.h
 *		Random numbers, of any exponent, and special ones.
 *
 * All is made from a seed: the same seed gives the same numbers everywhere.
 * They are doubles; those made for float4 are values that float4 has.
 */
#ifndef RANDOM_FLOATS_H
#define RANDOM_FLOATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct FloatType
{
	const char *name;
	size_t size;   /* in bytes */
	int precision; /* bits of the significand */
	int least;	   /* exponent of the smallest subnormal */
	int min;	   /* ... of the smallest normal number */
	int max;	   /* ... of the largest number */
} FloatType;

extern const FloatType float8_type;
extern const FloatType float4_type;

/* SplitMix64: a counter with a finalizer (Steele, Lea and Flood, 2014). */
typedef struct Rng
{
	uint64_t state;
} Rng;

extern uint64_t rng_next(Rng *rng);
extern uint64_t rng_below(Rng *rng, uint64_t n);
extern int rng_between(Rng *rng, int least, int most);
extern bool rng_chance(Rng *rng, int one_in);

extern double float_scaled(const FloatType *type, uint64_t m, int exponent);
extern double float_largest(const FloatType *type, int exponent);
extern double float_random(Rng *rng, const FloatType *type, int exponent);
extern void float_shuffle(Rng *rng, double *x, size_t n);

/* Overwrite about one in one_in elements. */
extern void sprinkle_neg_zeros(Rng *rng, int one_in, double *x, size_t n);
extern void sprinkle_specials(Rng *rng, int one_in, double *x, size_t n);
extern double random_special(Rng *rng);

#endif /* RANDOM_FLOATS_H */
