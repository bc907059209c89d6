/*
 * fuzz.h
 *		The frame of programs that try random cases, as many as one likes.
 *
 *		PROGRAM [cases [seed [first]]]
 *
 * A case depends on the seed and its number alone, so that one that failed can
 * be repeated by itself: one case, the seed, its number.  A seed of "time" is
 * taken from the clock.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "float_families.h"

typedef struct Fuzz
{
	const char *what;	/* cases, as the test's name has them */
	const char *repeat; /* the make goal that repeats one */
	uint64_t n_cases;	/* if the command line says nothing */
	/* try case `number`, or as many as it returns */
	uint32_t (*try_number)(uint64_t seed, uint64_t number);
} Fuzz;

/* Run the only test of a program; returns the exit status of main. */
extern int fuzz_main(const Fuzz *fuzz, int argc, char **argv);

/* The random numbers of a case. */
extern Rng fuzz_rng(uint64_t seed, uint64_t number);

/* A length of floats: mostly short, of a few tiles, and very few of many. */
extern size_t fuzz_length(Rng *rng, size_t most);

/*
 * Fill n floats: a family that choose() gives, or two of them one behind the
 * other or mixed, with -0 or specials here and there.  Returns a name for it.
 */
extern const char *fuzz_fill(Rng *rng, const FloatType *type,
							 const Family *(*choose)(Rng *rng), double *x,
							 size_t n);

#endif /* FUZZ_H */
