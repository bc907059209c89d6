/*
 * specials.h
 *		Arrays of few numbers, and those hidden among many.
 */
#ifndef SPECIALS_H
#define SPECIALS_H

#include "array_set.h"

/*
 * All of them: NaN, infinities, zeros of both signs, the ends of the range,
 * cancellation.  Alone, and at the beginning, in the middle and at the end of
 * longer arrays of one value.  The set is of a float type.
 */
extern void specials_add_all(ArraySet *set);

/*
 * Fill an array of at most SPECIALS_MAX with plain numbers and one that is a
 * trouble: a NaN, an infinity, a very large one, a very small one, or -0.
 */
#define SPECIALS_MAX 10000
extern void specials_add_trouble(ArraySet *set, Rng *rng, size_t n, size_t at);

/*
 * The tests of special values that all requests for many arrays have: those of
 * specials_add_all(); trouble at every step-th position, each of them once;
 * each running family at lengths of a few tiles.  The type is of floats.
 */
extern void specials_test(Fixture *fixture, Rng *rng, GaElementType type,
						  size_t step,
						  void (*check)(Fixture *fixture, const ArraySet *set));

#endif /* SPECIALS_H */
