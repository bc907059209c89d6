/*
 * tap.c
 *		The Test Anything Protocol, as far as the unit tests need it.
 *
 * A test has a short form, and a long one with more cases and sizes, which
 * GPUAGG_TEST_LONG in the environment asks for.  GPUAGG_TEST_DIVISOR=200 makes
 * the short one ten times shorter, for valgrind and compute-sanitizer.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

#define MAX_SHOWN 5	 /* failures of one test */
#define SHORT	  20 /* the short form has so many times fewer cases */

long tap_n_checks;

static int n_tests;
static int n_failed_tests;
static long n_failures; /* in the test that is under way */
static char name[200];

void
tap_begin(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	tap_n_checks = 0;
	n_failures = 0;
}

void
tap_end(void)
{
	n_tests++;
	if (n_failures > 0)
		n_failed_tests++;
	printf("%sok %d - %s (%ld checks)\n", n_failures > 0 ? "not " : "", n_tests,
		   name, tap_n_checks);
	fflush(stdout);
}

void
tap_skip(const char *test_name, const char *reason)
{
	printf("ok %d - %s # SKIP %s\n", ++n_tests, test_name, reason);
}

void
tap_note(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

/* Count a failure, and show it if it is among the first; returns false. */
bool
tap_failed(const char *file, int line, const char *format, ...)
{
	va_list args;

	if (++n_failures > MAX_SHOWN)
		return false;
	fflush(stdout);
	fprintf(stderr, "# %s, %s:%d: ", name, file, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	return false;
}

/* Has the test that is under way failed already? */
bool
tap_is_failing(void)
{
	return n_failures > 0;
}

/* Print the plan; returns the exit status of the program. */
int
tap_done(void)
{
	printf("1..%d\n", n_tests);
	return n_failed_tests > 0;
}

bool
tap_is_long(void)
{
	const char *is_long = getenv("GPUAGG_TEST_LONG");

	return is_long != NULL && *is_long != 0;
}

bool
tap_is_divided(void)
{
	return getenv("GPUAGG_TEST_DIVISOR") != NULL;
}

unsigned
tap_one_in(void)
{
	const char *one_in = getenv("GPUAGG_TEST_SAMPLE");

	return one_in == NULL || tap_is_long() ? 1 : (unsigned) atoi(one_in);
}

long
tap_cases(long n)
{
	const char *divisor = getenv("GPUAGG_TEST_DIVISOR");
	const long divided_by = divisor == NULL ? SHORT : atol(divisor);

	if (tap_is_long())
		return n;
	return n < divided_by ? 1 : n / divided_by;
}
