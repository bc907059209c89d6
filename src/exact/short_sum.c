/*
 * short_sum.c
 *		The sum of a few floats, without an exact sum where that is possible.
 *
 * The sum so far is s + e exactly: Knuth's TwoSum gives the error of each
 * addition to s, and e takes it.  The additions to e must have no error of
 * their own.  Then one addition, s + e, rounds the exact sum once.  NaN and
 * infinities, and sums out of range, leave an error that is NaN.
 */
#include <string.h>

#include "short_sum.h"

/* Add x to *s; return what the rounding left out, which is exact. */
static inline double
two_sum(double *s, double x)
{
	double a = *s;
	double sum = a + x;
	double of_x = sum - a;

	*s = sum;
	return (a - (sum - of_x)) + (x - of_x);
}

static inline double
load(GaElementType type, const char *data, size_t i)
{
	double x;
	float single;

	if (type == GA_float8)
	{
		memcpy(&x, data + i * sizeof(x), sizeof(x));
		return x;
	}
	memcpy(&single, data + i * sizeof(single), sizeof(single));
	return single;
}

bool
ga_short_sum(GaElementType type, const void *data, size_t n, void *result)
{
	double s = load(type, data, 0);
	double e = 0;
	double lost = s - s; /* NaN, or 0 */
	float single;
	size_t i;

	for (i = 1; i < n; i++)
	{
		double error = two_sum(&s, load(type, data, i));

		lost += two_sum(&e, error) == 0 ? 0 : 1;
	}
	if (lost != 0)
		return false;
	if (type == GA_float8)
	{
		/* -0 has no error, and stays */
		if (e != 0)
			s += e;
		if (s - s != 0)
			return false;
		memcpy(result, &s, sizeof(s));
		return true;
	}

	/* float takes its only rounding from a double that is exact */
	single = (float) s;
	if (e != 0 || single - single != 0)
		return false;
	memcpy(result, &single, sizeof(single));
	return true;
}
