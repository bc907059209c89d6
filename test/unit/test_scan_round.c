/*
 * test_scan_round.c
 *		Running totals that are hard to round.
 *
 * A total of a number, half of its last place, and a bit somewhere below: the
 * bit decides, though it may be too low for any double on the way.  With two
 * levels that is one addition; with three, the remainder must be rounded to
 * odd, and to nearest would be wrong; a float4 must not be rounded to float8
 * first.
 */
#include <math.h>

#include "running_case.h"
#include "tap.h"

#define MAX_LENGTH	   64
#define N_SIGNIFICANDS 7

static const FloatType *const types[] = {&float8_type, &float4_type};

static double x[MAX_LENGTH];

/* Powers of two, odd and even ones, and those next to a power. */
static double
special_significand(Rng *rng, const FloatType *type, int i)
{
	uint64_t least = UINT64_C(1) << (type->precision - 1);
	const uint64_t all[N_SIGNIFICANDS] = {
		least,
		least + 1,
		least + 2,
		2 * least - 1,
		2 * least - 2,
		least | (rng_next(rng) & (least - 1)) | 1,
		least | (rng_next(rng) & (least - 2))};

	return (double) all[i];
}

/*
 * A number and half of a last place, both ways, each with the bit added and
 * taken away, behind a few elements that come to nothing.
 */
static void
try_ways(Rng *rng, const FloatType *type, double number, double half,
		 double bit)
{
	const double ways[] = {number, half,	bit,  -bit, -bit,  bit,
						   -half,  -half,	bit,  -bit, -bit,  bit,
						   half,   -number, half, bit,	-half, -bit};
	size_t n = 2 * rng_below(rng, 10);
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = i % 2 == 0 ? 3 * bit : -x[i - 1];
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		x[n++] = ways[i];
	running_case_try(type, "half ways and a bit", x, n, rng);
}

/* All places of the deciding bit, for numbers whose last place is 2^last. */
static void
test_half_ways(Rng *rng, const FloatType *type, int last, int part)
{
	int step = tap_is_long() ? 1 : 9;
	int i, sign, depth;

	tap_begin("%s, last place 2^%d and 1/%d of it, with all bits below",
			  type->name, last, 1 << part);
	for (i = 0; i < N_SIGNIFICANDS; i++)
	{
		for (sign = -1; sign <= 1; sign += 2)
		{
			for (depth = 1; depth <= 150; depth += step)
			{
				double number = special_significand(rng, type, i);

				if (last - part - depth < type->least)
					break;
				try_ways(rng, type, ldexp(sign * number, last),
						 ldexp(1, last - part),
						 ldexp(sign, last - part - depth));
			}
		}
	}
	tap_end();
}

/*
 * The same with a part of the remainder on the second level that is no power
 * of two, and several bits below: few ties, but cuts of every kind.
 */
static void
test_remainders(Rng *rng, const FloatType *type)
{
	long i;

	tap_begin("%s, remainders in several parts", type->name);
	for (i = tap_cases(20000); i > 0; i--)
	{
		int last =
			rng_between(rng, type->min + 20, type->max - type->precision);
		int which = (int) rng_below(rng, N_SIGNIFICANDS);
		double rest = ldexp(1, last - 1);
		size_t n = 0;

		x[n++] = ldexp(special_significand(rng, type, which), last);
		x[n++] = rest / 2;
		while (n < 12)
		{
			int e = last - 1 - rng_between(rng, 0, 90);

			if (e < type->least)
				e = type->least;
			x[n] =
				rng_chance(rng, 2) ? ldexp(1, e) : float_random(rng, type, e);
			if (rng_chance(rng, 2))
				x[n] = -x[n];
			if (n > 2 && rng_chance(rng, 3))
				x[n] = -x[n - 1];
			if (rng_chance(rng, 6))
				x[n] = rest / 2;
			n++;
		}
		running_case_try(type, "remainders", x, n, rng);
	}
	tap_end();
}

int
main(void)
{
	static const int last_places[2][5] = {{-52, 850, -830, -1000, -1060},
										  {-23, 60, 90, -110, -140}};
	Rng rng = {23};
	int t, i;

	skip_unsupported_engines();
	for (t = 0; t < 2; t++)
	{
		for (i = 0; i < 5; i++)
		{
			test_half_ways(&rng, types[t], last_places[t][i], 1);
			test_half_ways(&rng, types[t], last_places[t][i], 2);
		}
		test_remainders(&rng, types[t]);
	}
	return tap_done();
}
