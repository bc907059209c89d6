/*
 * ladder_cpu.c
 *		The CPU's loops over a ladder's elements: plain, and exact.
 */
#include <math.h>

#include "ladder_cpu.h"

/* Totals that are computed at once, before they are narrowed. */
#define NARROWED 2048

/* Write n elements, from number `first` on. */
void
ga_ladder_fill(GaElementType type, uint64_t first, size_t n, void *to)
{
	size_t i;

#define ELEMENT_int4   ga_ladder_int
#define ELEMENT_int8   ga_ladder_int
#define ELEMENT_float4 ga_ladder_float4
#define ELEMENT_float8 ga_ladder_float8
#define X(name, family, ctype)                                     \
	case GA_##name:                                                \
		for (i = 0; i < n; i++)                                    \
			((ctype *) to)[i] = (ctype) ELEMENT_##name(first + i); \
		break;

	switch (type)
	{
		GA_LADDER_TYPES(X)
		default:
			break;
	}
#undef X
}

/* Start a plain or an exact loop, before the first element. */
void
ga_ladder_begin(GaLadderLoop *loop, GaLadder ladder, GaElementType type)
{
	loop->ladder = ladder;
	loop->type = type;
	memset(&loop->total, 0, sizeof(loop->total));
	memset(&loop->ints, 0, sizeof(loop->ints));
	ga_full_sum_init(&loop->floats);
	loop->engine = ga_cpu_best();
}

/* The loops that anybody would write first. */
#define X(name, family, ctype)                                                 \
	static ctype sum_##name(ctype total, const ctype *in, size_t n)            \
	{                                                                          \
		size_t i;                                                              \
                                                                               \
		for (i = 0; i < n; i++)                                                \
			total += in[i];                                                    \
		return total;                                                          \
	}                                                                          \
                                                                               \
	static ctype scan_##name(ctype total, const ctype *in, size_t n,           \
							 ctype *out)                                       \
	{                                                                          \
		size_t i;                                                              \
                                                                               \
		for (i = 0; i < n; i++)                                                \
			out[i] = total += in[i];                                           \
		return total;                                                          \
	}                                                                          \
                                                                               \
	static ctype exclusive_scan_##name(ctype total, const ctype *in, size_t n, \
									   ctype *out)                             \
	{                                                                          \
		size_t i;                                                              \
                                                                               \
		for (i = 0; i < n; i++)                                                \
		{                                                                      \
			out[i] = total;                                                    \
			total += in[i];                                                    \
		}                                                                      \
		return total;                                                          \
	}
GA_LADDER_TYPES(X)
#undef X

/* Add n elements by the plain loop; a scan writes n totals to out. */
void
ga_ladder_plain(GaLadderLoop *loop, const void *in, size_t n, void *out)
{
	GaLadderTotal *total = &loop->total;

#define X(name, family, ctype)                                            \
	case GA_##name:                                                       \
		total->name = loop->ladder == GA_LADDER_REDUCE ?                  \
						  sum_##name(total->name, in, n) :                \
					  loop->ladder == GA_LADDER_SCAN ?                    \
						  scan_##name(total->name, in, n, out) :          \
						  exclusive_scan_##name(total->name, in, n, out); \
		break;

	switch (loop->type)
	{
		GA_LADDER_TYPES(X)
		default:
			break;
	}
#undef X
}

/*
 * Write n running totals of a type, by a function that computes inclusive ones
 * of type `total_type`.
 */
#define EXACT_SCAN(name, ctype, total_type, scan)                            \
	static void exact_scan_##name(GaLadderLoop *loop, const ctype *in,       \
								  size_t n, ctype *out)                      \
	{                                                                        \
		total_type totals[NARROWED];                                         \
                                                                             \
		while (n > 0)                                                        \
		{                                                                    \
			size_t segment = n < NARROWED ? n : NARROWED;                    \
			size_t i;                                                        \
                                                                             \
			(void) scan;                                                     \
			for (i = 0; i < segment; i++)                                    \
			{                                                                \
				ctype before = loop->total.name;                             \
                                                                             \
				loop->total.name = (ctype) totals[i];                        \
				out[i] = loop->ladder == GA_LADDER_SCAN ? loop->total.name : \
														  before;            \
			}                                                                \
			in += segment;                                                   \
			out += segment;                                                  \
			n -= segment;                                                    \
		}                                                                    \
	}

EXACT_SCAN(int4, uint32_t, int64_t,
		   ga_int_scan_int4(&loop->ints, in, segment, totals))
EXACT_SCAN(int8, uint64_t, GaInt128,
		   ga_int_scan_int8(&loop->ints, in, segment, totals))
EXACT_SCAN(float4, float, float,
		   loop->engine->scan_float4(ga_full_sum(&loop->floats), in, segment,
									 totals))
