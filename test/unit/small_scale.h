/*
 * small_scale.h
 *		Running totals on a scale, as cpu_lanes_scan.h has them, and the first
 *		half of what scan_floats.cuh does, in the small.
 *
 * The engines' functions once more, for floats of p bits and with each
 * constant as a parameter.  test_small_format.c tells how they correspond.
 */
#ifndef SMALL_SCALE_H
#define SMALL_SCALE_H

#include <stdbool.h>
#include <stdint.h>

#define SMALL_MAX_LEVELS  3
#define SMALL_MAX_NUMBERS 100000
#define SMALL_LANES		  2

typedef struct Small
{
	int p; /* bits of a significand */
	int scale_bits;
	int scale_top;
	int group;
	int n_levels;
	int last; /* the last unit is 2^last smallest numbers */
} Small;

/* The numbers of a format, the smaller magnitudes first, zero once. */
extern int64_t small_numbers[SMALL_MAX_NUMBERS];
extern int small_n_numbers;

extern void small_list(int p, int64_t most);

extern const char *small_name(const Small *s);
extern int small_unit(const Small *s, int k);
extern int64_t small_limit(const Small *s);
extern int64_t small_to_unit(const Small *s, int64_t x, int k);
extern int64_t small_round_levels(const Small *s, const int64_t *level,
								  bool to_odd, bool to_nearest);
extern int64_t small_round_levels_by_cutting(const Small *s,
											 const int64_t *level, bool to_odd);
extern bool small_scan(const Small *s, const int64_t *x, int n, int64_t *level,
					   int64_t totals[][SMALL_MAX_LEVELS]);
extern void small_to_levels(const Small *s, int64_t total, int64_t *level);
extern int64_t small_units_added(const Small *s, const int64_t *before,
								 const int64_t *after);
extern bool small_add_up(const Small *s, const int64_t *x, int n, int64_t *sum);

#endif /* SMALL_SCALE_H */
