/*
 * test_oracle.c
 *		Are the oracles right that the other tests believe?
 *
 * Both are held against results of a third party, Python's fractions, and
 * against each other.
 */
#include <math.h>

#include "float_families.h"
#include "oracle.h"
#include "tap.h"

#define MAX_TERMS 10
#define OVERFLOW  NAN

typedef struct KnownSum
{
	int n;
	double terms[MAX_TERMS];
	double float8; /* OVERFLOW if it does */
	double float4;
} KnownSum;

#include "known_sums.h"

#define N_KNOWN_SUMS (int) (sizeof(known_sums) / sizeof(known_sums[0]))

static void
check_known(const KnownSum *known, const FloatType *type, double expected)
{
	GaStatus must = isnan(expected) ? GA_OVERFLOW : GA_OK;
	int index = (int) (known - known_sums);
	double result = 0;
	GaStatus status = oracle_sum(type, known->terms, known->n, &result);
	Exact exact;
	int i;

	tap_check(same_result(status, result, must, expected),
			  "sum %d: MPFR says %d %a, not %d %a", index, status, result, must,
			  expected);

	exact_init(&exact);
	for (i = 0; i < known->n; i++)
		exact_add(&exact, known->terms[i], 1);
	status = exact_result(&exact, type, &result);
	tap_check(same_result(status, result, must, expected),
			  "sum %d: GMP says %d %a, not %d %a", index, status, result, must,
			  expected);
	exact_clear(&exact);
}

/* Do both oracles say the same of a random array? */
static void
check_agreement(Rng *rng, const Family *family, const FloatType *type)
{
	double x[40];
	size_t n = rng_below(rng, 40);
	double by_mpfr = 0, by_gmp = 0;
	GaStatus status_mpfr, status_gmp;
	Exact exact;
	size_t i;

	family_fill(family, rng, type, x, n);
	if (rng_chance(rng, 4))
		sprinkle_neg_zeros(rng, 2, x, n);
	if (rng_chance(rng, 8))
		sprinkle_specials(rng, 20, x, n);
	exact_init(&exact);
	for (i = 0; i < n; i++)
		exact_add(&exact, x[i], 1);

	/* rounding to a narrower type comes to the smallest float4 */
	if (rng_chance(rng, 4))
		type = &float4_type;
	status_mpfr = oracle_sum(type, x, n, &by_mpfr);
	status_gmp = exact_result(&exact, type, &by_gmp);
	tap_check(same_result(status_mpfr, by_mpfr, status_gmp, by_gmp),
			  "%s, %zu of %s: MPFR says %d %a, GMP %d %a", type->name, n,
			  family->name, status_mpfr, by_mpfr, status_gmp, by_gmp);
	exact_clear(&exact);
}

int
main(void)
{
	const double minus_zeros[] = {-0.0, -0.0, 0.0};
	Rng rng = {1};
	double result;
	int i;
	long j;

	tap_begin("known sums");
	for (i = 0; i < N_KNOWN_SUMS; i++)
	{
		check_known(&known_sums[i], &float8_type, known_sums[i].float8);
		check_known(&known_sums[i], &float4_type, known_sums[i].float4);
	}
	tap_end();

	tap_begin("zeros and specials by MPFR");
	tap_check(oracle_sum(&float8_type, NULL, 0, &result) == GA_OK &&
				  result == 0 && !signbit(result),
			  "no terms");
	(void) oracle_sum(&float8_type, minus_zeros, 2, &result);
	tap_check(result == 0 && signbit(result), "-0 and -0");
	(void) oracle_sum(&float8_type, minus_zeros, 3, &result);
	tap_check(result == 0 && !signbit(result), "-0 and +0");
	tap_check(oracle_sum(&float8_type, (double[]){INFINITY, 1e308, 1e308}, 3,
						 &result) == GA_OK &&
				  isinf(result) && result > 0,
			  "infinity");
	(void) oracle_sum(&float8_type, (double[]){INFINITY, -INFINITY}, 2,
					  &result);
	tap_check(isnan(result), "both infinities");
	tap_end();

	for (i = 0; i < n_families; i++)
	{
		tap_begin("MPFR and GMP agree: %s", families[i].name);
		for (j = tap_cases(5000); j > 0; j--)
		{
			check_agreement(&rng, &families[i], &float8_type);
			check_agreement(&rng, &families[i], &float4_type);
		}
		tap_end();
	}
	return tap_done();
}
