/*
 * test_exact_sum_merge.c
 *		The exact sum: merging, taking sums out, and carries on the way.
 */
#include <math.h>

#include "float_families.h"
#include "oracle.h"
#include "tap.h"

#define MAX_SETS   40
#define MAX_IN_SET 30

/* A few numbers and their sum. */
typedef struct Set
{
	double x[MAX_IN_SET];
	size_t n;
	GaExactSum *sum;
} Set;

static void
new_set(Rng *rng, const Family *family, Set *set)
{
	set->n = rng_below(rng, MAX_IN_SET + 1);
	family_fill(family, rng, &float8_type, set->x, set->n);
	if (rng_chance(rng, 3))
		sprinkle_neg_zeros(rng, 2, set->x, set->n);
	if (rng_chance(rng, 10))
		sprinkle_specials(rng, 20, set->x, set->n);
	set->sum = sum_new(GA_MIN_CELLS);
	sum_add_all(&set->sum, set->x, set->n);
}

/* Merge sets into a sum, and take them out again in another order. */
static void
walk(Rng *rng, const Family *family)
{
	GaExactSum *sum = sum_new(rng_between(rng, 0, 12));
	Set sets[MAX_SETS];
	int n = 0;
	bool is_growing = true;
	Exact exact;
	size_t i;

	exact_init(&exact);
	while (n > 0 || is_growing)
	{
		if (n < MAX_SETS && rng_chance(rng, 4) != is_growing)
		{
			Set *set = &sets[n++];

			new_set(rng, rng_chance(rng, 3) ? family : families, set);
			sum_merge(&sum, set->sum);
			for (i = 0; i < set->n; i++)
				exact_add(&exact, set->x[i], 1);
		}
		else if (n > 0)
		{
			int out = (int) rng_below(rng, n);

			sum_unmerge(&sum, sets[out].sum);
			for (i = 0; i < sets[out].n; i++)
				exact_add(&exact, sets[out].x[i], -1);
			sum_free(sets[out].sum);
			sets[out] = sets[--n];
		}
		if (n == MAX_SETS)
			is_growing = false;
		tap_check(exact_equals(&exact, sum), "%d sets of %s", n, family->name);
	}
	exact_clear(&exact);
	sum_free(sum);
}

/* A sum of so many times x, with the additions as pending as they can be. */
static GaExactSum *
pending_sum(double x, int n)
{
	GaExactSum *sum = sum_new(GA_MIN_CELLS);
	int i;

	for (i = 0; i < n; i++)
		sum_add(&sum, x);
	return sum;
}

static void
check_multiple(const GaExactSum *sum, double x, int64_t times, int64_t n)
{
	Exact exact;

	exact_init(&exact);
	exact_add(&exact, x, times);
	exact.n = n;
	tap_check(exact_equals(&exact, sum), "%lld times %a", (long long) times, x);
	exact_clear(&exact);
}

static const double extremes[] = {0x1.fffffffffffffp+1023,
								  -0x1.fffffffffffffp+1023,
								  0x1.fffffffffffffp+20,
								  -0x1.fffffffffffffp+20,
								  0x1.fffffffffffffp+21,
								  -0x1.fffffffffffffp+21,
								  0x1.fffffffffffffp-1022,
								  -0x0.fffffffffffffp-1022,
								  0x1p-1074,
								  -0x1p-1074};

#define N_EXTREMES (int) (sizeof(extremes) / sizeof(extremes[0]))

/* Both sides with any number of pending additions around the limit. */
static void
test_pending(void)
{
	static const int counts[] = {0,	   1,	 2,	   498,	 499, 500,
								 501,  502,	 997,  998,	 999, 1000,
								 1001, 1002, 1999, 2000, 2001};
	int n_counts = sizeof(counts) / sizeof(counts[0]);
	int e, i, j;

	tap_begin("merging with many additions pending");
	for (e = 0; e < N_EXTREMES; e++)
	{
		double x = extremes[e];

		for (i = 0; i < n_counts; i++)
		{
			for (j = 0; j < n_counts; j++)
			{
				GaExactSum *a = pending_sum(x, counts[i]);
				GaExactSum *b = pending_sum(x, counts[j]);
				int n = counts[i] + counts[j];

				sum_merge(&a, b);
				check_multiple(a, x, n, n);
				sum_add(&a, x);
				sum_merge(&a, b);
				check_multiple(a, x, n + 1 + counts[j], n + 1 + counts[j]);
				sum_unmerge(&a, b);
				sum_unmerge(&a, b);
				check_multiple(a, x, counts[i] + 1, counts[i] + 1);
				sum_free(a);
				sum_free(b);
			}
		}
	}
	tap_end();
}

