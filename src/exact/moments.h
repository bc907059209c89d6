/*
 * moments.h
 *		The exact moments of numbers: n, the sum of x, and the sum of x * x.
 *
 * Variances and deviations are rational numbers of these three, and their
 * square roots, rounded once.  NaN and infinities are counted in the sum of x
 * alone, so the sum of squares is always finite.  The sum of x is also that of
 * gpu_sum and gpu_avg.
 *
 * A GaMoments is a GaSumPair: sum_pair.h has its sizes, moving and merging.
 *
 * Serialized form:
 *
 *		bytes 0..2    magic, GA_MOMENTS_KIND, GA_MOMENTS_VERSION
 *		bytes 3..42   n, n_nan, n_pos_inf, n_neg_inf, n_neg_zero
 *		then          for the sum of x, and then for that of x * x: index f
 *					  of its lowest limb and the number of limbs, a byte each,
 *					  and the limbs, the lowest first
 *
 * Integers have 64 bits in network byte order.  Limb i counts in
 * 2^(64 * (f + i)) units of 2^-1074, and 2^-2148.  The form is canonical.
 *
 * Called by the CPU engine and by backends, on the host alone.
 */
#ifndef GA_MOMENTS_H
#define GA_MOMENTS_H

#include "exact_sum_io.h"
#include "sum_pair.h"

typedef GaSumPair GaMoments;

#define GA_MOMENTS_KIND	   3
#define GA_MOMENTS_VERSION 1
#define GA_MOMENTS_MAX_BYTES \
	(3 + 40 + 2 + 8 * (GA_MAX_CELLS / 2) + 2 + 8 * (GA_WIDE_CELLS / 2))

extern GaStatus ga_moments_apply(GaMoments *moments, double x, int64_t by);

/*
 * Results, rounded once; NaN if an input was NaN or infinite, but the norm, the
 * square root of the sum of squares, is infinite if no input was NaN.  There
 * must be one input, and two for the sample variance and deviation.
 * GA_OVERFLOW if the result is out of range; GA_BAD_STATE if no inputs have
 * such sums.
 */
extern GaStatus ga_moments_var_pop(const GaMoments *moments, double *result);
extern GaStatus ga_moments_var_samp(const GaMoments *moments, double *result);
extern GaStatus ga_moments_stddev_pop(const GaMoments *moments, double *result);
extern GaStatus ga_moments_stddev_samp(const GaMoments *moments,
									   double *result);
extern GaStatus ga_moments_norm(const GaMoments *moments, double *result);
extern bool ga_moments_is_valid(const GaMoments *moments);
extern bool ga_moments_are_possible(const GaMoments *moments);

extern size_t ga_moments_serialize(const GaMoments *moments,
								   uint8_t bytes[GA_MOMENTS_MAX_BYTES]);
extern GaStatus ga_moments_deserialize(GaFullSumPair *full,
									   const uint8_t *bytes, size_t n_bytes);
extern GaStatus ga_moments_add_serialized(const uint8_t *a, size_t n_a,
										  const uint8_t *b, size_t n_b, int by,
										  uint8_t *bytes, size_t *n_bytes);

/* Return the number of inputs of every kind. */
static inline int64_t
ga_moments_n(const GaMoments *moments)
{
	return ga_sum_pair_single(moments)->n;
}

/* Add x.  GA_NO_CAPACITY if its cells do not fit. */
static inline GaStatus
ga_moments_add(GaMoments *moments, double x)
{
	return ga_moments_apply(moments, x, 1);
}

#endif /* GA_MOMENTS_H */
