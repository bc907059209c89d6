/*
 * test_scan.c
 *		Running totals by the CPU engines: lengths, places in memory, parts.
 *
 * All outputs are compared with MPFR, bit by bit, and the sum that is left
 * with additions one by one, in all bytes of the state.
 */
#include "running_case.h"
#include "running_families.h"
#include "tap.h"

#define BLOCK	   1024 /* SCAN_BLOCK */
#define SHORT	   200	/* lengths tried one by one */
#define MAX_LENGTH ((1 << 16) + 1)

static const FloatType *const types[] = {&float8_type, &float4_type};

static double x[MAX_LENGTH];
static Guarded in;
static Guarded out;

/* All lengths from 0 on, at random places next to a guard page. */
static void
test_short_lengths(Rng *rng, const FloatType *type, const Family *family)
{
	int step = (int) (SHORT / tap_cases(SHORT));
	RunningCase rc;
	size_t n;

	tap_begin("%s, totals, lengths 0 to %d, %s", type->name, SHORT,
			  family->name);
	for (n = 0; n <= SHORT; n += rng_between(rng, 1, 2 * step - 1))
	{
		/* an array for some lengths, which scan a part of it */
		if (n % 8 == 0 || step > 1)
		{
			if (n > 0)
				running_case_free(&rc);
			family_fill(family, rng, type, x, n + 8);
			running_case_new(&rc, type, family->name, x, n + 8);
		}
		running_case_check_guarded(&rc, n, &in, &out, rng_below(rng, 10));
		running_case_check_all(&rc, n, rng);
	}
	running_case_free(&rc);
	tap_end();
}

/* Around the multiples of a tile. */
static void
test_block_lengths(Rng *rng, const FloatType *type, const Family *family)
{
	int step = tap_is_long() ? 1 : 7;
	RunningCase rc;
	int k, off;

	tap_begin("%s, totals, lengths around 1 to 4 tiles, %s", type->name,
			  family->name);
	family_fill(family, rng, type, x, 4 * BLOCK + 9);
	running_case_new(&rc, type, family->name, x, 4 * BLOCK + 9);
	for (k = 1; k <= 4; k++)
	{
		for (off = -9; off <= 9; off += step)
		{
			if (k == 1 || off == 0)
				running_case_check_all(&rc, k * BLOCK + off, rng);
			else
				running_case_check_segments(&rc, k * BLOCK + off, rng);
		}
	}
	running_case_free(&rc);
	tap_end();
}

/* Powers of two and the lengths next to them. */
static void
test_long_lengths(Rng *rng, const FloatType *type, const Family *family)
{
	int last = tap_is_long() ? 16 : 12;
	RunningCase rc;
	int k, off;

	tap_begin("%s, totals, lengths around 2^9 to 2^%d, %s", type->name, last,
			  family->name);
	family_fill(family, rng, type, x, (1 << last) + 1);
	running_case_new(&rc, type, family->name, x, (1 << last) + 1);
	for (k = 9; k <= last; k++)
	{
		for (off = -1; off <= 1; off++)
			running_case_check_segments(&rc, (1 << k) + off, rng);
	}
	running_case_free(&rc);
	tap_end();
}

/* Input and output at any address, though never far from a guard page. */
static void
test_alignment(Rng *rng, const FloatType *type, size_t base)
{
	const Family *family = family_find("exponents +-20");
	size_t offset, n;

	tap_begin("%s, totals, byte offsets 0 to 9, lengths from %zu", type->name,
			  base);
	for (n = base; n < base + 20; n++)
	{
		RunningCase rc;

		family_fill(family, rng, type, x, n);
		running_case_new(&rc, type, family->name, x, n);
		for (offset = 0; offset < 10; offset++)
			running_case_check_guarded(&rc, n, &in, &out, offset);
		running_case_free(&rc);
	}
	tap_end();
}

/* Parts of families one behind the other, with specials and -0 among them. */
static void
test_mixed(Rng *rng, const FloatType *type)
{
	long i;

	tap_begin("%s, totals of mixed families", type->name);
	for (i = tap_cases(1500); i > 0; i--)
	{
		size_t n = rng_below(rng, rng_chance(rng, 4) ? 9000 : 300);
		size_t done = 0;

		while (done < n)
		{
			size_t part = rng_below(rng, rng_chance(rng, 2) ? 2500 : 60);

			part = part < n - done ? part : n - done;
			family_fill(random_running_family(rng), rng, type, x + done, part);
			done += part;
		}
		if (rng_chance(rng, 3))
			sprinkle_neg_zeros(rng, rng_between(rng, 1, 100), x, n);
		if (rng_chance(rng, 6))
			sprinkle_specials(rng, rng_between(rng, 100, 9000), x, n);
		running_case_try(type, "mixed families", x, n, rng);
	}
	tap_end();
}

/* No elements: neither read nor written, and the sum stays as it is. */
static void
test_nothing(void)
{
	int i;

	tap_begin("totals of nothing");
	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		const GaCpuEngine *engine = ga_cpu_engines[i];
		GaExactSum *sum = sum_new(GA_MAX_CELLS);
		GaExactSum *one = sum_new(GA_MAX_CELLS);

		if (engine->is_supported())
		{
			sum_add(&sum, 1);
			sum_add(&one, 1);
			tap_check(engine->scan_float8(sum, NULL, 0, NULL) == 0, "float8");
			tap_check(engine->scan_float4(sum, NULL, 0, NULL) == 0, "float4");
			tap_check(same_sums(sum, one), "%s: the sum has changed",
					  engine->name);
		}
		sum_free(sum);
		sum_free(one);
	}
	tap_end();
}

int
main(void)
{
	static const size_t bases[] = {0, 20, 1015, 2040, 5110};
	Rng rng = {22};
	int t, i;

	skip_unsupported_engines();
	guarded_new(&in, MAX_LENGTH * sizeof(double));
	guarded_new(&out, MAX_LENGTH * sizeof(double));
	test_nothing();
	for (t = 0; t < 2; t++)
	{
		for (i = 0; i < n_running_families(); i++)
			test_short_lengths(&rng, types[t], running_family(i));
		for (i = 0; i < n_running_families(); i++)
			test_block_lengths(&rng, types[t], running_family(i));
		for (i = 0; i < n_running_families(); i++)
			test_long_lengths(&rng, types[t], running_family(i));
		for (i = 0; i < 5; i++)
			test_alignment(&rng, types[t], bases[i]);
		test_mixed(&rng, types[t]);
	}
	guarded_free(&in);
	guarded_free(&out);
	return tap_done();
}