EXACT_SCAN(float8, double, double,
		   loop->engine->scan_float8(ga_full_sum(&loop->floats), in, segment,
									 totals))

static void
exact_scan(GaLadderLoop *loop, const void *in, size_t n, void *out)
{
#define X(name, family, ctype)               \
	case GA_##name:                          \
		exact_scan_##name(loop, in, n, out); \
		break;

	switch (loop->type)
	{
		GA_LADDER_TYPES(X)
		default:
			break;
	}
#undef X
}

static void
exact_sum(GaLadderLoop *loop, const void *in, size_t n)
{
	const GaCpuEngine *engine = loop->engine;
	GaLadderTotal *total = &loop->total;

#define SUM_int(name)                       \
	engine->sum_##name(&loop->ints, in, n); \
	total->name = loop->ints.low
#define SUM_float(name)                                           \
	(void) engine->sum_##name(ga_full_sum(&loop->floats), in, n); \
	(void) ga_exact_sum_##name(ga_full_sum(&loop->floats), &total->name)
#define X(name, family, ctype) \
	case GA_##name:            \
		SUM_##family(name);    \
		break;

	switch (loop->type)
	{
		GA_LADDER_TYPES(X)
		default:
			break;
	}
#undef X
#undef SUM_float
#undef SUM_int
}

/*
 * Add n elements exactly; a scan writes n totals to out, each rounded once.
 * All totals have to be in the range of their type.
 */
void
ga_ladder_exact(GaLadderLoop *loop, const void *in, size_t n, void *out)
{
	if (loop->ladder == GA_LADDER_REDUCE)
		exact_sum(loop, in, n);
	else
		exact_scan(loop, in, n, out);
}

/*
 * Return the distance of two totals; NaN if either is, or both are infinite.
 */
double
ga_ladder_distance(GaElementType type, const void *a, const void *b)
{
	switch (type)
	{
		case GA_int4:
			return fabs((double) *(const int32_t *) a - *(const int32_t *) b);
		case GA_int8:
			return fabs((double) ((GaInt128) * (const int64_t *) a -
								  *(const int64_t *) b));
		case GA_float4:
			return fabs((double) *(const float *) a - *(const float *) b);
		default:
			return fabs(*(const double *) a - *(const double *) b);
	}
}

/* Return the larger of two errors; NaN is the largest. */
double
ga_ladder_larger(double a, double b)
{
	return isnan(a) || a > b ? a : b;
}

/*
 * Add n elements exactly, and return the largest error of n totals that another
 * scan made of them; 0 for a reduction, whose total is compared at the end.
 */
double
ga_ladder_error(GaLadderLoop *exact, const void *in, size_t n, const void *out)
{
	const size_t size = ga_element_size(exact->type);
	_Alignas(GaLadderTotal) char totals[NARROWED * sizeof(GaLadderTotal)];
	const char *from = in;
	const char *given = out;
	double error = 0;

	if (exact->ladder == GA_LADDER_REDUCE)
	{
		exact_sum(exact, in, n);
		return 0;
	}
	while (n > 0)
	{
		size_t segment = n < NARROWED ? n : NARROWED;
		size_t i;

		exact_scan(exact, from, segment, totals);
		for (i = 0; i < segment; i++)
			error = ga_ladder_larger(
				error, ga_ladder_distance(exact->type, given + i * size,
										  totals + i * size));
		from += segment * size;
		given += segment * size;
		n -= segment;
	}
	return error;
}

/* Add n totals, as their bits, to a hash, which starts with 0. */
uint64_t
ga_ladder_hash(uint64_t hash, GaElementType type, const void *data, size_t n)
{
	const char *from = data;
	const char *end = from + n * ga_element_size(type);
	uint32_t narrow;
	uint64_t word;

	/* two loops, since a memcpy() of unknown length is slow */
	if (ga_element_size(type) == sizeof(narrow))
		for (; from < end; from += sizeof(narrow))
		{
			memcpy(&narrow, from, sizeof(narrow));
			hash = ga_ladder_bits(hash ^ narrow);
		}
	else
		for (; from < end; from += sizeof(word))
		{
			memcpy(&word, from, sizeof(word));
			hash = ga_ladder_bits(hash ^ word);
		}
	return hash;
}

/* Return the median of n > 0 times, and sort them. */
double
ga_ladder_median(double *ms, uint32_t n)
{
	uint32_t i;

	for (i = 1; i < n; i++)
	{
		double x = ms[i];
		uint32_t j;

		for (j = i; j > 0 && ms[j - 1] > x; j--)
			ms[j] = ms[j - 1];
		ms[j] = x;
	}
	return (ms[(n - 1) / 2] + ms[n / 2]) / 2;
}
