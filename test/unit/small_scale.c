/*
 * small_scale.c
 *		Running totals on a scale, as cpu_lanes_scan.h has them, in the small.
 */
#include <stdio.h>

#include "small_float.h"
#include "small_scale.h"

int64_t small_numbers[SMALL_MAX_NUMBERS];
int small_n_numbers;

/* All numbers up to a magnitude. */
void
small_list(int p, int64_t most)
{
	int64_t v;

	small_n_numbers = 0;
	for (v = 0; v <= most; v = small_next(p, v))
	{
		small_numbers[small_n_numbers++] = v;
		if (v > 0)
			small_numbers[small_n_numbers++] = -v;
	}
}

const char *
small_name(const Small *s)
{
	static char name[100];

	snprintf(name, sizeof(name), "%d bits, %d levels of %d, group %d", s->p,
			 s->n_levels, s->scale_bits, s->group);
	return name;
}

/* The exponent of a unit. */
int
small_unit(const Small *s, int k)
{
	return s->last + s->scale_bits * (s->n_levels - 1 - k);
}

/* 1.5 * 2^(p-1) units */
static int64_t
anchor_of(const Small *s, int k)
{
	return INT64_C(3) << (small_unit(s, k) + s->p - 2);
}

/* What the scale holds at most. */
int64_t
small_limit(const Small *s)
{
	return INT64_C(1) << (small_unit(s, 0) + s->scale_top);
}

/* Adding and subtracting the anchor. */
int64_t
small_to_unit(const Small *s, int64_t x, int k)
{
	int64_t anchor = anchor_of(s, k);

	return small_add(s->p, small_add(s->p, x, anchor), -anchor);
}

/* round_to_odd() of the engine, on bits. */
static int64_t
round_to_odd(int p, int64_t t, int64_t d)
{
	int64_t bits = small_bits(p, t);

	if (d == 0 || bits % 2 != 0)
		return t;
	return small_from_bits(p, bits + ((t < 0) == (d < 0) ? 1 : -1));
}

/* scan_round() of the engine; to_nearest is what it would do without odd. */
int64_t
small_round_levels(const Small *s, const int64_t *level, bool to_odd,
				   bool to_nearest)
{
	int p = s->p;
	int64_t h = small_add(p, level[0], level[1]);
	int64_t rest = small_add(p, level[1], -small_add(p, h, -level[0]));

	if (s->n_levels == 3)
	{
		int64_t t = small_add(p, rest, level[2]);
		int64_t d = small_add(p, level[2], -small_add(p, t, -rest));

		return small_add(p, h, to_nearest ? t : round_to_odd(p, t, d));
	}
	return to_odd && !to_nearest ? round_to_odd(p, h, rest) : h;
}

/* add_to_odd() of scan_floats.cuh: a + b, cut off, and a bit for that. */
static int64_t
add_to_odd(int p, int64_t a, int64_t b)
{
	int excess = small_excess(p, a + b);
	int64_t sign = a + b < 0 ? -1 : 1;
	int64_t t = sign * (llabs(a + b) >> excess << excess);

	return small_add(p, t, -a) == b ? t :
									  small_from_bits(p, small_bits(p, t) | 1);
}

/* round() of scan_floats.cuh. */
int64_t
small_round_levels_by_cutting(const Small *s, const int64_t *level, bool to_odd)
{
	int p = s->p;
	int64_t h = small_add(p, level[0], level[1]);

	if (s->n_levels == 3)
		return small_add(
			p, h,
			add_to_odd(p, small_add(p, level[1], -small_add(p, h, -level[0])),
					   level[2]));
	return to_odd ? add_to_odd(p, level[0], level[1]) : h;
}

/* Carry what is a multiple of the next unit. */
static void
normalise(const Small *s, int64_t *level)
{
	int k;

	for (k = s->n_levels - 1; k > 0; k--)
	{
		int64_t over = small_to_unit(s, level[k], k - 1);

		level[k] = small_add(s->p, level[k], -over);
		level[k - 1] = small_add(s->p, level[k - 1], over);
	}
}

/*
 * scan_levels() of the engine, n elements in vectors of two: the levels are
 * brought up to date, and out[] gets the totals.  True with a certificate.
 */
bool
small_scan(const Small *s, const int64_t *x, int n, int64_t *level,
		   int64_t totals[][SMALL_MAX_LEVELS])
{
	int64_t top = 0;
	bool any_left = false;
	int i, j, k;

	for (i = 0; i < n; i += SMALL_LANES)
	{
		int64_t rest[SMALL_LANES] = {x[i], x[i + 1]};

		for (k = 0; k < s->n_levels; k++)
		{
			int64_t z[SMALL_LANES];

			for (j = 0; j < SMALL_LANES; j++)
			{
				z[j] = small_to_unit(s, rest[j], k);
				rest[j] = small_add(s->p, rest[j], -z[j]);
			}
			z[1] = small_add(s->p, z[1], z[0]);
			for (j = 0; j < SMALL_LANES; j++)
				totals[i + j][k] = small_add(s->p, level[k], z[j]);
			level[k] = totals[i + 1][k];
		}
		for (j = 0; j < SMALL_LANES; j++)
		{
			any_left |= rest[j] != 0;
			top = llabs(totals[i + j][0]) > top ? llabs(totals[i + j][0]) : top;
		}
		if ((i + SMALL_LANES) % s->group == 0 || i + SMALL_LANES >= n)
			normalise(s, level);
	}
	return top <= small_limit(s) && !any_left;
}

/* A total that fits, as levels: ga_exact_sum_to_levels(). */
void
small_to_levels(const Small *s, int64_t total, int64_t *level)
{
	int64_t left = llabs(total);
	int k;

	for (k = 0; k < s->n_levels; k++)
	{
		level[k] = left >> small_unit(s, k) << small_unit(s, k);
		left -= level[k];
		if (total < 0)
			level[k] = -level[k];
	}
}

/* What a tile adds to the sum, read off the bits of anchors and levels. */
int64_t
small_units_added(const Small *s, const int64_t *before, const int64_t *after)
{
	int64_t sum = 0;
	int k;

	for (k = 0; k < s->n_levels; k++)
	{
		int64_t anchor = anchor_of(s, k);
		int64_t moved =
			small_add(s->p, anchor, small_add(s->p, after[k], -before[k]));
		int64_t units = small_bits(s->p, moved) - small_bits(s->p, anchor);

		sum += units * (INT64_C(1) << small_unit(s, k));
	}
	return sum;
}

/*
 * add_up() of scan_floats.cuh: the sum of a few elements, on accumulators that
 * begin at the anchors.  False if anything is left of one of them.
 */
bool
small_add_up(const Small *s, const int64_t *x, int n, int64_t *sum)
{
	int64_t accumulator[SMALL_MAX_LEVELS];
	bool any_left = false;
	int i, k;

	for (k = 0; k < s->n_levels; k++)
		accumulator[k] = anchor_of(s, k);
	for (i = 0; i < n; i++)
	{
		int64_t rest = x[i];

		for (k = 0; k < s->n_levels; k++)
		{
			int64_t q = small_add(s->p, accumulator[k], rest);
			int64_t z = small_add(s->p, q, -accumulator[k]);

			rest = small_add(s->p, rest, -z);
			accumulator[k] = q;
		}
		any_left |= rest != 0;
	}
	*sum = 0;
	for (k = 0; k < s->n_levels; k++)
		*sum += (small_bits(s->p, accumulator[k]) -
				 small_bits(s->p, anchor_of(s, k))) *
				(INT64_C(1) << small_unit(s, k));
	return !any_left;
}
