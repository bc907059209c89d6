/*
 * test_scan_oracle.c
 *		The oracle of running totals against mpfr_sum(), total by total.
 */
#include <math.h>

#include "oracle.h"
#include "running.h"
#include "running_families.h"
#include "tap.h"

#define MAX_LENGTH 3000

static const FloatType *const types[] = {&float8_type, &float4_type};

static double x[MAX_LENGTH];

/* Each total of n elements of x, or of long ones some. */
static void
check_totals(Rng *rng, const FloatType *type, const char *name, size_t n)
{
	Running running;
	size_t i;

	running_init(&running);
	for (i = 0; i < n; i++)
	{
		double is = 0, must = 0;
		GaStatus status_is, status_must;

		running_add(&running, x[i]);
		if (i >= 100 && !rng_chance(rng, 50))
			continue;
		status_is = running_total(&running, type, &is);
		status_must = oracle_sum(type, x, i + 1, &must);
		tap_check(same_result(status_is, is, status_must, must),
				  "%s, %s: total %zu is %d %a, by mpfr_sum %d %a", type->name,
				  name, i, status_is, is, status_must, must);
	}
	running_clear(&running);
}

static void
test_family(Rng *rng, const FloatType *type, const Family *family)
{
	long turns = tap_cases(40);
	long i;

	tap_begin("%s, the oracle of running totals, %s", type->name, family->name);
	for (i = 0; i < turns; i++)
	{
		size_t n = i == 0 ? MAX_LENGTH : rng_below(rng, 120);

		family_fill(family, rng, type, x, n);
		if (rng_chance(rng, 4))
			sprinkle_neg_zeros(rng, rng_between(rng, 1, 20), x, n);
		if (rng_chance(rng, 4))
			sprinkle_specials(rng, rng_between(rng, 10, 1000), x, n);
		check_totals(rng, type, family->name, n);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {21};
	int t, f;

	for (t = 0; t < 2; t++)
	{
		for (f = 0; f < n_running_families(); f++)
			test_family(&rng, types[t], running_family(f));
	}
	return tap_done();
}