/* A copy of full capacity. */
static GaExactSum *
copy_of(const GaExactSum *sum)
{
	GaExactSum *copy = sum_new(GA_MAX_CELLS);

	ga_exact_sum_copy(copy, GA_MAX_CELLS, sum);
	sum_check(copy);
	return copy;
}

/*
 * Double a sum until there are as many inputs as can be counted.  The more
 * pending the additions are at each level, the nearer cells are to their end.
 */
static void
test_doubling(double x, int n_pending)
{
	GaExactSum *sum = pending_sum(x, n_pending);
	int64_t n = n_pending;

	while (n <= INT64_MAX / 2)
	{
		GaExactSum *copy = copy_of(sum);

		sum_merge(&sum, copy);
		sum_free(copy);
		n *= 2;
		check_multiple(sum, x, n, n);
		while (sum->n_pending < GA_MAX_PENDING - 1 && n < INT64_MAX / 2)
		{
			sum_add(&sum, x);
			n++;
		}
		check_multiple(sum, x, n, n);
	}
	sum_free(sum);
}

/* Merge two sums into one another in turn: Fibonacci's numbers. */
static void
test_in_turn(double x, int n_pending)
{
	GaExactSum *a = pending_sum(x, n_pending);
	GaExactSum *b = pending_sum(-x, n_pending - 1);
	int64_t sum_a = n_pending, sum_b = -(n_pending - 1);
	int level;

	for (level = 0; level < 37; level++)
	{
		sum_merge(&a, b);
		sum_a += sum_b;
		check_multiple(a, x, sum_a, a->n);
		sum_merge(&b, a);
		sum_b += sum_a;
		check_multiple(b, x, sum_b, b->n);
	}
	for (; level > 0; level--)
	{
		sum_unmerge(&b, a);
		sum_unmerge(&a, b);
	}
	check_multiple(a, x, n_pending, n_pending);
	check_multiple(b, x, -(n_pending - 1), n_pending - 1);
	sum_free(a);
	sum_free(b);
}

/* Merging needs capacity for the cells that are not zero only. */
static void
test_little_capacity(void)
{
	GaExactSum *sum = sum_new(GA_MIN_CELLS);
	GaExactSum *full = sum_new(GA_MAX_CELLS);

	tap_begin("merging little from a long cell range");
	sum_add(&sum, 1);
	sum_add(&full, 1e300);
	sum_add(&full, 1e-300);
	sum_add(&full, 0x1.8p-1);
	sum_remove(&full, 1e300);
	sum_remove(&full, 1e-300);
	ga_exact_sum_carry(full);
	tap_check(ga_exact_sum_merge(sum, full) == GA_OK, "no capacity");
	sum_check(sum);
	check_multiple(sum, 0x1.cp+0, 1, 2);
	tap_check(ga_exact_sum_merge(full, sum) == GA_OK, "no capacity");
	check_multiple(full, 0x1.4p+1, 1, 3);
	sum_free(sum);
	sum_free(full);

	/* an empty sum needs no capacity */
	sum = sum_new(0);
	full = sum_new(GA_MAX_CELLS);
	sum_add(&full, -0.0);
	sum_add(&full, NAN);
	tap_check(ga_exact_sum_merge(sum, full) == GA_OK,
			  "no capacity for nothing");
	tap_check(same_sums(sum, full), "another sum");
	sum_free(sum);
	sum_free(full);
	tap_end();
}

int
main(void)
{
	Rng rng = {8};
	int i, f;

	for (f = 0; f < n_families; f++)
	{
		tap_begin("merging and removing, %s", families[f].name);
		for (i = 0; i < tap_cases(20); i++)
			walk(&rng, &families[f]);
		tap_end();
	}
	test_pending();
	tap_begin("doubling up to 2^62 inputs");
	for (i = 0; i < N_EXTREMES; i++)
	{
		test_doubling(extremes[i], 1);
		test_doubling(extremes[i], 499);
		test_doubling(extremes[i], 500);
		test_doubling(extremes[i], 999);
		test_doubling(extremes[i], 1000);
	}
	tap_end();
	tap_begin("merging in turn");
	for (i = 0; i < N_EXTREMES; i++)
	{
		test_in_turn(extremes[i], 400);
		test_in_turn(extremes[i], 999);
		test_in_turn(extremes[i], 1000);
	}
	tap_end();
	test_little_capacity();
	return tap_done();
}
