/*
 * test_ladder.c
 *		The ladder of teaching kernels: each rung, each type, every length at
 *		which its blocks may go wrong.  Without a GPU the CPU's rungs.
 *
 * Integers have to be right.  Floats may be off by what n additions, each
 * rounded, can come to; rungs that say they are exact may not.  And what a
 * rung says about its error has to be what is seen here.
 *
 *	test_ladder [TYPE...]	of all types, or int4, int8, float4, float8
 *
 * The long form takes every length up to SOME_LENGTHS; on a GPU that takes some
 * minutes, and types may be tested side by side.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"
#include "ladder_fixture.h"
#include "fixture.h"
#include "sums.h"
#include "tap.h"

#define MANY_LENGTHS  300
#define SOME_LENGTHS  5000
#define LARGEST_POWER 17
#define LARGEST		  10000000
#define REPEATS		  2

static const GaLadderRunner *runner;

static const char *const ladder_names[GA_N_LADDERS] = {"sum", "totals",
													   "exclusive totals"};

/* The elements of a length, and what must become of them. */
typedef struct Case
{
	GaElementType type;
	size_t n;
	bool is_made; /* by the device: those of ladder.h */
	void *in;
	void *totals[GA_N_LADDERS]; /* exact ones, of the type; one sum */
	double *magnitude;			/* sums of absolute values up to it */
	void *out;
} Case;

static Case the;

static void
case_init(void)
{
	int i;

	the.in = malloc((LARGEST + 1) * sizeof(double));
	the.out = malloc((LARGEST + 1) * sizeof(double));
	the.magnitude = malloc((LARGEST + 1) * sizeof(double));
	for (i = 0; i < GA_N_LADDERS; i++)
		the.totals[i] = malloc((LARGEST + 1) * sizeof(double));
}

static void
case_free(void)
{
	int i;

	free(the.in);
	free(the.out);
	free(the.magnitude);
	for (i = 0; i < GA_N_LADDERS; i++)
		free(the.totals[i]);
}

/* An item of the case's type, as a number; integers here are small. */
static double
item(const void *from, size_t i)
{
	switch (the.type)
	{
		case GA_int4:
			return ((const int32_t *) from)[i];
		case GA_int8:
			return (double) ((const int64_t *) from)[i];
		case GA_float4:
			return ((const float *) from)[i];
		default:
			return ((const double *) from)[i];
	}
}

/* Elements of ladder.h, or others, which have either sign. */
static void
make_elements(void)
{
	size_t i;

	for (i = 0; i < the.n; i++)
	{
		uint64_t at = the.is_made ? i : i + the.n * 65537;
		double sign = the.is_made || ga_ladder_bits(at) % 2 ? 1 : -1;

		if (the.type == GA_int4)
			((int32_t *) the.in)[i] = ga_ladder_int(at);
		else if (the.type == GA_int8)
			((int64_t *) the.in)[i] = ga_ladder_int(at);
		else if (the.type == GA_float4)
			((float *) the.in)[i] = (float) sign * ga_ladder_float4(at);
		else
			((double *) the.in)[i] = sign * ga_ladder_float8(at);
	}
}

/* The totals of integers, which fit, and are doubles for a moment. */
static void
expect_ints(void)
{
	int64_t total = 0;
	size_t i;

	for (i = 0; i < the.n; i++)
	{
		int64_t before = total;

		total += (int64_t) item(the.in, i);
		elements_put_int(the.type, &total, 1,
						 (char *) the.totals[GA_LADDER_SCAN] +
							 i * ga_element_size(the.type));
		elements_put_int(the.type, &before, 1,
						 (char *) the.totals[GA_LADDER_EXCLUSIVE_SCAN] +
							 i * ga_element_size(the.type));
	}
	elements_put_int(the.type, &total, 1, the.totals[GA_LADDER_REDUCE]);
}

static void
expect_floats(void)
{
	const size_t size = ga_element_size(the.type);
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	double result = 0;
	size_t n;

	elements_sum_float(the.type, sum, the.in, the.n);
	(void) sum_result(sum, element_float_type(the.type), &result);
	elements_put(the.type, &result, 1, the.totals[GA_LADDER_REDUCE]);

	sum = ga_full_sum_init(&full);
	n = the.type == GA_float8 ?
			ga_cpu_baseline.scan_float8(sum, the.in, the.n,
										the.totals[GA_LADDER_SCAN]) :
			ga_cpu_baseline.scan_float4(sum, the.in, the.n,
										the.totals[GA_LADDER_SCAN]);
	tap_check(n == the.n, "%zu of %zu totals expected", n, the.n);
	memset(the.totals[GA_LADDER_EXCLUSIVE_SCAN], 0, size);
	memcpy((char *) the.totals[GA_LADDER_EXCLUSIVE_SCAN] + size,
		   the.totals[GA_LADDER_SCAN], (the.n - 1) * size);
}

static void
case_use(GaElementType type, size_t n)
{
	double magnitude = 0;
	size_t i;

	the.type = type;
	the.n = n;
	the.is_made = n % 3 == 1;
	make_elements();
	if (ga_element_is_float(type))
		expect_floats();
	else
		expect_ints();
	for (i = 0; i < n; i++)
	{
		magnitude += fabs(item(the.in, i));
		the.magnitude[i] = magnitude;
	}
}

/* How far total i may be off: n roundings, each of at most what is summed. */
static double
bound(const GaRung *rung, GaLadder ladder, size_t i)
{
	size_t last = ladder == GA_LADDER_REDUCE ? the.n - 1 : i;

	if (rung->is_exact || !ga_element_is_float(the.type))
		return 0;
	return (double) (last + 1) * the.magnitude[last] *
		   (the.type == GA_float4 ? FLT_EPSILON : DBL_EPSILON);
}

