/*
 * fuzz_split.c
 *		Random arrays split into states, merged in random order, against MPFR.
 *
 * As nodes and rollups do it: each state is bytes, and so is each sum of two of
 * them.  Elements go to any state, so that some states are empty.
 */
#include <stdlib.h>

#include "float_case.h"
#include "fuzz.h"
#include "tap.h"

#define MAX_LENGTH 1000
#define MAX_STATES 20

static double x[MAX_LENGTH];

static const Family *
random_family(Rng *rng)
{
	return &families[rng_below(rng, n_families)];
}

/* Add a number to a state. */
static void
add_number(SumBytes *to, double number)
{
	GaFullSum full;
	GaStatus status = ga_exact_sum_deserialize(&full, to->bytes, to->n);

	if (status == GA_OK)
		status = ga_exact_sum_add(ga_full_sum(&full), number);
	tap_check(status == GA_OK, "status %d", status);
	sum_bytes(ga_full_sum(&full), to);
}

/* Add a state to another, and see that it can be taken away again. */
static void
add_state(SumBytes *to, const SumBytes *other)
{
	SumBytes sum, back;
	GaStatus status = ga_exact_sum_add_serialized(
		to->bytes, to->n, other->bytes, other->n, 1, sum.bytes, &sum.n);

	tap_check(status == GA_OK, "status %d", status);
	status = ga_exact_sum_add_serialized(sum.bytes, sum.n, other->bytes,
										 other->n, -1, back.bytes, &back.n);
	tap_check(status == GA_OK && same_bytes(&back, to), "other bytes");
	*to = sum;
}

/* Is a state what the case must have, in bytes and rounded? */
static void
check(const SumBytes *state, const FloatCase *fc)
{
	GaFullSum full;
	GaStatus status = ga_exact_sum_deserialize(&full, state->bytes, state->n);
	double result = 0;

	tap_check(status == GA_OK, "status %d", status);
	tap_check(same_bytes(state, &fc->bytes), "other bytes: %zu of %s", fc->n,
			  fc->family);
	status = sum_result(ga_full_sum(&full), fc->type, &result);
	tap_check(same_result(status, result, fc->status, fc->result),
			  "%a, must be %a: %zu of %s", result, fc->result, fc->n,
			  fc->family);
}

static void
try_type(Rng *rng, const FloatType *type)
{
	size_t n = rng_below(rng, rng_chance(rng, 5) ? MAX_LENGTH + 1 : 50);
	const char *name = fuzz_fill(rng, type, random_family, x, n);
	int n_states = rng_between(rng, 1, MAX_STATES);
	SumBytes states[MAX_STATES];
	GaExactSum *empty = sum_new(0);
	FloatCase fc;
	size_t i;

	for (i = 0; i < (size_t) n_states; i++)
		sum_bytes(empty, &states[i]);
	sum_free(empty);
	for (i = 0; i < n; i++)
		add_number(&states[rng_below(rng, n_states)], x[i]);
	while (n_states > 1)
	{
		const size_t from = rng_below(rng, n_states);
		const SumBytes other = states[from];

		states[from] = states[--n_states];
		add_state(&states[rng_below(rng, n_states)], &other);
	}
	float_case_new(&fc, type, name, x, n);
	check(&states[0], &fc);
	float_case_free(&fc);
}

static uint32_t
try_case(uint64_t seed, uint64_t number)
{
	Rng rng = fuzz_rng(seed, number);

	try_type(&rng, rng_chance(&rng, 3) ? &float4_type : &float8_type);
	return 1;
}

int
main(int argc, char **argv)
{
	static const Fuzz fuzz = {"cases of splits", "fuzz", 1000000, try_case};

	return fuzz_main(&fuzz, argc, argv);
}
