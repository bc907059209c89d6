/*
 * test_exact_sum_top.c
 *		The exact sum: the highest cell, after more terms than one can add.
 *
 * Doubling makes sums of 2^32 terms and more, at whose top the carries of all
 * of them have gathered, in a cell range that has no cell above it.
 */
#include <stdlib.h>

#include "float_case.h"
#include "oracle.h"
#include "tap.h"

/*
 * The term: all that it can leave in the upper one of two cells, the highest
 * but one in a cell range that begins with the lowest cell of all.
 */
#define TERM  0x1.fffffffffffffp-767
#define LEAST 0x1p-1074

/* Terms that make the highest cell as large as it gets without a carry. */
#define MANY	  ((INT64_C(1) << 32) - 500)
#define VERY_MANY ((INT64_C(1) << 40) - 500)

static void
check_sum(const GaExactSum *sum, double x, int64_t times, int64_t n)
{
	Exact exact;

	exact_init(&exact);
	exact_add(&exact, LEAST, 1);
	exact_add(&exact, x, times);
	exact.n = n;
	tap_check(exact_equals(&exact, sum), "%lld times %a", (long long) times, x);
	exact_clear(&exact);
}

/*
 * LEAST, and so many times x in a sum with a full cell range: double, and add
 * one where the next bit of the number is set.
 */
static GaExactSum *
sum_of_many(double x, int64_t times)
{
	GaExactSum *sum = sum_new(GA_MIN_CELLS);
	int bit = 62;

	sum_add(&sum, LEAST);
	sum_add(&sum, x);
	while ((times >> bit & 1) == 0)
		bit--;
	for (bit--; bit >= 0; bit--)
	{
		GaExactSum *copy = sum_new(sum->capacity);

		ga_exact_sum_copy(copy, sum->capacity, sum);
		sum_remove(&copy, LEAST);
		sum_merge(&sum, copy);
		sum_free(copy);
		if (times >> bit & 1)
			sum_add(&sum, x);
	}
	check_sum(sum, x, times, times + 1);
	return sum;
}

/* The cell range is as this test needs it: full, and with a large top. */
static void
test_premise(double x)
{
	GaExactSum *sum = sum_of_many(x, MANY);
	int64_t top = llabs((long long) sum->cells[sum->n_cells - 1]);

	tap_begin("2^32 times %a", x);
	check_sum(sum, x, MANY, MANY + 1);
	tap_check(sum->capacity == GA_MIN_CELLS && sum->n_cells == GA_MIN_CELLS &&
				  sum->first == 0,
			  "%d cells from %d", sum->n_cells, sum->first);
	tap_check(top >= INT64_C(1) << 51, "the top is only %lld", (long long) top);
	tap_end();
	sum_free(sum);
}

/* Additions that make the top carry at some time. */
static void
test_adding(double x, int64_t many)
{
	GaExactSum *sum = sum_of_many(x, many);
	int i;

	tap_begin("%lld times %a, and more of them", (long long) many, x);
	for (i = 1; i <= 5000; i++)
	{
		sum_add(&sum, x);
		if (i % 100 == 0)
			check_sum(sum, x, many + i, many + 1 + i);
	}
	sum_free(sum);
	tap_end();
}

/* Each sum takes the one that took all others: only that one has them all. */
static void
test_chain(double x, int64_t many)
{
	GaExactSum *chain = sum_of_many(x, many);
	int64_t times = many;
	int level;

	tap_begin("%lld times %a, in a chain of 3000", (long long) many, x);
	for (level = 1; level <= 3000; level++)
	{
		GaExactSum *next = sum_of_many(x, many);

		sum_remove(&next, LEAST);
		sum_merge(&next, chain);
		sum_free(chain);
		chain = next;
		times += many;
		check_sum(chain, x, times, times + 1);
	}
	sum_free(chain);
	tap_end();
}

/* An array, when what is pending will have to be carried into a new cell. */
static void
test_engines(double x)
{
	const GaCpuEngine *best = ga_cpu_best();
	double data[1000];
	int i, more, pending;

	tap_begin("2^32 times %a, and then an array", x);
	for (i = 0; i < 1000; i++)
		data[i] = LEAST;
	for (more = 0; more < 1000; more += 50)
	{
		for (pending = 995; pending <= GA_MAX_PENDING; pending++)
		{
			GaExactSum *sum = sum_of_many(x, MANY + more);
			int64_t times = MANY + more;

			while (sum->n_pending < pending)
			{
				sum_add(&sum, x);
				times++;
			}
			sum_add_run(&sum, best, &float8_type, data, 1000);
			while (sum->n > times + 1)
				sum_remove(&sum, LEAST);
			check_sum(sum, x, times, times + 1);
			sum_free(sum);
		}
	}
	tap_end();
}

/* One of a few sums that are merged into one another, and what it must be. */
typedef struct Member
{
	GaExactSum *sum;
	Exact exact;
} Member;

#define N_MEMBERS 6

static void
new_member(Rng *rng, Member *member)
{
	double x = rng_chance(rng, 2) ? TERM : -TERM;
	int64_t times = INT64_C(1) << rng_between(rng, 1, 36);

	times -= rng_between(rng, 0, 1);
	member->sum = sum_of_many(x, times);
	exact_init(&member->exact);
	exact_add(&member->exact, LEAST, 1);
	exact_add(&member->exact, x, times);
}

static void
free_member(Member *member)
{
	sum_free(member->sum);
	exact_clear(&member->exact);
}

/* Merge a member into another one some times, and take it out less often. */
static void
merge_members(Rng *rng, Member *to, const Member *from)
{
	int times = rng_between(rng, 1, 4);
	int back = rng_between(rng, 0, times - 1);
	int i;

	for (i = 0; i < times; i++)
		sum_merge(&to->sum, from->sum);
	for (i = 0; i < back; i++)
		sum_unmerge(&to->sum, from->sum);
	times -= back;
	mpz_addmul_ui(to->exact.value, from->exact.value, times);
	to->exact.n += times * from->exact.n;
}

/* Sums with all kinds of tops and pending additions, in any order. */
static void
test_members(Rng *rng)
{
	const double x = TERM;
	Member members[N_MEMBERS];
	int i;
	long step;

	tap_begin("many terms, merged in any order");
	for (i = 0; i < N_MEMBERS; i++)
		new_member(rng, &members[i]);
	for (step = tap_cases(50000); step > 0; step--)
	{
		Member *to = &members[rng_below(rng, N_MEMBERS)];
		const Member *from = &members[rng_below(rng, N_MEMBERS)];

		if (from->exact.n + to->exact.n > INT64_C(1) << 58)
		{
			free_member(to);
			new_member(rng, to);
		}
		else if (from != to)
			merge_members(rng, to, from);
		i = rng_chance(rng, 2) ? 0 : rng_between(rng, 0, 600);
		exact_add(&to->exact, x, i);
		for (; i > 0; i--)
			sum_add_all(&to->sum, &x, 1);
		tap_check(exact_equals(&to->exact, to->sum), "%lld terms",
				  (long long) to->exact.n);
	}
	for (i = 0; i < N_MEMBERS; i++)
		free_member(&members[i]);
	tap_end();
}

int
main(void)
{
	Rng rng = {13};
	int sign;

	for (sign = 1; sign >= -1; sign -= 2)
	{
		test_premise(sign * TERM);
		test_adding(sign * TERM, MANY);
		test_adding(sign * TERM, VERY_MANY);
		test_chain(sign * TERM, MANY);
		test_chain(sign * TERM, VERY_MANY);
		test_engines(sign * TERM);
	}
	test_members(&rng);
	return tap_done();
}