/* Compare what came out with what must; returns the largest error. */
static double
check_results(const GaRung *rung, GaLadder ladder, size_t n)
{
	const void *must =
		strcmp(rung->name, "copy") == 0 ? the.in : the.totals[ladder];
	double worst = 0;
	size_t i;

	for (i = 0; i < n; i++)
	{
		double off = fabs(item(the.out, i) - item(must, i));

		worst = off > worst ? off : worst;
		if (off <= bound(rung, ladder, i))
			continue;
		tap_check(false, "%s of %s, %zu: %zu is %.17g, must be %.17g",
				  rung->name, ga_element_name(the.type), the.n, i,
				  item(the.out, i), item(must, i));
		return worst;
	}
	tap_check(!rung->is_exact ||
				  memcmp(the.out, must, n * ga_element_size(the.type)) == 0,
			  "%s of %s, %zu: not the same bits", rung->name,
			  ga_element_name(the.type), the.n);
	return worst;
}

/* One rung, of the elements that there are. */
static void
check_rung(GaLadder ladder, uint32_t place, const GaRung *rung)
{
	GaRungRequest request = {.ladder = ladder,
							 .rung = place,
							 .type = the.type,
							 .n = the.n,
							 .repeats = REPEATS,
							 .in = the.is_made ? NULL : the.in,
							 .out = the.out};
	GaDeviceFailure failure = {.call = ""};
	size_t n_out = ladder == GA_LADDER_REDUCE ? 1 : the.n;
	GaStatus status;
	double worst;

	memset(the.out, 0xa5, (n_out + 1) * ga_element_size(the.type));
	request.max_error = request.ms = -1;
	status = runner->run(&request, &failure);
	tap_check(status == GA_OK, "%s of %s, %zu: status %d, %s: %s", rung->name,
			  ga_element_name(the.type), the.n, (int) status, failure.call,
			  failure.message);
	if (status != GA_OK)
		return;
	worst = check_results(rung, ladder, n_out);
	tap_check(request.max_error == worst,
			  "%s of %s, %zu: says its error is "
			  "%g, but it is %g",
			  rung->name, ga_element_name(the.type), the.n, request.max_error,
			  worst);
	tap_check(request.ms >= 0 && request.ms < 60000, "%s: %g ms", rung->name,
			  request.ms);
	tap_check(request.same_bits ||
				  (ga_element_is_float(the.type) && !rung->is_exact),
			  "%s of %s, %zu: differs from run to run", rung->name,
			  ga_element_name(the.type), the.n);
}

/*
 * Managed memory takes its time: for some lengths only; and for none with
 * GA_NO_MANAGED in the environment, for a card on which it is not wanted.
 */
static bool
wants(const GaRung *rung)
{
	return (rung->types & UINT32_C(1) << the.type) != 0 &&
		   (!rung->is_managed ||
			(the.n % 61 == 0 && getenv("GA_NO_MANAGED") == NULL));
}

/* All rungs of a ladder, for a length. */
static void
check_length(GaLadder ladder, GaElementType type, size_t n)
{
	const GaRung *rungs;
	uint32_t n_rungs = runner->rungs(ladder, &rungs);
	uint32_t i;

	case_use(type, n);
	for (i = 0; i < n_rungs && !tap_is_failing(); i++)
	{
		if (wants(&rungs[i]))
			check_rung(ladder, i, &rungs[i]);
	}
}

/*
 * Every length in the long form; else a third of the short ones of two types.
 */
static size_t
next_length(GaElementType type, size_t n)
{
	if (fixture_is_quick())
		return n + (n < 40 ? 13 : 397);
	if (tap_is_long())
		return n + 1;
	if (n >= MANY_LENGTHS)
		return n + 97;
	return n + (type == GA_int4 || type == GA_float8 ? 3 : 17);
}

static void
test_lengths(GaLadder ladder, GaElementType type)
{
	size_t n;

	tap_begin("%s of %s: every length", ladder_names[ladder],
			  ga_element_name(type));
	for (n = 1; n <= SOME_LENGTHS; n = next_length(type, n))
		check_length(ladder, type, n);
	tap_end();
}

/* Where blocks, and passes over what they came to, begin and end. */
static void
test_powers(GaLadder ladder, GaElementType type)
{
	static const size_t large[] = {(1 << 18) + 1, (1 << 20) - 1, 1 << 22,
								   (1 << 22) + 1, LARGEST};
	size_t i;
	int k, off;

	tap_begin("%s of %s: powers of two, and %d", ladder_names[ladder],
			  ga_element_name(type), LARGEST);
	for (k = 8; k <= (fixture_is_quick() ? 12 : LARGEST_POWER); k++)
	{
		for (off = -1; off <= 1; off++)
			check_length(ladder, type, ((size_t) 1 << k) + off);
	}
	for (i = 0; i < sizeof(large) / sizeof(large[0]) && !fixture_is_quick();
		 i++)
		check_length(ladder, type, large[i]);
	tap_end();
}

/* Is a type among those that were named, if any were? */
static bool
is_named(GaElementType type, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
	{
		if (strcmp(argv[i], ga_element_name(type)) == 0)
			return true;
	}
	return argc < 2;
}

int
main(int argc, char **argv)
{
	static const GaElementType types[] = {GA_int4, GA_int8, GA_float4,
										  GA_float8};
	int ladder;
	size_t i;

	runner = ladder_open(0);
	case_init();
	for (ladder = 0; ladder < GA_N_LADDERS; ladder++)
	{
		for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		{
			if (!is_named(types[i], argc, argv))
				continue;
			test_lengths((GaLadder) ladder, types[i]);
			test_powers((GaLadder) ladder, types[i]);
		}
	}
	case_free();
	runner->close();
	return tap_done();
}
