/*
 * test_extreme.c
 *		The least and greatest element, of arrays and of moving windows;
 *		moving sums of integers; differences.
 *
 * Loops over each window, with the order as its definition says it, tell what
 * must come out.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact/delta.h"
#include "exact/extreme.h"
#include "exact/int_moving.h"
#include "random_floats.h"
#include "tap.h"

#define MAX_LENGTH 400

/* Elements of a type as bytes, and as numbers: floats or integers. */
static char data[MAX_LENGTH * sizeof(double)];
static double floats[MAX_LENGTH];
static int64_t ints[MAX_LENGTH];

static int64_t
random_int(Rng *rng, GaElementType type)
{
	const int64_t least = type == GA_int2 ? INT16_MIN :
						  type == GA_int4 ? INT32_MIN :
											INT64_MIN;
	const int64_t ends[] = {least, -(least + 1), 0, -1, 1, least + 1};

	return rng_chance(rng, 3) ? ends[rng_below(rng, 6)] :
								rng_between(rng, -20, 20);
}

static double
random_float(Rng *rng)
{
	const double some[] = {0.0,		 -0.0,		NAN,   -NAN,
						   INFINITY, -INFINITY, 1e-45, -1e-45};

	return rng_chance(rng, 2) ? some[rng_below(rng, 8)] :
								rng_between(rng, -9, 9) / 4.0;
}

static void
fill(Rng *rng, GaElementType type, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		float single;

		ints[i] = random_int(rng, type);
		floats[i] = random_float(rng);
		single = (float) floats[i];
		if (type == GA_float4)
		{
			floats[i] = single;
			memcpy(data + i * sizeof(single), &single, sizeof(single));
		}
		else if (type == GA_float8)
			memcpy(data + i * sizeof(double), &floats[i], sizeof(double));
		else
			memcpy(data + i * ga_element_size(type), &ints[i],
				   ga_element_size(type));
	}
}

/* Is element i greater than element j?  NaN is greatest, and 0 above -0. */
static bool
is_greater(GaElementType type, size_t i, size_t j)
{
	double a = floats[i], b = floats[j];

	if (!ga_element_is_float(type))
		return ints[i] > ints[j];
	if (isnan(a) || isnan(b))
		return isnan(a) && !isnan(b);
	return a > b || (a == 0 && b == 0 && !signbit(a) && signbit(b));
}

/* Is it the element at `to`, where NaN is the one that PostgreSQL has? */
static bool
is_element(GaElementType type, size_t i, const char *to)
{
	const uint32_t nan4 = 0x7fc00000;
	const uint64_t nan8 = UINT64_C(0x7ff8000000000000);

	if (type == GA_float4 && isnan(floats[i]))
		return memcmp(&nan4, to, sizeof(nan4)) == 0;
	if (type == GA_float8 && isnan(floats[i]))
		return memcmp(&nan8, to, sizeof(nan8)) == 0;
	return memcmp(data + i * ga_element_size(type), to,
				  ga_element_size(type)) == 0;
}

/* Return the extreme of the elements from one on, to another. */
static size_t
find(GaElementType type, bool is_max, size_t from, size_t last)
{
	size_t best = from;

	for (; from <= last; from++)
	{
		if (is_max ? is_greater(type, from, best) :
					 is_greater(type, best, from))
			best = from;
	}
	return best;
}

/* A window over all elements, and the neutral one behind them. */
static void
check_neutral(GaElementType type, bool is_max, size_t n)
{
	const size_t must = find(type, is_max, 0, n - 1);
	GaMovingExtreme moving;
	char *out = malloc(n * 8);
	char neutral[8], is[8];

	ga_moving_extreme_init(&moving, type, is_max, n + 1, NULL);
	(void) ga_moving_extreme(&moving, data, n, out);
	ga_extreme_neutral(type, is_max, neutral);
	(void) ga_moving_extreme(&moving, neutral, 1, is);
	tap_check(is_element(type, must, is), "the neutral element is not");
	free(out);
}

static void
check_window(Rng *rng, GaElementType type, bool is_max, size_t n, size_t window)
{
	const size_t size = ga_element_size(type);
	void *section = window < n ? malloc(window * size) : NULL;
	GaMovingExtreme moving;
	size_t done = 0, i;

	ga_moving_extreme_init(&moving, type, is_max, window, section);
	while (done < n)
	{
		size_t part = 1 + rng_below(rng, n - done);
		char *out = malloc(part * size);
		size_t n_out =
			ga_moving_extreme(&moving, data + done * size, part, out);

		for (i = 0; i < n_out; i++)
		{
			size_t last = done + i;
			size_t from = last >= window ? last - window + 1 : 0;

			tap_check(is_element(type, find(type, is_max, from, last),
								 out + i * size),
					  "%s over %zu at %zu of %zu", is_max ? "max" : "min",
					  window, last, n);
		}
		done += n_out;
		free(out);
	}
	free(section);
}

static void
test_extremes(Rng *rng, GaElementType type)
{
	long i;

	tap_begin("%s, extremes of windows", ga_element_name(type));
	for (i = tap_cases(20000); i > 0; i--)
	{
		bool is_max = rng_chance(rng, 2);
		size_t n = 1 + rng_below(rng, rng_chance(rng, 4) ? MAX_LENGTH : 20);
		size_t window = 1 + rng_below(rng, rng_chance(rng, 2) ? 5 : n + 2);

		fill(rng, type, n);
		check_neutral(type, is_max, n);
		check_window(rng, type, is_max, n, window);
	}
	tap_end();
}

