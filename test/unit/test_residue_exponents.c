/*
 * test_residue_exponents.c
 *		The exponents that kernels/packed/residues.cuh reads from floats: for
 *		all integers, with the bases for which they err most.
 *
 * The bounds and scales are computed here again, from doc/numerics.md.  Above
 * 4,096 it is some of them, but in long runs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact/packed_decimal.h"
#include "tap.h"

static const GaPackedScale scales[] = {
#define X(places, power, high, low) {power, high, low},
	GA_PACKED_SCALES(X)
#undef X
};

/* Decimals of a number of places. */
typedef struct Places
{
	int extra;		  /* f */
	long limit;		  /* of integers */
	float scale;	  /* S */
	float bits_scale; /* S * 2^149 */
} Places;

static Places
places_of(int n)
{
	Places p;
	const float high = (float) scales[n].high;

	p.extra = (int) floor(log2(pow(5, n))) + 2;
	p.limit = 1L << (27 - p.extra < 22 ? 27 - p.extra : 22);
	/* 2^-63 to 2^-62, times 2^f */
	p.scale = ldexpf(high, p.extra - 63 - ilogbf(high));
	p.bits_scale = ldexpf(p.scale, 149);
	return p;
}

/* The exponent modulo 32 that is read. */
static int
exponent_read(const Places *p, long base, long i)
{
	const uint32_t field = (uint32_t) (i - base);
	float x;
	uint32_t bits;

	memcpy(&x, &field, sizeof(x));
	x = fmaf(x, p->bits_scale, (float) base * p->scale);
	memcpy(&bits, &x, sizeof(bits));
	return (int) (bits >> 23) % 32;
}

/*
 * Try an integer with bases from the least one to itself.  Returns its distance
 * from the next other power of two times 10^places, over the largest error.
 */
static double
try_integer(const Places *p, int n, long i)
{
	const double power = pow(10, n);
	const long least = -p->limit / 2;
	const double size = fabs((double) i);
	int e = ilogb(size / power);
	int k, want;
	bool is_power;

	while (size < ldexp(power, e))
		e--;
	while (size >= ldexp(power, e + 1))
		e++;
	is_power = size == ldexp(power, e);
	want = (e - ilogb(scales[n].high) + p->extra) % 32;
	for (k = 0; k <= 8; k++)
	{
		const long base = i - (i - least) / 8 * k;
		const int is = exponent_read(p, base, i);

		tap_check(is == want || (is_power && is == (want + 31) % 32),
				  "%d places, %ld from base %ld: %d, not %d", n, i, base, is,
				  want);
	}
	return is_power ?
			   INFINITY :
			   fmin(size - ldexp(power, e), ldexp(power, e + 1) - size) /
				   ((2 * size + fmax(fabs((double) least), size)) * 0x1p-24);
}

static void
test_places(int n)
{
	const Places p = places_of(n);
	const long step = tap_is_long() || p.limit <= 1 << 16 ? 1 : 61;
	double least = INFINITY;
	long i;

	tap_begin("%d places", n);
	for (i = -p.limit / 2; i <= p.limit; i += labs(i) < 4096 ? 1 : step)
	{
		if (i != 0)
			least = fmin(least, try_integer(&p, n, i));
	}
	tap_check(least > 1, "distance over error: %g", least);
	tap_end();
}

int
main(void)
{
	int n;

	for (n = 0; n <= 6; n++)
		test_places(n);
	return tap_done();
}
