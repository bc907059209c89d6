/*
 * test_elem_ends.c
 *		Sums position by position where words, types and bytes end.
 */
#include <math.h>
#include <stdlib.h>

#include "cpu/elem_add.h"
#include "tap.h"

static void *
allocate(void *context, size_t n_bytes)
{
	(void) context;
	return calloc(1, n_bytes ? n_bytes : 1);
}

static const GaElemMemory memory = {NULL, allocate, free, NULL};

/* Add an array some times. */
static void
add_times(GaElemSum *sum, const double *x, size_t n, int times, int by)
{
	int i;

	for (i = 0; i < times; i++)
		ga_elem_add(ga_cpu_best(), sum, 0, x, n, by);
	sum->n_arrays += times * by;
}

/* Words that each addition changes by as much as can be are carried in time. */
static void
test_words(double one, double x)
{
	const int times = 40000;
	const double row[33] = {one, x, -x, [32] = x};
	GaElemSum sum;
	double result = 0;

	tap_begin("%d times %a beside %a", times, x, one);
	ga_elem_init(&sum, GA_float8, 33, memory);
	add_times(&sum, row, 33, times, 1);
	tap_check(ga_elem_float(&sum, sum.blocks, 1, false, &result) == GA_OK &&
				  result == x * times,
			  "sum %a", result);
	tap_check(ga_elem_float(&sum, sum.blocks, 2, false, &result) == GA_OK &&
				  result == -x * times,
			  "sum %a", result);
	tap_check(ga_elem_float(&sum, sum.blocks, 32, true, &result) == GA_OK &&
				  result == x,
			  "mean %a", result);
	add_times(&sum, row, 33, times - 1, -1);
	tap_check(ga_elem_float(&sum, sum.blocks, 1, false, &result) == GA_OK &&
				  result == x,
			  "what is left is %a", result);
	ga_elem_release(&sum);
	tap_end();
}

/* Sums that are out of range, of double precision and of real. */
static void
test_overflow(void)
{
	const double row[] = {0x1.fffffffffffffp1023, 0x1p1000, 0x1p127, 0x1p1023};
	GaElemSum sum;
	double result = 0;
	float single = 0;

	tap_begin("sums out of range");
	ga_elem_init(&sum, GA_float8, 4, memory);
	add_times(&sum, row, 4, 2, 1);
	tap_check(ga_elem_float(&sum, sum.blocks, 0, false, &result) == GA_OVERFLOW,
			  "a sum %a", result);
	tap_check(ga_elem_float(&sum, sum.blocks, 0, true, &result) == GA_OK &&
				  result == row[0],
			  "a mean %a", result);
	tap_check(ga_elem_float(&sum, sum.blocks, 1, false, &result) == GA_OK &&
				  result == 0x1p1001,
			  "a sum %a", result);
	tap_check(ga_elem_float4(&sum, sum.blocks, 2, &single) == GA_OVERFLOW,
			  "a real sum %a", single);
	ga_elem_release(&sum);

	/* with digits at the top alone */
	ga_elem_init(&sum, GA_float8, 1, memory);
	add_times(&sum, row + 3, 1, 2, 1);
	tap_check(ga_elem_float(&sum, sum.blocks, 0, false, &result) == GA_OVERFLOW,
			  "a sum %a", result);
	ga_elem_release(&sum);
	tap_end();
}

/* Real is rounded once, from the exact sum. */
static void
test_halfway(void)
{
	const double rows[3][2] = {
		{1, -1}, {0x1p-24, -0x1p-24}, {0x1p-80, -0x1p-80}};
	GaElemSum sum;
	float single = 0;
	int i, r;

	tap_begin("sums of real beside a half");
	ga_elem_init(&sum, GA_float8, 2, memory);
	for (r = 0; r < 3; r++)
		add_times(&sum, rows[r], 2, 1, 1);
	for (i = 0; i < 2; i++)
		tap_check(ga_elem_float4(&sum, sum.blocks, i, &single) == GA_OK &&
					  fabsf(single) == 0x1.000002p0f,
				  "a sum %a", single);
	ga_elem_release(&sum);
	tap_end();
}

