/*
 * test_exact_sum_value.c
 *		The exact sum as a value: order, negation, mean, integers.
 */
#include <math.h>

#include "exact/exact_sum_value.h"
#include "float_families.h"
#include "oracle.h"
#include "tap.h"

/* A few random numbers of one family, some of them special. */
static size_t
random_inputs(Rng *rng, double *x, size_t capacity)
{
	const Family *family = &families[rng_below(rng, n_families)];
	size_t n = rng_between(rng, 1, (int) capacity);

	family_fill(family, rng, &float8_type, x, n);
	if (rng_chance(rng, 5))
		sprinkle_neg_zeros(rng, 3, x, n);
	if (rng_chance(rng, 5))
		sprinkle_specials(rng, 5, x, n);
	return n;
}

static void
set_exact(Exact *exact, const double *x, size_t n)
{
	size_t i;

	exact_init(exact);
	for (i = 0; i < n; i++)
		exact_add(exact, x[i], 1);
}

static int
sign(int x)
{
	return (x > 0) - (x < 0);
}

/* The place of a value: 0 -Infinity, 1 finite, 2 Infinity, 3 NaN. */
static int
place(const Exact *exact)
{
	if (exact->n_nan > 0 || (exact->n_pos_inf > 0 && exact->n_neg_inf > 0))
		return 3;
	return exact->n_pos_inf > 0 ? 2 : exact->n_neg_inf > 0 ? 0 : 1;
}

static void
test_compare(Rng *rng)
{
	const long n_cases = tap_cases(50000);
	long n_equal = 0;
	long i;

	tap_begin("the order is that of the exact values");
	for (i = n_cases; i > 0; i--)
	{
		double x[8], y[8];
		size_t n = random_inputs(rng, x, 8);
		size_t m = n;
		GaExactSum *a, *b;
		Exact exact_a, exact_b;
		int is, must;

		/* the same numbers, the last of them a little different; or others */
		memcpy(y, x, sizeof(x));
		if (rng_chance(rng, 3))
			m = random_inputs(rng, y, 8);
		else if (rng_chance(rng, 2))
			y[n - 1] = nextafter(y[n - 1], rng_chance(rng, 2) ? 1e300 : -1e300);
		a = sum_of(x, n);
		b = sum_of(y, m);
		set_exact(&exact_a, x, n);
		set_exact(&exact_b, y, m);
		must = sign(place(&exact_a) - place(&exact_b));
		if (must == 0 && place(&exact_a) == 1)
			must = sign(mpz_cmp(exact_a.value, exact_b.value));
		is = ga_exact_sum_compare(a, b);
		tap_check(is == must, "%d, must be %d", is, must);
		tap_check(ga_exact_sum_compare(b, a) == -must, "the other way round");
		n_equal += must == 0;
		sum_free(a);
		sum_free(b);
		exact_clear(&exact_a);
		exact_clear(&exact_b);
	}
	/* one in three has the same numbers */
	tap_check(n_equal > n_cases / 10, "%ld of %ld are equal", n_equal, n_cases);
	tap_end();
}

static void
test_negate(Rng *rng)
{
	long i;

	tap_begin("the negative is the sum of the negatives");
	for (i = tap_cases(20000); i > 0; i--)
	{
		double x[20];
		size_t n = random_inputs(rng, x, 20);
		GaExactSum *sum = sum_of(x, n);
		GaExactSum *again = sum_of(x, n);
		Exact exact;
		size_t j;

		for (j = 0; j < n; j++)
			x[j] = x[j] == 0 ? 0 : -x[j];
		set_exact(&exact, x, n);
		ga_exact_sum_negate(sum);
		tap_check(ga_exact_sum_is_valid(sum), "not valid");
		tap_check(exact_equals(&exact, sum), "another sum");
		ga_exact_sum_negate(sum);
		again->n_neg_zero = 0;
		tap_check(same_sums(sum, again), "another sum, negated twice");
		sum_free(sum);
		sum_free(again);
		exact_clear(&exact);
	}
	tap_end();
}

/* The mean is the exact quotient, rounded once. */
static void
test_mean(Rng *rng)
{
	long i;

	tap_begin("the mean is rounded once");
	for (i = tap_cases(50000); i > 0; i--)
	{
		double x[20];
		size_t n = random_inputs(rng, x, 20);
		GaExactSum *sum = sum_of(x, n);
		GaStatus status, status_must;
		double is = 0, must = 0;
		Exact exact;

		/* as if zeros had been added, too */
		if (rng_chance(rng, 2))
			sum->n += (int64_t) (rng_next(rng) >> rng_between(rng, 8, 63));
		set_exact(&exact, x, n);
		exact.n = sum->n;
		status = ga_exact_sum_mean(sum, &is);
		status_must = oracle_mean(&exact, &must);
		tap_check(same_result(status, is, status_must, must),
				  "%a of %lld, must be %a", is, (long long) sum->n, must);
		sum_free(sum);
		exact_clear(&exact);
	}
	tap_end();
}

/* Integers of 128 bits, with the ends of their range. */
static void
test_from_int(Rng *rng)
{
	long i;

	tap_begin("integers");
	for (i = tap_cases(20000); i > 0; i--)
	{
		unsigned __int128 bits =
			(unsigned __int128) rng_next(rng) << 64 | rng_next(rng);
		GaInt128 total = (GaInt128) bits >> rng_between(rng, 0, 127);
		GaFullSum full;
		Exact exact;

		if (rng_chance(rng, 10))
			total = (GaInt128) ((unsigned __int128) 1 << 127) -
					(rng_chance(rng, 2) ? 1 : 0);
		exact_init(&exact);
		mpz_set_si(exact.value, (long) (total >> 64));
		mpz_mul_2exp(exact.value, exact.value, 64);
		mpz_add_ui(exact.value, exact.value, (unsigned long) total);
		mpz_mul_2exp(exact.value, exact.value, 1074);
		exact.n = 7;
		ga_exact_sum_from_int(&full, total, 7);
		tap_check(ga_exact_sum_is_valid(ga_full_sum(&full)), "not valid");
		tap_check(exact_equals(&exact, ga_full_sum(&full)), "another sum");
		exact_clear(&exact);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {11};

	test_compare(&rng);
	test_negate(&rng);
	test_mean(&rng);
	test_from_int(&rng);
	return tap_done();
}
