/*
 * cpu_lanes_mean.h
 *		Sums in levels divided by counts, rounded once; a part of cpu_lanes.h.
 *
 * A sum is the exact sum of two or three doubles, as cpu_lanes_scan.h makes
 * them.  Its quotient is computed as h / n, and what that leaves out as another
 * quotient c, which is a little wrong.  If the error cannot change the rounded
 * sum of both, it is the result; otherwise, as at a tie, the exact sum
 * computes.  doc/numerics.md has the proof.
 */
#include "exact/exact_sum_value.h"

/*
 * The exponents of units with which no intermediate result of a division
 * leaves the normal range.
 */
#define MEAN_LEAST_UNIT (-850)
#define MEAN_MOST_UNIT	850

/* The bound of c's relative error, with a reserve. */
#define MEAN_ERROR 0x1p-50

/* Split v into two halves of its significand. */
static always_inline void
split_halves(Doubles v, Doubles *high, Doubles *low)
{
	Doubles scaled = v * broadcast(134217729.0); /* 2^27 + 1 */

	*high = scaled - (scaled - v);
	*low = v - *high;
}

/* Return a * b - p, where p is a * b rounded (Dekker's product). */
static always_inline Doubles
product_error(Doubles a, Doubles b, Doubles p)
{
	Doubles a_high, a_low, b_high, b_low;

	split_halves(a, &a_high, &a_low);
	split_halves(b, &b_high, &b_low);
	return ((a_high * b_high - p) + a_high * b_low + a_low * b_high) +
		   a_low * b_low;
}

/*
 * Lanes are -1 where c is exactly (r + rest) / counts, and nothing is lost: as
 * where the quotient is a tie.
 */
static __attribute__((noinline)) Int64s
is_exact(Doubles r, Doubles rest, Doubles lost, Doubles counts, Doubles c)
{
	Doubles sum = r + rest;
	Doubles of_rest = sum - r;
	Doubles error = (r - (sum - of_rest)) + (rest - of_rest);
	Doubles p = c * counts;
	Doubles zero = {0};

	return (p == sum) & (product_error(c, counts, p) == zero) &
		   (error == zero) & (lost == zero);
}

/*
 * Divide sums by counts.  Lanes of *certain are -1 where the quotient is the
 * rounded one.
 */
static always_inline Doubles
divide_levels(const Doubles *s, int n_levels, Doubles counts, Int64s *certain)
{
	const Int64s sign = broadcast_bits(GA_FLOAT8_SIGN);
	Doubles h = s[0] + s[1];
	Doubles rest = s[1] - (h - s[0]);
	Doubles lost = {0};
	Doubles q = h / counts;
	Doubles p = q * counts;
	Doubles r, c, error;

	if (n_levels == 3)
	{
		Doubles t = rest + s[2];

		lost = s[2] - (t - rest);
		rest = t;
	}
	r = (h - p) - product_error(q, counts, p);
	c = (r + rest) / counts;
	error = (Doubles) ((Int64s) c & ~sign) * broadcast(MEAN_ERROR) +
			(Doubles) ((Int64s) lost & ~sign);
	*certain = q + (c - error) == q + (c + error);
	if (__builtin_expect(sum_of_lanes(*certain) != -LANES, 0))
		*certain |= is_exact(r, rest, lost, counts, c);
	return q + c;
}

/* Divide a sum of levels by a count, which is not 0, exactly. */
static __attribute__((noinline)) double
divide_exactly(const double *levels, int n_levels, double count)
{
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	double mean = 0;
	int k;

	for (k = 0; k < n_levels; k++)
		(void) ga_exact_sum_add(sum, levels[k] + 0.0);
	sum->n = (int64_t) count;
	sum->n_neg_zero = 0;
	(void) ga_exact_sum_mean(sum, &mean);
	return mean;
}

/* Divide the sums in nv vectors, of which the k-th levels are at s[k]. */
static always_inline void
divide_tile(double (*s)[SCAN_TILE], int n_levels, size_t nv,
			const double *counts, double *out)
{
	size_t i;
	int k, lane;

	for (i = 0; i < nv; i++)
	{
		Doubles levels[SCALE_MAX_LEVELS];
		Int64s certain;
		Doubles means;

		_Pragma("GCC unroll 4") for (k = 0; k < n_levels; k++) levels[k] =
			load_float8((const char *) s[k], i * LANES);
		means = divide_levels(levels, n_levels,
							  load_float8((const char *) counts, i * LANES),
							  &certain);
		memcpy(out + i * LANES, &means, sizeof(means));
		if (__builtin_expect(sum_of_lanes(certain) == -LANES, 1))
			continue;
		for (lane = 0; lane < LANES; lane++)
		{
			double of_lane[SCALE_MAX_LEVELS];

			for (k = 0; k < n_levels; k++)
				of_lane[k] = s[k][i * LANES + lane];
			if (certain[lane] == 0)
				out[i * LANES + lane] =
					divide_exactly(of_lane, n_levels, counts[i * LANES + lane]);
		}
	}
}