/* Are bytes refused, which are `at` bytes of a state and then others? */
static bool
is_refused(const uint8_t *bytes, size_t at, const uint8_t *others, size_t n)
{
	uint8_t *all = malloc(at + n);
	GaElemSum sum;
	GaStatus status;

	memcpy(all, bytes, at);
	memcpy(all + at, others, n);
	ga_elem_init(&sum, GA_float8, 1, memory);
	status = ga_elem_deserialize(&sum, all, at + n);
	ga_elem_release(&sum);
	free(all);
	return status == GA_BAD_STATE;
}

#define LIMB(x)	 0, 0, 0, 0, 0, 0, 0, x
#define ALL_ONES 255, 255, 255, 255, 255, 255, 255, 255
#define REFUSED(...)                                      \
	is_refused(bytes, 19, (const uint8_t[]){__VA_ARGS__}, \
			   sizeof((const uint8_t[]){__VA_ARGS__}))

/* A sum has one form as bytes; others are refused. */
static void
test_bytes(void)
{
	const double row[] = {0x1p-50}; /* bit 0 of limb 16 */
	uint8_t bytes[256];
	GaElemSum sum;

	tap_begin("only the canonical form is read");
	ga_elem_init(&sum, GA_float8, 1, memory);
	add_times(&sum, row, 1, 3, 1);
	tap_check(ga_elem_serialize(&sum, bytes) == 19 + 3 + 8, "bytes");
	ga_elem_release(&sum);

	tap_check(!REFUSED(16, 1, 0, LIMB(3)), "its own bytes");
	tap_check(REFUSED(15, 2, 0, LIMB(0), LIMB(3)), "a zero below");
	tap_check(REFUSED(16, 2, 0, LIMB(3), LIMB(0)), "a zero above");
	tap_check(!REFUSED(16, 1, 0, ALL_ONES), "minus one");
	tap_check(REFUSED(16, 2, 0, ALL_ONES, ALL_ONES), "a sign above");
	tap_check(!REFUSED(16, 2, 0, ALL_ONES, LIMB(0)), "a large one");
	tap_check(REFUSED(16, 1, 0, LIMB(0)), "a limb of zero");
	tap_check(!REFUSED(0, 0, 0), "nothing");
	tap_check(REFUSED(1, 0, 0), "nothing, at a place");
	tap_check(!REFUSED(0, 0, 1, LIMB(3)), "three NULLs");
	tap_check(REFUSED(0, 0, 1, LIMB(0)), "no NULLs");
	tap_check(REFUSED(0, 0, 1, LIMB(4)), "more NULLs than arrays");
	tap_check(REFUSED(0, 0, 1, ALL_ONES), "fewer NULLs than none");
	tap_check(REFUSED(0, 0, 3, LIMB(2), LIMB(2)), "more NULLs and NaN");
	tap_check(REFUSED(16, 1, 1, LIMB(3), LIMB(3)), "a total of NULLs");
	tap_check(REFUSED(0, 0, 32, LIMB(3)), "unknown counts");
	tap_check(REFUSED(33, 1, 0, LIMB(3)), "a total beyond the range");
	tap_check(REFUSED(34, 1, 0, LIMB(3)), "a place beyond the range");
	tap_check(REFUSED(16, 1, 0, LIMB(3), 0), "a byte too many");
	tap_end();
}

int
main(void)
{
	test_words(1, 0x1.fffffffffffffp-42);
	test_words(1, 0x1.0000000000001p-42);
	test_words(0x1p-900, 0x1.fffffffffffffp-942);
	test_words(1, 0x1.fffffffffffffp10);
	test_words(0x1p1015, 0x1.fffffffffffffp1006);
	test_words(0x1p-1074, 0x1p-1074);
	test_overflow();
	test_halfway();
	test_bytes();
	return tap_done();
}