/* A section of more elements than one call goes back over. */
static void
test_long_window(void)
{
	const size_t n = 3 * GA_EXTREME_STEPS, window = 2 * GA_EXTREME_STEPS - 3;
	int64_t *in = malloc(n * sizeof(*in)), *out = malloc(n * sizeof(*out));
	void *section = malloc(window * sizeof(*in));
	size_t done = 0, i, step;
	GaMovingExtreme moving;

	tap_begin("a window of more elements than a call does");
	for (i = 0; i < n; i++)
		in[i] = i % 1000003 == 17 ? (int64_t) (n + i) : (int64_t) (n - i);
	ga_moving_extreme_init(&moving, GA_int8, true, window, section);
	while (done < n)
	{
		step = ga_moving_extreme(&moving, in + done, n - done, out + done);
		tap_check(step <= GA_EXTREME_STEPS, "a call did %zu elements", step);
		done += step;
	}

	/* the last of the marked ones in the window is the greatest */
	for (i = window + 17; i < n; i++)
	{
		int64_t must = (int64_t) (n + i - (i - 17) % 1000003);

		tap_check(out[i] == must, "output %zu is %lld", i, (long long) out[i]);
	}
	tap_end();
	free(in);
	free(out);
	free(section);
}

static void
test_int_sums(Rng *rng, GaElementType type)
{
	const size_t size = ga_element_size(type);
	long k;

	tap_begin("%s, moving sums", ga_element_name(type));
	for (k = tap_cases(10000); k > 0; k--)
	{
		size_t n = 1 + rng_below(rng, MAX_LENGTH);
		size_t window = 1 + rng_below(rng, n + 2), i;
		size_t head = window < n ? window : n;
		int64_t narrow[MAX_LENGTH], total = 0;
		GaInt128 wide[MAX_LENGTH], wide_total = 0, must = 0;
		const char *rest = data + head * size;

		fill(rng, type, n);
		if (type == GA_int8)
		{
			ga_int_moving_int8(&wide_total, data, NULL, head, wide);
			ga_int_moving_int8(&wide_total, rest, data, n - head, wide + head);
		}
		else if (type == GA_int4)
		{
			ga_int_moving_int4(&total, data, NULL, head, narrow);
			ga_int_moving_int4(&total, rest, data, n - head, narrow + head);
		}
		else
		{
			ga_int_moving_int2(&total, data, NULL, head, narrow);
			ga_int_moving_int2(&total, rest, data, n - head, narrow + head);
		}
		for (i = 0; i < n; i++)
		{
			must += ints[i] - (i >= window ? (GaInt128) ints[i - window] : 0);
			tap_check((type == GA_int8 ? wide[i] : narrow[i]) == must,
					  "output %zu of window %zu", i, window);
		}
	}
	tap_end();
}

/* The difference in 128 bits, or in the type's own arithmetic. */
static bool
check_delta(GaElementType type, size_t i, const char *out, bool is_done)
{
	const size_t size = ga_element_size(type);
	GaInt128 exact = (GaInt128) ints[i] - ints[i - 1];
	double a = floats[i], b = floats[i - 1];
	double difference = type == GA_float4 ? (float) a - (float) b : a - b;
	int64_t is = 0;
	float single;

	if (type == GA_float8)
	{
		memcpy(&a, out, sizeof(a));
		return is_done && (isnan(a) ? isnan(difference) :
									  a == difference &&
										  !signbit(a) == !signbit(difference));
	}
	if (type == GA_float4)
	{
		memcpy(&single, out, sizeof(single));
		return is_done &&
			   (isnan(single) ? isnan(difference) :
								single == difference &&
									!signbit(single) == !signbit(difference));
	}
	memcpy(&is, out, size);
	is = size == 2 ? (int16_t) is : size == 4 ? (int32_t) is : is;
	if (exact < -((GaInt128) 1 << (8 * size - 1)) ||
		exact >= (GaInt128) 1 << (8 * size - 1))
		return !is_done;
	return is_done && is == exact;
}

static void
test_deltas(Rng *rng, GaElementType type)
{
	const size_t size = ga_element_size(type);
	long k;

	tap_begin("%s, differences", ga_element_name(type));
	for (k = tap_cases(10000); k > 0; k--)
	{
		size_t n = 2 + rng_below(rng, 50), i;
		char out[MAX_LENGTH * 8] = {0};

		fill(rng, type, n);
		for (i = 1; i < n; i++)
		{
			i += ga_delta(type, data + i * size, data + (i - 1) * size, n - i,
						  out + i * size);
			if (i < n)
				tap_check(check_delta(type, i, out + i * size, false),
						  "element %zu does not overflow", i);
			else
				tap_check(check_delta(type, n - 1, out + (n - 1) * size, true),
						  "the last difference, %a - %a", floats[n - 1],
						  floats[n - 2]);
		}
	}
	tap_end();
}

/* Differences of finite floats that are infinite. */
static void
test_float_overflow(void)
{
	const double in[] = {1e308, -1e308, INFINITY, 1e308};
	const float singles[] = {3e38f, -3e38f, INFINITY, 1e38f};
	double out[4];
	float out4[4];

	tap_begin("differences of floats that overflow");
	tap_check(ga_delta(GA_float8, in + 1, in, 3, out) == 0, "float8");
	tap_check(ga_delta(GA_float8, in + 2, in + 1, 2, out) == 2, "infinite");
	tap_check(ga_delta(GA_float4, singles + 1, singles, 3, out4) == 0,
			  "float4");
	tap_check(ga_delta(GA_float4, singles + 2, singles + 1, 2, out4) == 2,
			  "infinite");
	tap_end();
}

int
main(void)
{
	Rng rng = {41};
	int type;

	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		test_extremes(&rng, type);
	test_long_window();
	for (type = GA_int2; type <= GA_int8; type++)
		test_int_sums(&rng, type);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		test_deltas(&rng, type);
	test_float_overflow();
	return tap_done();
}
